// Names of skills: how a folder path becomes a name, and when two spellings are the same name.

/** A slash path of safe segments: `plan-meeting`, `mcp/email`, `sven/plan`. */
export type SkillName = string;

export type NameResult =
  | { readonly ok: true; readonly name: SkillName }
  | {
      readonly ok: false;
      readonly code: "name-empty" | "name-traversal" | "name-confusable" | "name-too-long";
      readonly segment: string;
    };

/** The longest file name, and the longest path that fits a prompt. `check` reports names over the specification's 64. */
const MAX_SEGMENT = 255;
const MAX_NAME = 1024;

/** A name that is already one safe segment: the common case. */
const SAFE = /^[a-z0-9]+(?:[.-][a-z0-9]+)*$/;

const ASCII = /^[\x00-\x7f]*$/;

/** Letters of other scripts that look like an ASCII letter: those common in attacks, not all of Unicode. */
const LOOKALIKES = new Map(
  [
    "аa сc ԁd еe һh іi јj кk ӏl мm оo рp ԛq ѕs тt ѵv ԝw хx уy үy",
    "αa εe ηn ιi κk νv οo ρp τt υu χx ωw",
    "ɡg ıi ɩi ɑa ոn օo սu հh ցg",
  ].flatMap((line) => line.split(" ").map(([foreign, ascii]) => [foreign!, ascii!] as const)),
);

/**
 * Turns a folder path into a skill name: lower-case, accents folded, every run of other characters one `-`.
 * A segment of letters that only look like ASCII ones is refused, so that `pаypal` cannot pose as `paypal`.
 *
 * @example
 * const found = toSkillName("mcp/Send Email");
 * if (found.ok) console.log(found.name); // mcp/send-email
 */
export function toSkillName(path: string): NameResult {
  if (path.length <= MAX_SEGMENT && SAFE.test(path)) return { ok: true, name: path };
  const segments: string[] = [];
  for (const raw of path.split("/")) {
    const segment = raw.trim();
    if (segment === "." || segment === "..") return { ok: false, code: "name-traversal", segment: raw };
    if (looksLikeAscii(segment)) return { ok: false, code: "name-confusable", segment: raw };
    const safe = safeSegment(segment);
    if (safe === "") return { ok: false, code: "name-empty", segment: raw };
    if (safe.length > MAX_SEGMENT) return { ok: false, code: "name-too-long", segment: raw };
    segments.push(safe);
  }
  const name = segments.join("/");
  if (name.length > MAX_NAME) return { ok: false, code: "name-too-long", segment: path };
  return { ok: true, name };
}

/** The key that all spellings of a name share: `Git_Workflow`, `git workflow` and `git-workflow`. */
export function lookupKey(spelling: string): string {
  if (SAFE.test(spelling)) return spelling;
  return spelling
    .trim()
    .replace(/^\/+/, "")
    .split("/")
    .map((segment) => safeSegment(segment.trim()))
    .join("/");
}

export function lastSegment(name: SkillName): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** The name of the parent skill, or undefined at the top level. */
export function parentName(name: SkillName): SkillName | undefined {
  const slash = name.lastIndexOf("/");
  return slash < 0 ? undefined : name.slice(0, slash);
}

/** Orders names independently of the machine's locale. */
export function compareNames(a: SkillName, b: SkillName): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function safeSegment(segment: string): string {
  if (SAFE.test(segment)) return segment;
  const unaccented = ASCII.test(segment) ? segment : segment.normalize("NFKD").replace(/\p{M}+/gu, "");
  return unaccented
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[-.]+|[-.]+$/g, "");
}

function looksLikeAscii(segment: string): boolean {
  if (ASCII.test(segment)) return false;
  const lower = segment.normalize("NFKC").toLowerCase();
  if (lower !== segment.toLowerCase().normalize("NFC") && ASCII.test(lower)) return true;
  let replaced = false;
  let skeleton = "";
  for (const char of lower) {
    const twin = LOOKALIKES.get(char);
    if (twin) replaced = true;
    skeleton += twin ?? char;
  }
  return replaced && ASCII.test(skeleton);
}
