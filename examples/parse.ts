// Reads one SKILL.md text. A broken one is no exception: what could be read comes back along with what is wrong.

import { parseSkill } from "../src/index.ts";

const text = `---
name: plan-meeting
description: Plans meetings: finds a time, invites people
---

# Plan a meeting
`;

const { skill, diagnostics } = parseSkill(text, "plan-meeting/SKILL.md");
console.log(skill?.manifest.description);
for (const { severity, code, line, fix } of diagnostics)
  console.log(`${severity} ${code}, line ${line}: ${fix}`);
