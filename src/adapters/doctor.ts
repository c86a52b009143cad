// What `repertoire doctor` looks at: everything that can be wrong, the command that fixes it, and what can be repaired without
// any risk. Each check is one row of `CHECKS`.

import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type LibraryDiagnosis, makeFolder, PRIVATE_FOLDER, type Repertoire } from "../engine/engine.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { numberOf } from "../text/numbers.ts";
import { failureOf } from "./cli/failure.ts";

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

export interface Patient {
  readonly engine: Repertoire;
  readonly diagnosis: LibraryDiagnosis;
  readonly env: NodeJS.ProcessEnv;
  /** Whether to repair what can be repaired. */
  readonly fix: boolean;
  /** Told now and then how much of a long step is done. */
  readonly onProgress?: ((step: string, done: number, total: number) => void) | undefined;
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

/** What one check says, with what was repaired. */
export interface CheckedFinding extends Omit<Finding, "repair"> {
  readonly check: string;
  readonly canFix: boolean;
}

/** Looks at everything, and repairs what is safe if that is asked for. */
export async function examine(patient: Patient): Promise<CheckedFinding[]> {
  const found: CheckedFinding[] = [];
  for (const [check, look] of Object.entries(CHECKS))
    for (const { repair, fixed, canFix, ...finding } of await looked(look, patient))
      found.push({
        check,
        ...finding,
        canFix: repair !== undefined || canFix === true,
        fixed: fixed ?? (patient.fix ? await repair?.() : undefined),
      });
  return found;
}

/** What a check found; that it could not look is a finding, too, and keeps no other check from looking. */
async function looked(look: Check, patient: Patient): Promise<readonly Finding[]> {
  try {
    return [await look(patient)].flat();
  } catch (thrown) {
    const { message, next } = failureOf(thrown, "doctor");
    return [{ level: "error", message, fix: next.includes("doctor") ? "repair what `home` says" : next }];
  }
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

/** A full disk still takes folders and empty files. */
const TRIAL_BYTES = 4096;

/** Tries it: permissions alone do not say whether a disk is full or read-only. */
function writableHome({ engine: { turns } }: Patient): Finding {
  const folder = turns.dataDirectory;
  try {
    makeFolder(folder, PRIVATE_FOLDER);
    const trial = mkdtempSync(join(folder, ".doctor-"));
    try {
      writeFileSync(join(trial, "trial"), Buffer.alloc(TRIAL_BYTES));
    } finally {
      rmSync(trial, { recursive: true });
    }
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

/** Everything that is kept, file by file; repaired at once if that is asked for. */
async function soundState({ engine, fix, onProgress }: Patient): Promise<Finding | Finding[]> {
  const found = await engine.checkState({ fix, onProgress });
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

/** Broken files by source: the author of a source repairs it. Only an error makes a skill unusable. */
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
