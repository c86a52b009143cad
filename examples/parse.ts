// Reads one SKILL.md text. A broken one does not throw: the result has what could be read and what is wrong.

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
