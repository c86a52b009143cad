// `repertoire doctor`: looks at everything that can be wrong, names the command that fixes it, and with --fix does what is
// safe. Each check is one row of `CHECKS`.

import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import {
  type LibraryDiagnosis,
  makeFolder,
  PRIVATE_FOLDER,
  type Repertoire,
} from "../../../engine/engine.ts";
import type { Diagnostic } from "../../../model/diagnostic.ts";
import { forLine } from "../../../text/escape.ts";
import { EXIT, type Verb } from "../command.ts";
import { failureOf } from "../failure.ts";
import type { Io } from "../io.ts";
import { numberOf, tellWorrying, verdictCounts } from "../tell.ts";
import { tellUnavailable } from "./list.ts";

/** What a check found: `note` is worth knowing, `warning` limits something, `error` is broken. */
interface Finding {
  readonly level: "ok" | "note" | "warning" | "error";
  readonly message: string;
  /** What is wrong with which file, for a finding about what is kept. */
  readonly code?: string | undefined;
  readonly path?: string | undefined;
  /** The command that fixes it, or what a person does. */
  readonly fix?: string | undefined;
  /** Fixes it without any risk, and returns what was done. */
  readonly repair?: (() => string | Promise<string>) | undefined;
  /** For what the check itself fixes when it is asked to: whether it can, and what it did. */
  readonly canFix?: boolean | undefined;
  readonly fixed?: string | undefined;
}

interface Patient {
  readonly engine: Repertoire;
  readonly diagnosis: LibraryDiagnosis;
  readonly env: NodeJS.ProcessEnv;
  /** Whether to repair what can be repaired. */
  readonly fix: boolean;
}

type Check = (patient: Patient) => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>;

const CHECKS: Readonly<Record<string, Check>> = {
  node: () => ({ level: "ok", message: `Node ${process.version}` }),
  command: onPath,
  home: writableHome,
  permissions: closedHome,
  configuration: ({ diagnosis: { config } }) => ({
    level: "ok",
    message: config.length > 0 ? config.join(", ") : "none, so all keys have their defaults",
  }),
  project: trustedProject,
  state: soundState,
  index: currentIndex,
  sandbox: availableSandbox,
  model: ({ engine: { config } }) =>
    config.model.kind === "none"
      ? {
          level: "note",
          message: "none; recall needs none",
          fix: 'set "model.kind" to let dreams and chats think',
        }
      : { level: "ok", message: `${config.model.kind} ${config.model.name ?? ""}`.trim() },
  skills: brokenSkills,
};

export const doctorVerb: Verb = {
  use: "doctor",
  about:
    "look at everything that can be wrong, with the command that fixes it; exits 1 when something is broken",
  examples: ["doctor", "doctor --fix"],
  options: [
    ["--fix", "mend what can be mended without loss; damaged files are kept beside the new ones"],
    ["--all", "show every finding about the files of skills"],
  ],
  async run({ io, engine }, options: { fix?: boolean; all?: boolean }) {
    const { skills } = await engine.library.list();
    const diagnosis = await engine.library.diagnosis();
    const patient: Patient = { engine, diagnosis, env: process.env, fix: options.fix === true };
    const found: (Finding & { readonly check: string })[] = [];
    for (const [check, look] of Object.entries(CHECKS))
      for (const finding of await looked(look, patient))
        found.push({ check, ...finding, fixed: await fixedNow(finding, patient) });
    const checks = found.map(({ repair, ...rest }) => ({
      ...rest,
      canFix: repair !== undefined || rest.canFix === true,
    }));
    const problems = diagnosis.diagnostics.filter(({ severity }) => severity !== "info");
    const errors = problems.filter(({ severity }) => severity === "error").length;
    const { hostReports } = await import("../../hooks/setup/installed.ts");
    const { placesOf, tellHosts } = await import("./setup.ts");
    const hosts = await hostReports(placesOf(engine, { writes: false }));
    io.answer({ node: process.version, ...diagnosis, checks, hosts }, () => {
      for (const finding of found) tellFinding(io, finding);
      tellHosts(io, hosts);
      io.table([
        ["SOURCE", "SKILLS", "FOLDER"],
        ...diagnosis.sources.map(({ id, skills: count, root }) => [id, String(count), root]),
      ]);
      const states = Object.entries(diagnosis.counts).map(([state, count]) => `${count} ${state}`);
      io.line(states.join(", "));
      tellUnavailable(io, skills);
      if (options.all) for (const problem of problems) io.line(io.finding(problem));
      tellConflicts(io, diagnosis.diagnostics);
      tellWorrying(io, diagnosis.inspection);
      io.line(verdictCounts(io, diagnosis.inspection));
      io.line(
        problems.length === 0
          ? io.colour.green("No file of a skill is broken.")
          : `${numberOf(errors, "error")}, ${numberOf(problems.length - errors, "warning")} about files of skills${options.all ? "" : "; --all shows each"}.`,
      );
      if (!options.fix && found.some((each) => canBeFixed(each) && each.fixed === undefined))
        io.line("`repertoire doctor --fix` repairs what is marked with *.");
    });
    const isBroken = found.some(({ level, fixed }) => level === "error" && fixed === undefined);
    return isBroken ? EXIT.findings : EXIT.ok;
  },
};

