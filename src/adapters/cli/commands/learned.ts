// The verbs about learned skills: save, delete, restore, undo, history, rename, pin, unpin, archive.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  type Changed,
  type HistoryReport,
  type Repertoire,
  readBounded,
  readInput,
  type VersionRecord,
} from "../../../engine/engine.ts";
import { codeOf, messageOf, RepertoireError } from "../../../model/errors.ts";
import { forLine } from "../../../text/escape.ts";
import { numberOf } from "../../../text/numbers.ts";
import { positiveInteger, type Verb, type VerbOption } from "../command.ts";
import { confirmed } from "../consent-prompt.ts";
import type { Io } from "../io.ts";
import { answerEach, namesFrom } from "../names.ts";
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

interface StepFlags extends Why {
  readonly dryRun?: boolean;
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
  use: `${on ? "pin" : "unpin"} <names...>`,
  about: on ? "let nobody but you change learned skills" : "let agents change them again",
  examples: [`${on ? "pin" : "unpin"} plan-meeting`],
  async run({ io, engine }, asked: string[]) {
    const changed: Changed[] = [];
    for (const name of await learnedNames(engine, asked)) changed.push(await engine.learned.pin(name, on));
    const now = on ? "pinned: only you change it" : "not pinned: agents may change it";
    answerEach(io, changed, ({ name }) => io.line(`${name} is ${now}.`));
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
    async run({ io, engine }, name: string, { from, seeAlso, ...rest }: SaveFlags) {
      const content = from === undefined ? await typedText(io, engine, name) : read(resolve(from));
      const names = seeAlso?.split(",").map((one) => one.trim());
      const related = names && { seeAlso: names.filter(Boolean) };
      const request = { name, content, author: "person", ...rest, ...related };
      const changed = await engine.learned.save(request).catch(async (thrown: unknown) => {
        if (codeOf(thrown) !== "skill-covered" || from === undefined) throw thrown;
        const means = await confirmed(io, `${messageOf(thrown)} Save it all the same?`);
        if (!means) throw thrown;
        return engine.learned.save({ ...request, force: true });
      });
      const back = changed.result === "created" ? `repertoire delete ${changed.name}` : "repertoire undo";
      io.answer(changed, () => tellChange(io, changed, back));
    },
  },
  {
    use: "delete <names...>",
    about: "delete learned skills as one change; their versions are kept and `restore` brings them back",
    examples: ["delete plan-meeting", "delete 'draft-*' --reason 'never used'"],
    options: [REASON_OPTION],
    async run({ io, engine }, asked: string[], options: Why) {
      const names = await learnedNames(engine, asked);
      const changed = await engine.learned.batch(
        names.map((name) => ({ archive: name })),
        options,
      );
      answerEach(io, changed, (each) => tellChange(io, each, `repertoire restore ${each.name}`));
    },
  },
  {
    use: "restore <name> [version]",
    about:
      "bring back a deleted skill, or all that fit a glob, or an earlier version of one (`repertoire history NAME` lists them)",
    examples: ["restore plan-meeting", "restore 'draft-*'"],
    options: [REASON_OPTION],
    async run({ io, engine: { learned } }, name: string, version: string | undefined, options: Why) {
      const names = await namesFrom([name], async () => (await learned.archived()).map((each) => each.name));
      const changed: Changed[] = [];
      for (const each of names) changed.push(await learned.restore(each, { ...options, version }));
      answerEach(io, changed, (each) => tellChange(io, each));
    },
  },
  {
    use: "undo [target]",
    about:
      "undo the last change of your learned skills, or of one skill, or a batch or version by its id; again for the one before",
    examples: ["undo", "undo plan-meeting --dry-run"],
    options: [REASON_OPTION, ["--dry-run", "say what would be undone, and change nothing"]],
    async run({ io, engine }, target: string | undefined, { dryRun, ...options }: StepFlags) {
      if (dryRun) return tellNext(io, "undo", await engine.dreams.nextUndo(target));
      const { undone, settings } = await engine.dreams.undo(target, options);
      io.answer({ undone, settings }, () => {
        for (const title of settings) io.line(`Taken back: ${title}.`);
        tellSteps(io, undone);
        // Settings that were taken back are not made again by a redo.
        const forward = undone.length > 0 ? "Forward: repertoire redo. " : "";
        io.line(io.colour.dim(`${forward}Further back: repertoire undo`));
      });
    },
  },
  {
    use: "redo [name]",
    about: "redo the change that was undone last, of all learned skills or of one",
    examples: ["redo"],
    options: [REASON_OPTION, ["--dry-run", "say what would be done again, and change nothing"]],
    async run({ io, engine: { learned } }, name: string | undefined, { dryRun, ...options }: StepFlags) {
      if (dryRun) return tellNext(io, "redo", { versions: await learned.next("redo", name), settings: [] });
      const redone = await learned.redo(name, options);
      io.answer({ redone }, () => {
        tellSteps(io, redone);
        io.line(io.colour.dim("Back: repertoire undo"));
      });
    },
  },
  {
    use: "history <names...>",
    about: "list the versions of learned skills: who changed them, when and why; names may be globs",
    examples: ["history plan-meeting --diff", "history 'draft-*' --limit 3"],
    options: [
      ["--diff", "show what each version changed"],
      ["--limit <n>", "how many versions", positiveInteger],
    ],
    async run({ io, engine }, asked: string[], options: { diff?: boolean; limit?: number }) {
      const reports: HistoryReport[] = [];
      for (const name of await namesFrom(asked, () => engine.learned.names()))
        reports.push(await engine.learned.history(name, options));
      answerEach(io, reports, (report) => tellHistory(io, report));
    },
  },
  {
    use: "rename <old> <new>",
    about: "give a learned skill another name; the old name redirects to it",
    options: [REASON_OPTION],
    async run({ io, engine: { learned } }, old: string, name: string, options: Why) {
      const changed = await learned.rename(old, name, options);
      io.answer(changed, () => tellChange(io, changed));
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
        for (const { name, at, author, reason, data, elsewhere } of archived) {
          const into = data?.to === undefined ? "" : ` (now part of ${data.to})`;
          const where = elsewhere === undefined ? "" : ` (in ${forLine(elsewhere)}; restore it there)`;
          io.line(`${name}${into}${where}: deleted ${day(at)} by ${author}${reason ? `: ${reason}` : ""}`);
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

function tellHistory(io: Io, { name, state, total, versions, to }: HistoryReport): void {
  for (const { id, at, action, author, reason, diff } of versions) {
    const what = `${minute(at)}  ${action.padEnd(7)}  ${author}${reason ? `: ${reason}` : ""}`;
    io.line(`${io.colour.yellow(id)}  ${what}`);
    if (diff !== undefined) tellDiff(io, diff, "    ");
  }
  io.line(`${numberOf(total, "version")}; ${name} ${STATES[state]}${to === undefined ? "" : `: ${to}`}.`);
  io.line(io.colour.dim(`Back to one of them: repertoire restore ${name} ID`));
}

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
  redone: (name) => `Made the change of ${name} again.`,
};

/** Notices go to standard error; the answer says what happened and which command undoes it. */
function tellChange(io: Io, changed: Changed, back = "repertoire undo"): void {
  const { result, name, path, version, notices } = changed;
  for (const { message } of notices) io.note(`${io.colour.yellow("note")} ${message}`);
  io.line(`${RESULTS[result](name)} (${path})${version ? ` Version ${version}.` : ""}`);
  if (version) io.line(io.colour.dim(`Back: ${back}`));
}

/** What an undo or a redo has done to each skill, below the reason that they share. */
function tellSteps(io: Io, steps: readonly Changed[]): void {
  const inWords = ({ name, digest, version }: Changed) =>
    `${name} ${digest === undefined ? "is not there any more" : "is as it was"}. Version ${version}.`;
  const [first, ...others] = steps;
  if (first === undefined) return;
  const isAlone = others.length === 0;
  io.line(isAlone ? `${first.reason}: ${inWords(first)}` : `${first.reason}:`);
  if (!isAlone) for (const each of steps) io.line(`  ${inWords(each)}`);
}

function tellNext(
  io: Io,
  step: "undo" | "redo",
  {
    versions,
    settings,
  }: { readonly versions: readonly VersionRecord[]; readonly settings: readonly { title: string }[] },
): void {
  const would = versions.map(({ id, name, action, author, at, reason }) => ({
    id,
    name,
    action,
    author,
    at,
    reason,
  }));
  io.answer({ would, settings: settings.map(({ title }) => title) }, () => {
    for (const { title } of settings) io.line(`Would ${step}: ${title}`);
    for (const version of versions) io.line(`Would ${step}: ${inWords(version)}`);
  });
}

/** As `save of plan-meeting by agent, 2026-01-31 23:59 (better steps)`; a batch has one line for each skill. */
function inWords({ action, name, author, at, reason }: VersionRecord): string {
  return `${action} of ${name} by ${author}, ${minute(at)}${reason ? ` (${reason})` : ""}`;
}

/** The names of learned skills, all looked up before the first one is changed. */
function learnedNames({ library }: Repertoire, asked: readonly string[]): Promise<string[]> {
  return namesFrom(asked, async () => (await library.list()).skills.map(({ skill }) => skill.name));
}

/** What a person writes in their editor, or what is piped or typed into the command. */
async function typedText(io: Io, { library, learned }: Repertoire, name: string): Promise<string> {
  if (process.stdin.isTTY !== true) return read(undefined);
  const editor = process.env.VISUAL || process.env.EDITOR;
  if (!editor || !io.streams.terminal) {
    io.note(
      "Type the procedure, then Ctrl-D on a line of its own. (--from FILE reads a file; $EDITOR opens.)",
    );
    return read(undefined);
  }
  const known = (await library.current()).find(name);
  const before = known ? (await learned.text(known)).content : "";
  const text = editedText(editor, before);
  if (text.trim() === "" || text === before)
    throw new RepertoireError("usage", "The text is empty or unchanged, so nothing was saved.", name);
  return text;
}

/** Opens the person's editor on the text, and returns it as they leave it. */
function editedText(editor: string, before: string): string {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-"));
  try {
    const file = join(folder, "SKILL.md");
    writeFileSync(file, before, { mode: 0o600 });
    // The variable may have arguments and quoted paths: what git and others do with it, is done here.
    const isWindows = process.platform === "win32";
    const command: [string, string[]] = isWindows
      ? [`${editor} "${file}"`, []]
      : ["/bin/sh", ["-c", `${editor} "$@"`, "editor", file]];
    const { status, error } = spawnSync(...command, { stdio: "inherit", shell: isWindows });
    if (status !== 0)
      throw new RepertoireError(
        "usage",
        `The editor "${editor}" failed${error ? `: ${error.message}` : ""}. Give a file with --from.`,
        editor,
      );
    return read(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
