import { chownSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../../test/skill-tree.ts";
import { resolveSources } from "./sources.ts";

const ids = (options: Partial<Parameters<typeof resolveSources>[0]>) =>
  resolveSources({ bundled: "/bundled", home: "/home/u", project: "/p", ...options }).map(({ id }) => id);

const SHARED = [".agent/skills", ".agents/skills", ".claude/skills", ".codex/skills", ".repertoire/skills"];
const USER = [
  ".sven/skills",
  ".hermes/skills",
  ".openclaw/skills",
  ".codeium/windsurf/skills",
  ".cline/skills",
  ".continue/skills",
  ".cursor/skills",
  ".copilot/skills",
  ".qwen/skills",
  ".gemini/skills",
  ".pi/agent/skills",
  ".config/opencode/skill",
  ".config/opencode/skills",
  ...SHARED,
].map((folder) => `~/${folder}`);
const PROJECT = [
  "skills",
  ".sven/skills",
  ".windsurf/skills",
  ".cline/skills",
  ".continue/skills",
  ".cursor/skills",
  ".github/skills",
  ".qwen/skills",
  ".gemini/skills",
  ".pi/skills",
  ".opencode/skill",
  ".opencode/skills",
  ...SHARED,
];
const project = (at: string) => PROJECT.map((folder) => `${at}/${folder}`);

describe("the table of sources", () => {
  it("is ordered bundled, user, project, lowest precedence first", () => {
    expect(ids({})).toEqual(["bundled", ...USER, ...project(".")]);
  });

  it("includes each ancestor up to the repository's root, shallow to deep", () => {
    const root = temporaryTree({ ".git/HEAD": "", "packages/app/x": "" });
    const seen = ids({ project: join(root, "packages/app") });
    expect(seen.slice(1 + USER.length)).toEqual([...project("../.."), ...project(".."), ...project(".")]);
  });

  it("stays in the project outside a repository", () => {
    const root = temporaryTree({ "packages/app/x": "" });
    expect(ids({ project: join(root, "packages/app") }).slice(1 + USER.length)).toEqual(project("."));
  });

  it.runIf(process.getuid?.() === 0)(
    "leaves a repository alone that another user made above the project",
    () => {
      const root = temporaryTree({ ".git/HEAD": "", "mine/x": "" });
      const below = () => ids({ project: join(root, "mine") }).slice(1 + USER.length);
      chownSync(join(root, ".git"), 12345, 12345);
      expect(below()).toEqual(project("."));
      // As in a container, where the whole checkout belongs to somebody else.
      chownSync(join(root, "mine"), 12345, 12345);
      expect(below()).toEqual([...project(".."), ...project(".")]);
    },
  );

  it("lists a root once when the project is the home folder", () => {
    expect(ids({ project: "/home/u" })).toEqual([
      "bundled",
      ...USER,
      ...project(".").filter((id) => !USER.includes(id.replace(".", "~"))),
    ]);
  });

  it("can be added to, cut and reordered", () => {
    expect(
      ids({
        add: [{ path: "~/team", id: "team" }],
        drop: project("."),
        order: ["~/.sven/skills", "bundled"],
      }),
    ).toEqual([...USER.slice(1), "team", "~/.sven/skills", "bundled"]);
  });
});