/** What a check found; that it could not look is a finding, too, and keeps no other check from looking. */
async function looked(look: Check, patient: Patient): Promise<readonly Finding[]> {
  try {
    return [await look(patient)].flat();
  } catch (thrown) {
    const { message, next } = failureOf(thrown, "doctor");
    return [{ level: "error", message, fix: next.includes("doctor") ? "repair what `home` says" : next }];
  }
}

async function fixedNow({ repair, fixed }: Finding, { fix }: Patient): Promise<string | undefined> {
  return fixed ?? (fix ? await repair?.() : undefined);
}

function canBeFixed({ repair, canFix }: Finding): boolean {
  return repair !== undefined || canFix === true;
}

function tellFinding(io: Io, finding: Finding & { readonly check: string }): void {
  const { check, level, message, fix, fixed } = finding;
  const { green, dim, yellow, red, cyan } = io.colour;
  const mark = { ok: green("ok"), note: dim("note"), warning: yellow("warning"), error: red("error") }[level];
  io.line(`${mark}${canBeFixed(finding) ? "*" : ""} ${check}: ${forLine(message)}`);
  if (fixed !== undefined) io.line(`  ${green("fixed:")} ${forLine(fixed)}`);
  else if (fix !== undefined) io.line(`  ${cyan("fix:")} ${forLine(fix)}`);
}

function onPath({ env }: Patient): Finding {
  const names = process.platform === "win32" ? ["repertoire.cmd", "repertoire"] : ["repertoire"];
  const folder = (env.PATH ?? "")
    .split(delimiter)
    .find((each) => each !== "" && names.some((name) => existsSync(join(each, name))));
  return folder === undefined
    ? {
        level: "note",
        message: "`repertoire` is not on the PATH",
        fix: "npm link, or npm install --global repertoire",
      }
    : { level: "ok", message: join(folder, "repertoire") };
}

/** Tries it: permissions alone do not say whether a disk is full or read-only. */
function writableHome({ engine: { turns } }: Patient): Finding {
  const folder = turns.dataDirectory;
  try {
    makeFolder(folder, PRIVATE_FOLDER);
    const trial = mkdtempSync(join(folder, ".doctor-"));
    rmSync(trial, { recursive: true });
    return { level: "ok", message: `${folder} can be written` };
  } catch (thrown) {
    return {
      level: "error",
      message: failureOf(thrown, "doctor").message,
      fix: "name another home folder with --home or REPERTOIRE_HOME, or make this one writable",
    };
  }
}

const OTHERS = 0o077;

function closedHome({ engine: { turns } }: Patient): Finding {
  const folder = turns.dataDirectory;
  const stats = existsSync(folder) ? statSync(folder) : undefined;
  const isOpen = stats !== undefined && process.platform !== "win32" && (stats.mode & OTHERS) !== 0;
  if (!isOpen) return { level: "ok", message: "what Repertoire keeps is yours alone" };
  return {
    level: "warning",
    message: `others on this machine can read ${folder}`,
    fix: `chmod 700 ${folder}`,
    repair: () => {
      chmodSync(folder, PRIVATE_FOLDER);
      return `${folder} is yours alone now`;
    },
  };
}

function trustedProject({ diagnosis: { project } }: Patient): Finding {
  const hosts = Object.entries(project.hosts).map(([host, decision]) => `${host} ${decision}`);
  const own = project.trusted ? "trusted by you" : "not trusted by you";
  const message = `${project.folder}: skills ${project.shown ? "shown" : "not shown"}; ${own}; hosts: ${hosts.join(", ")}`;
  return project.shown
    ? { level: "ok", message }
    : { level: "note", message, fix: "repertoire trust --project" };
}

