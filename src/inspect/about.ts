// Reads what a skill says about itself: its subject, the tools it works with, and what it promises not to do.

import { isSkillFile } from "../package/package.ts";
import type { InspectedFile } from "./types.ts";

export interface About {
  /** Whether the skill is about attacks and their defence. */
  readonly security: boolean;
  /** Its text without addresses, in lower case. */
  readonly told: string;
  /** Its name, description and compatibility, in lower case. */
  readonly claims: string;
}

const READ = 64_000;
const SECURITY =
  /\b(?:penetration test\w{0,4}|privilege escalation|offensive security|pentest\w{0,4}|red[- ]team\w{0,4}|purple[- ]team\w{0,4}|threat (?:hunt\w{0,4}|intel\w{0,8}|detect\w{0,4}|model\w{0,4})|malware|forensics?|incident response|vulnerabilit(?:y|ies)|exploit\w{0,6}|security (?:audit\w{0,4}|scann\w{0,4}|test\w{0,4}|review\w{0,2}|monitor\w{0,4}|control\w{0,2}|engineer\w{0,4}|vulnerab\w{0,6})|intrusion|ctf|capture the flag|reverse engineer\w{0,4}|prompt injection|jailbreak\w{0,4}|yara|sigma rules?|adversar\w{0,6}|attack\w{0,4}|ransomware|phishing|owasp|ssrf|xxe|sql injection|deserialization|credential (?:access|dump\w{0,4})|persistence|lateral movement|living[- ]off[- ]the[- ]land|evasion|command[- ]and[- ]control|dark ?web|fuzz\w{0,4})\b/;

export function aboutOf(files: readonly InspectedFile[]): About {
  const skill = files.find(({ path }) => isSkillFile(path));
  if (!skill) return { security: false, told: "", claims: "" };
  const text = new TextDecoder().decode(skill.bytes.subarray(0, READ)).toLowerCase();
  const front = /^---\r?\n([\s\S]{0,8000}?)\n---/.exec(text)?.[1] ?? "";
  const claims = front.slice(0, 4_000);
  return {
    security: SECURITY.test(claims),
    told: text.replace(/[a-z+]{2,12}:\/\/[^\s"')>]{1,300}/g, " "),
    claims,
  };
}
