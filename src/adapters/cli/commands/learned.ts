// The verbs about learned skills: save, delete, restore, undo, history, rename, pin, unpin, archive.

import { resolve } from "node:path";
import { type Changed, type HistoryReport, readBounded, readInput } from "../../../engine/engine.ts";
import { codeOf, messageOf, RepertoireError } from "../../../model/errors.ts";
import { positiveInteger, type Verb, type VerbOption } from "../command.ts";
import { confirmed } from "../consent-prompt.ts";
import type { Io } from "../io.ts";
import { day, minute, tellDiff } from "../tell.ts";

interface SaveFlags {
  readonly from?: string;
  readonly description?: string;
  readonly summary?: string;
  readonly seeAlso?: string;
  readonly reason?: string;
  readonly project?: boolean;
  readonly allowUnsafe?: boolean;
  readonly force?: boolean;
}

interface Why {
  readonly reason?: string;
}

const STATES: Readonly<Record<HistoryReport["state"], string>> = {
  there: "is the same as the newest version",
  archived: "is deleted",
  renamed: "has another name now",
  "edited-outside":
    "was edited outside Repertoire since the newest version; the next change records that edit as a version",
};

const REASON_OPTION: VerbOption = ["--reason <text>", "why, for the history"];

const pinning = (on: boolean): Verb => ({
  use: `${on ? "pin" : "unpin"} <name>`,
  about: on ? "let nobody but you change a learned skill" : "let agents change it again",
  async run({ io, engine }, name: string) {
    const changed = await engine.learned.pin(name, on);
    const now = on ? "pinned: only you change it" : "not pinned: agents may change it";
    io.answer(changed, () => io.line(`${changed.name} is ${now}.`));
  },
});

