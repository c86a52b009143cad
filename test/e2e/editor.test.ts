// `save` in a real terminal: the person's editor opens on the skill, and what they leave is saved.

import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";
import { HAS_TMUX, openPane } from "./tmux.ts";

const program = hostsProgram();

function desk(script: string) {
  const root = temporaryTree({ "p/.keep": "", "my editor/.keep": "", "tmp/.keep": "" });
  const editor = join(root, "my editor", "edit.sh");
  writeFileSync(editor, `#!/bin/sh\n${script}\n`);
  chmodSync(editor, 0o755);
  const env = { NO_COLOR: "1", EDITOR: `'${editor}' --wait`, VISUAL: "", TMPDIR: join(root, "tmp") };
  const save = (more: Readonly<Record<string, string>> = {}) =>
    openPane([process.execPath, program.bin, "--dir", join(root, "p"), "--home", root, "save", "greet"], {
      ...env,
      ...more,
    });
  const file = join(root, ".repertoire/skills/greet/SKILL.md");
  return { root, file, save, left: () => readdirSync(join(root, "tmp")).filter((name) => name !== ".keep") };
}

describe.skipIf(!HAS_TMUX)(`saving in a terminal${HAS_TMUX ? "" : ": tmux is not installed"}`, () => {
  it("opens the editor, whose path and arguments may be quoted, on the text that is there", async () => {
    const { file, save, left } = desk(
      `[ "$1" = --wait ] || exit 9\nshift\ncat "$1" >> "$1.seen" 2>/dev/null\n[ -s "$1" ] && sed -i 's/Say hello/Say good day/' "$1" || printf 'Greets guests.\\n\\n1. Say hello.\\n' > "$1"`,
    );
    const first = save();
    await first.ended();
    expect(readFileSync(file, "utf8")).toContain("1. Say hello.");
    const second = save();
    await second.ended();
    expect(readFileSync(file, "utf8")).toContain("1. Say good day.");
    expect(left()).toEqual([]);
  });

  it.each([
    ["leaves nothing", "exit 0"],
    ["fails", "exit 3"],
  ])("saves nothing if the editor %s", async (_, script) => {
    const { file, save, left } = desk(script);
    const pane = save();
    await pane.ended();
    expect(pane.screen()).toMatch(/nothing was saved|editor .* failed/);
    expect([existsSync(file), left()]).toEqual([false, []]);
  });

  it("says that it waits if there is no editor, and takes what is typed", async () => {
    const { file, save } = desk("exit 1");
    const pane = save({ EDITOR: "" });
    await pane.see(/Ctrl-D/);
    pane.type("Greets guests.");
    pane.press("Enter", "C-d");
    await pane.ended();
    expect(readFileSync(file, "utf8")).toContain("Greets guests.");
  });
});
