import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { skillText, temporaryTree } from "../../../test/skill-tree.ts";
import { openRepertoire } from "../../engine/engine.ts";
import { Io } from "./io.ts";
import { askForProject } from "./project-question.ts";

describe("the question about a project", () => {
  const place = (files: Readonly<Record<string, string>> = {}) => {
    const root = temporaryTree({
      "p/.git/HEAD": "",
      "p/.claude/skills/deploy/SKILL.md": skillText("Deploys."),
      ...files,
    });
    const open = () =>
      openRepertoire({
        dir: join(root, "p"),
        home: join(root, "home"),
        env: {},
        host: "cli",
        values: { "trust.projects": "ask" },
      });
    const ask = async (typed: string, terminal = true) => {
      const said: string[] = [];
      const io = new Io({ out: () => {}, err: (text) => said.push(text), terminal, width: 80 }, false);
      const input = Object.assign(new PassThrough(), { isTTY: terminal });
      input.end(typed);
      const engine = open();
      const answer = await askForProject({ io, engine }, input);
      await engine.close();
      return { answer, said: said.join("") };
    };
    const names = async () => {
      const engine = open();
      const { skills } = await engine.library.list();
      await engine.close();
      return skills.map(({ skill }) => skill.name as string);
    };
    return { ask, names };
  };

  it("is asked once, and a yes shows the project's skills", async () => {
    const { ask, names } = place();
    expect(await names()).not.toContain("deploy");
    expect((await ask("y\n")).answer).toBe(true);
    expect(await names()).toContain("deploy");
    expect((await ask("n\n")).said).toBe("");
  });

  it("is not repeated after a no", async () => {
    const { ask, names } = place();
    expect((await ask("n\n")).answer).toBe(false);
    expect(await ask("y\n")).toEqual({ answer: false, said: "" });
    expect(await names()).not.toContain("deploy");
  });

  it("is a note with the command where nobody can be asked, which decides nothing", async () => {
    const { ask } = place();
    expect((await ask("y\n", false)).said).toContain("trust --project");
    expect((await ask("y\n")).answer).toBe(true);
  });
});

it("nothing is asked about a project without skills", async () => {
  const root = temporaryTree({ "p/.git/HEAD": "" });
  const engine = openRepertoire({
    dir: join(root, "p"),
    home: join(root, "home"),
    env: {},
    values: { "trust.projects": "ask" },
  });
  const said: string[] = [];
  const io = new Io({ out: () => {}, err: (text) => said.push(text), terminal: false, width: 80 }, false);
  expect(await askForProject({ io, engine })).toBe(false);
  expect(said).toEqual([]);
  await engine.close();
});