export const LEARNED_VERBS: readonly Verb[] = [
  {
    use: "save <name>",
    about: "save a procedure as a learned skill, or change one; the text comes from --from or standard input",
    options: [
      ["--from <file>", "a SKILL.md, or the procedure alone (default: standard input)"],
      ["--description <text>", "what it does and when to use it (default: what the text says)"],
      ["--summary <text>", "one line, at most 15 words"],
      ["--see-also <names>", "related skills, separated by commas"],
      REASON_OPTION,
      ["--project", "into the project's .repertoire/skills instead of your home folder's"],
      ["--allow-unsafe", "save it even if it looks dangerous"],
      ["--force", "save it even if it is then used instead of a skill of another source"],
    ],
    async run({ io, engine: { learned } }, name: string, { from, seeAlso, ...rest }: SaveFlags) {
      const content = read(from === undefined ? undefined : resolve(from));
      const names = seeAlso?.split(",").map((one) => one.trim());
      const related = names && { seeAlso: names.filter(Boolean) };
      const request = { name, content, author: "person", ...rest, ...related };
      const changed = await learned.save(request).catch(async (thrown: unknown) => {
        if (codeOf(thrown) !== "skill-covered" || from === undefined) throw thrown;
        const means = await confirmed(io, `${messageOf(thrown)} Save it all the same?`);
        if (!means) throw thrown;
        return learned.save({ ...request, force: true });
      });
      const back = changed.result === "created" ? `repertoire delete ${changed.name}` : "repertoire undo";
      tellChange(io, changed, back);
    },
  },
  {
    use: "delete <name>",
    about: "delete a learned skill; its versions are kept and `restore` brings it back",
    options: [REASON_OPTION],
    async run({ io, engine: { learned } }, name: string, options: Why) {
      const changed = await learned.delete(name, options);
      tellChange(io, changed, `repertoire restore ${changed.name}`);
    },
  },
  {
    use: "restore <name> [version]",
    about: "bring back a deleted skill, or an earlier version of one (`repertoire history NAME` lists them)",
    options: [REASON_OPTION],
    async run({ io, engine: { learned } }, name: string, version: string | undefined, options: Why) {
      tellChange(io, await learned.restore(name, { ...options, version }));
    },
  },
  {
    use: "undo [target]",
    about:
      "undo the last change of your learned skills, or of one skill, or a batch or version by its id; undo again to redo",
    options: [REASON_OPTION],
    async run({ io, engine: { dreams } }, target: string | undefined, options: Why) {
      const { undone, settings } = await dreams.undo(target, options);
      io.answer({ undone, settings }, () => {
        for (const title of settings) io.line(`Taken back: ${title}.`);
        for (const { name, digest, version } of undone) {
          const state = digest === undefined ? "is gone again" : "is as it was before";
          io.line(`${name} ${state}. Version ${version}.`);
        }
        io.line(io.colour.dim("Redo: repertoire undo. Earlier versions: repertoire history NAME"));
      });
    },
  },
  {
    use: "history <name>",
    about: "list the versions of a learned skill: who changed it, when and why",
    options: [
      ["--diff", "show what each version changed"],
      ["--limit <n>", "how many versions", positiveInteger],
    ],
    async run({ io, engine }, asked: string, options: { diff?: boolean; limit?: number }) {
      const report = await engine.learned.history(asked, options);
      io.answer(report, () => {
        const { name, state, total, versions } = report;
        for (const { id, at, action, author, reason, diff } of versions) {
          const what = `${minute(at)}  ${action.padEnd(7)}  ${author}${reason ? `: ${reason}` : ""}`;
          io.line(`${io.colour.yellow(id)}  ${what}`);
          if (diff !== undefined) tellDiff(io, diff, "    ");
        }
        const to = report.to === undefined ? "" : `: ${report.to}`;
        io.line(`${total} versions; ${name} ${STATES[state]}${to}.`);
        io.line(io.colour.dim(`Back to one of them: repertoire restore ${name} ID`));
      });
    },
  },
  {
    use: "rename <old> <new>",
    about: "give a learned skill another name; the old name redirects to it",
    options: [REASON_OPTION],
    async run({ io, engine: { learned } }, old: string, name: string, options: Why) {
      tellChange(io, await learned.rename(old, name, options));
    },
  },
  pinning(true),
  pinning(false),
  {
    use: "archive",
    about: "list the learned skills that were deleted and can be restored",
    options: [["--list", "list them (the default)"]],
    async run({ io, engine }) {
      const archived = await engine.learned.archived();
      io.answer({ archived }, () => {
        for (const { name, at, author, reason, data } of archived) {
          const into = data?.to === undefined ? "" : ` (now part of ${data.to})`;
          io.line(`${name}${into}: deleted ${day(at)} by ${author}${reason ? `: ${reason}` : ""}`);
        }
        io.line(
          archived.length === 0
            ? "Nothing is archived."
            : `${archived.length} archived; bring one back with repertoire restore NAME.`,
        );
      });
    },
  },
];

/** Far more than a SKILL.md may have, so that the answer to one that is too long says so. */
const SKILL_BYTES = 4 * 1024 * 1024;

function read(path: string | undefined): string {
  try {
    return (
      path === undefined ? readInput(0, SKILL_BYTES) : readBounded(path, { maxBytes: SKILL_BYTES })
    ).toString("utf8");
  } catch (thrown) {
    throw new RepertoireError(
      "usage",
      `The text cannot be read: ${messageOf(thrown)}. Give a file with --from.`,
      path,
    );
  }
}

const RESULTS: Readonly<Record<Changed["result"], (name: string) => string>> = {
  created: (name) => `Saved ${name}, a new skill.`,
  updated: (name) => `Saved ${name}.`,
  unchanged: (name) => `${name} has this content already; nothing was changed.`,
  archived: (name) => `Deleted ${name}; its versions are kept.`,
  renamed: (name) => `Renamed to ${name}; the old name redirects to it.`,
  restored: (name) => `Restored ${name}.`,
  undone: (name) => `Undid the last change of ${name}.`,
};

/** Notices go to standard error; the answer says what happened and which command undoes it. */
function tellChange(io: Io, changed: Changed, back = "repertoire undo"): void {
  const { result, name, path, version, notices } = changed;
  io.answer(changed, () => {
    for (const { message } of notices) io.note(`${io.colour.yellow("note")} ${message}`);
    io.line(`${RESULTS[result](name)} (${path})${version ? ` Version ${version}.` : ""}`);
    if (version) io.line(io.colour.dim(`Back: ${back}`));
  });
}
