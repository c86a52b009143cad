import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../../test/skill-tree.ts";
import { ENVELOPES } from "../text/escape.ts";
import { findKnowledge } from "./knowledge.ts";
import { buildPayload, folderStructure, type PayloadParts, renderActivation } from "./payload.ts";

const PARTS: PayloadParts = {
  name: "sven",
  displayName: "Sven Methodology",
  instructions: "Work in phases.\n",
  paths: ["SKILL.md", "scripts/helper.sh"],
  subSkills: [
    { name: "sven/plan", displayName: "Sven Plan", description: "Planning phase." },
    { name: "sven/review", displayName: "Sven Review", description: "Review <phase>." },
  ],
  knowledge: [
    { document: "p2p.md", path: ".sven/knowledge/p2p.md", title: "P2P Networking", missing: false },
    { document: "gone.md", missing: true },
  ],
  baseDirectory: "/data/private/t/.skills/sven",
  digest: "d".repeat(64),
  risk: "risky",
};
const SERVED = ["activate_skill", "read_skill_file", "run_skill_script"];
const render = (parts: Partial<PayloadParts> = {}, served = SERVED) =>
  renderActivation(buildPayload({ ...PARTS, ...parts }), served);

describe("the text of an activated skill", () => {
  it("is one envelope with body, base directory, files, knowledge and direct children", () => {
    expect(render()).toMatchInlineSnapshot(`
      "<skill_content command="sven" name="Sven Methodology">
      # Skill: Sven Methodology

      Work in phases.

      Base directory: /data/private/t/.skills/sven (private:/.skills/sven)
      Relative paths in this skill (scripts/, references/, assets/) are relative to this base directory.

      <skill_files>
      <!-- Read one with read_skill_file; run a script with run_skill_script. -->
        scripts/helper.sh
      </skill_files>

      Relevant knowledge docs (read them with your file tool when needed):
        - .sven/knowledge/p2p.md (P2P Networking)
        - gone.md (missing from the project's knowledge folders)

      <sub_skills>
      <!-- Call activate_skill with a command to load that sub-skill's full instructions. -->
        <sub_skill command="sven/plan" name="Sven Plan">Planning phase.</sub_skill>
        <sub_skill command="sven/review" name="Sven Review">Review &lt;phase&gt;.</sub_skill>
      </sub_skills>
      </skill_content>"
    `);
  });

  it("names only the tools that are served", () => {
    const toolsIn = (served: readonly string[]) =>
      render({}, [...served]).match(/\b(?:activate_skill|read_skill_file|run_skill_script)\b/g) ?? [];
    for (const tool of SERVED) {
      expect(toolsIn([tool])).toEqual([tool]);
      expect(toolsIn(SERVED.filter((one) => one !== tool))).not.toContain(tool);
    }
    expect(toolsIn([])).toEqual([]);
    expect(render({}, ["get_skill"])).toContain("Call get_skill ");
  });

  it("says so if the skill is already active", () => {
    expect(render({ risk: "safe" })).toContain("already active");
    expect(render()).not.toContain("already active");
  });

  it("has no empty parts", () => {
    const text = render({ paths: ["SKILL.md"], subSkills: [], knowledge: [] });
    expect(text).not.toMatch(/skill_files|sub_skills|knowledge/);
  });

  it.each(ENVELOPES.flatMap((name) => [`</${name}>`, `<${name}>`, `</ ${name.toUpperCase()} >`]))(
    "is not closed or opened by %s in the body, in a name, in a path or in a description",
    (fence) => {
      const honest = render();
      const text = render({
        instructions: `a\n${fence}\nb\n~~~\n${fence}\n\`\`\`\n${fence}`,
        displayName: `x${fence}`,
        paths: ["SKILL.md", `scripts/${fence.replaceAll("/", "")}`],
        subSkills: PARTS.subSkills.map((child) => ({ ...child, description: fence, displayName: fence })),
        knowledge: [{ document: fence, missing: true }],
      });
      const tags = (of: string) => of.match(new RegExp(`<\\s*/?\\s*(?:${ENVELOPES.join("|")})\\b`, "gi"));
      expect(tags(text)).toEqual(tags(honest));
      expect(text.endsWith("\n</skill_content>")).toBe(true);
    },
  );
});

describe("the payload", () => {
  it("lists 20 files without SKILL.md and counts the rest", () => {
    const paths = ["SKILL.md", ...Array.from({ length: 25 }, (_, at) => `references/${at + 10}.md`)];
    const { files, moreFiles } = buildPayload({ ...PARTS, paths });
    expect(files).toHaveLength(20);
    expect(files).not.toContain("SKILL.md");
    expect(moreFiles).toBe(5);
    expect(render({ paths })).toContain("\n  and 5 more\n</skill_files>");
  });

  it("has exactly the documented fields", () => {
    expect(Object.keys(buildPayload(PARTS))).toEqual([
      "name",
      "displayName",
      "instructions",
      "baseDirectory",
      "folderStructure",
      "files",
      "moreFiles",
      "subSkills",
      "knowledge",
      "mountPath",
      "digest",
      "risk",
      "alreadyActivated",
    ]);
  });

  it("has a compact tree of limited length", () => {
    expect(folderStructure(["SKILL.md", "scripts/a.sh", "scripts/lib/b.sh", "notes.md"])).toBe(
      "scripts/\n  lib/\n    b.sh\n  a.sh\nSKILL.md\nnotes.md",
    );
    const many = Array.from({ length: 2_000 }, (_, at) => `d${at % 40}/f${at}`);
    expect(folderStructure(many).split("\n").length).toBeLessThanOrEqual(61);
    expect(folderStructure(many)).toMatch(/… \d+ more/);
  });
});

describe("knowledge documents", () => {
  it("are found in the project and the folders above it up to the repository, with their titles", () => {
    const root = temporaryTree({
      "repo/.sven/knowledge/p2p.md": "---\ntitle: x\n---\n\n# P2P Networking\n",
      "repo/.sven/knowledge/node.md": "no heading",
      "repo/app/.repertoire/knowledge/p2p.md": "# Nearer\n",
      ".sven/knowledge/outside.md": "# Outside\n",
      "secret.md": "# Secret\n",
    });
    mkdirSync(join(root, "repo/.git"));
    symlinkSync(join(root, "secret.md"), join(root, "repo/.sven/knowledge/link.md"));
    const asked = [
      "p2p.md",
      ".sven/knowledge/node",
      "outside.md",
      "../../../secret.md",
      "/etc/passwd",
      "link.md",
    ];
    expect(findKnowledge(asked, join(root, "repo/app"))).toEqual([
      { document: "p2p.md", path: ".repertoire/knowledge/p2p.md", title: "Nearer", missing: false },
      { document: ".sven/knowledge/node", path: "../.sven/knowledge/node.md", missing: false },
      ...asked.slice(2).map((document) => ({ document, missing: true })),
    ]);
  });
});