/** Everything that is kept, file by file; mended at once if that is asked for. */
async function soundState({ engine, fix }: Patient): Promise<Finding | Finding[]> {
  const found = await engine.checkState({ fix });
  if (found.length === 0) return { level: "ok", message: "what is kept is whole" };
  return found.map(({ severity, canFix, message, path, ...rest }) => ({
    ...rest,
    path,
    level: severity,
    message: message.includes(path) ? message : `${path}: ${message}`,
    canFix,
  }));
}

async function currentIndex({ engine: { library, turns } }: Patient): Promise<Finding> {
  const repair = async () => {
    const { skills, unencoded } = await library.index();
    return `${numberOf(skills, "skill")} indexed, ${unencoded} not encoded`;
  };
  const { cacheDir } = turns.config;
  if (cacheDir === undefined)
    return {
      level: "warning",
      message: "there is no cache, so every command reads every skill",
      fix: "remove `cache: false`",
    };
  if (!existsSync(cacheDir))
    return {
      level: "note",
      message: "not built yet; the first recall builds it",
      fix: "repertoire index",
      repair,
    };
  const { unencoded } = await library.index({ encode: 0 });
  return unencoded === 0
    ? { level: "ok", message: "up to date" }
    : {
        level: "note",
        message: `${numberOf(unencoded, "skill")} not encoded, so recall is less accurate`,
        fix: "repertoire index --encode",
        repair,
      };
}

async function availableSandbox({ engine: { tasks } }: Patient): Promise<Finding> {
  let has: boolean;
  try {
    has = await tasks.hasSandbox();
  } catch (thrown) {
    return { level: "note", message: `could not be tried: ${failureOf(thrown, "doctor").message}` };
  }
  return has
    ? { level: "ok", message: "scripts of skills run in a sandbox" }
    : {
        level: "warning",
        message: "there is no sandbox, so scripts and toolsets of skills are refused",
        fix: process.platform === "linux" ? "apt install bubblewrap" : "see the guide to activation",
      };
}

/** Broken files by source: whoever wrote a source mends it, and only errors take a skill away. */
function brokenSkills({ diagnosis: { diagnostics, sources } }: Patient): Finding[] {
  const below = (root: string) => diagnostics.filter(({ path }) => path.startsWith(`${root}/`));
  const findings = sources.flatMap(({ id, root }): Finding[] => {
    const own = below(root);
    const errors = own.filter(({ severity }) => severity === "error");
    const warnings = own.filter(({ severity }) => severity === "warning");
    if (errors.length + warnings.length === 0) return [];
    const parts = [
      ...(errors.length > 0
        ? [`${numberOf(errors.length, "file")} cannot be used (${codesOf(errors)})`]
        : []),
      ...(warnings.length > 0 ? [`${numberOf(warnings.length, "warning")} (${codesOf(warnings)})`] : []),
    ];
    return [
      {
        level: errors.length > 0 ? "error" : "note",
        message: `${id}: ${parts.join(", ")}`,
        fix: `repertoire check ${root}`,
      },
    ];
  });
  const elsewhere = diagnostics.filter(
    ({ severity, path }) => severity !== "info" && !sources.some(({ root }) => path.startsWith(`${root}/`)),
  );
  const others = elsewhere.map(
    ({ severity, message, fix }): Finding => ({
      level: severity === "error" ? "error" : "warning",
      message,
      fix,
    }),
  );
  return findings.length + others.length > 0
    ? [...findings, ...others]
    : [{ level: "ok", message: "every file of a skill can be used" }];
}

function codesOf(diagnostics: readonly Diagnostic[]): string {
  const counts = new Map<string, number>();
  for (const { code } of diagnostics) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].map(([code, count]) => (count === 1 ? code : `${count} ${code}`)).join(", ");
}

/** Phrases that several skills declare are no error; who wins may still surprise. */
const CONFLICTS_SHOWN = 10;

function tellConflicts(io: Io, diagnostics: readonly Diagnostic[]): void {
  const conflicts = diagnostics.filter(({ code }) => code === "trigger-conflict");
  for (const { message } of conflicts.slice(0, CONFLICTS_SHOWN))
    io.line(`${io.colour.dim("conflict")} ${message}`);
  const more = conflicts.length - CONFLICTS_SHOWN;
  if (more > 0) io.line(io.colour.dim(`${more} more conflicts: repertoire doctor --json`));
}
