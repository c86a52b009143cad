// The templates that a new skill starts from, as files that are not written yet.

import { RepertoireError } from "../model/errors.ts";
import { lastSegment, type SkillName, toSkillName } from "../model/name.ts";
import { SKILL_FILE } from "../package/package.ts";

export const TEMPLATES = ["basic", "domain", "toolset"] as const;
export type Template = (typeof TEMPLATES)[number];

/** The files of a new skill by their paths below its folder. They pass the strict profile unchanged. */
export function scaffold(
  spelling: string,
  options: { readonly template: Template; readonly description?: string | undefined },
): { readonly name: SkillName; readonly files: ReadonlyMap<string, string> } {
  const result = toSkillName(spelling);
  if (!result.ok) {
    throw new RepertoireError(
      result.code,
      `"${spelling}" cannot be a skill name. Use lower-case letters, digits and hyphens, with "/" between levels: plan-meeting, mcp/email.`,
      spelling,
    );
  }
  const name = lastSegment(result.name).replace(/\.+/g, "-");
  const description = (options.description ?? `Describe what ${name} does. Use when the user asks for …`)
    .replace(/\s+/g, " ")
    .trim();
  return { name: result.name, files: new Map(Object.entries(BUILDERS[options.template](name, description))) };
}

const BUILDERS: Readonly<Record<Template, (name: string, description: string) => Record<string, string>>> = {
  basic: (name, description) => ({ [SKILL_FILE]: `${frontMatter(name, description)}\n${procedure(name)}` }),
  domain: (name, description) => ({
    [SKILL_FILE]: `${frontMatter(name, description)}\n${procedure(name)}\n${DOMAIN_KNOWLEDGE}`,
  }),
  toolset: (name, description) => ({
    [SKILL_FILE]: `${frontMatter(name, description, `metadata:\n  toolsets: "toolsets/index:${pascal(name)}Toolset"\n`)}\n${procedure(name)}\n${toolsetNotes(name)}`,
    "toolsets/index.ts": toolsetCode(name),
    "scripts/hello.mjs": SCRIPT,
  }),
};

function frontMatter(name: string, description: string, more = ""): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n${more}---\n`;
}

function procedure(name: string): string {
  return `# ${title(name)}

## When to use

- Name the situations and the words that people use for them.
- Name what this skill is *not* for.

## Steps

1. First step, with the exact command or tool.
2. How to see that it worked.
3. What to tell the user at the end.

## When it fails

- A symptom: its cause, and what to do.
`;
}

const DOMAIN_KNOWLEDGE = `## Domain Knowledge

### Correctness Invariants

- State what MUST always hold, and what MUST NOT happen.

### Known Failure Modes

| Symptom | Cause | Fix |
|---------|-------|-----|
| What one sees | Why it happens | What to do |

### Critical Patterns

- A pattern to follow, and why.
`;

function toolsetNotes(name: string): string {
  return `## Tools and scripts

- Tool \`${name}-greet\` (from \`toolsets/index.ts\`): call it with \`{ "who": "…" }\`.
- Script \`scripts/hello.mjs\`: runs in the sandbox; prints its arguments.
`;
}

function toolsetCode(name: string): string {
  return `import { defineTool, z } from "repertoire/tools";\n\nexport const greet = defineTool("${name}-greet", {
  description: "Greets somebody by name.",
  parameters: z.object({ who: z.string().describe("whom to greet") }),
  execute: async ({ who }) => ({ title: "Greeted", metadata: { who }, output: \`Hello, \${who}!\` }),
});

export const ${pascal(name)}Toolset = [greet];
`;
}

const SCRIPT = `#!/usr/bin/env node
// Runs inside the sandbox: no network, no home folder, only the files of this skill.
console.log("hello", ...process.argv.slice(2));
`;

function pascal(name: string): string {
  return capitalised(name, /[^a-z0-9]+/, "").replace(/^(?=\d)/, "Skill");
}

function title(name: string): string {
  return capitalised(name, "-", " ");
}

function capitalised(name: string, separator: string | RegExp, joint: string): string {
  const words = name.split(separator).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join(joint);
}

export interface CreateOptions {
  readonly template: Template;
  readonly description?: string | undefined;
  /** In the home folder instead of the project. */
  readonly user?: boolean | undefined;
  /** Below this folder instead; relative to the project. */
  readonly to?: string | undefined;
}

export interface CreatedSkill {
  readonly name: SkillName;
  readonly directory: string;
  /** The paths of the files that were written. */
  readonly files: readonly string[];
  /** The source that the skill belongs to; absent if the configuration reads none there. */
  readonly source?: string | undefined;
}
