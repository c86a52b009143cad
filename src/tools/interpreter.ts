// Chooses the program that runs a script from its shebang or extension, by an allowlist, as an absolute path.

import { access, constants, readdir, realpath } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, extname, isAbsolute, join } from "node:path";
import { isInside } from "../disk/disk.ts";
import { codeOf } from "../model/errors.ts";

type Language = "sh" | "bash" | "node" | "typescript" | "python3" | "perl" | "ruby";

/** For each language, the accepted names and options in a shebang, and the programs that run it. */
const LANGUAGES: Readonly<Record<Language, { names: RegExp; flags: RegExp; programs: readonly string[] }>> = {
  sh: { names: /^(sh|dash)$/, flags: /^-[eux]+$/, programs: ["sh"] },
  bash: { names: /^bash$/, flags: /^-[eux]+$/, programs: ["bash"] },
  node: { names: /^(node|nodejs)$/, flags: /^--(no-warnings|enable-source-maps)$/, programs: ["node"] },
  typescript: { names: /^(tsx|ts-node|jiti)$/, flags: /^$/, programs: ["node"] },
  python3: { names: /^python(3(\.\d+)?)?$/, flags: /^-[uBEIsS]+$/, programs: ["python3", "python"] },
  perl: { names: /^perl$/, flags: /^-[wT]+$/, programs: ["perl"] },
  ruby: { names: /^ruby$/, flags: /^-w$/, programs: ["ruby"] },
};

/** Languages by extension. `.sh` without a shebang means bash, or sh if bash is not installed. */
export const EXTENSIONS: ReadonlyMap<string, Language> = new Map([
  [".sh", "bash"],
  [".js", "node"],
  [".mjs", "node"],
  [".cjs", "node"],
  [".ts", "typescript"],
  [".mts", "typescript"],
  [".py", "python3"],
]);

/** A shebang's program must be in a folder of the system, not in a folder that anyone can write. */
const PROGRAM_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];
const ENV_PROGRAMS = ["/usr/bin/env", "/bin/env"];

export interface Interpreter {
  readonly command: string;
  /** Options of the interpreter, before the script's path. */
  readonly options: readonly string[];
  /** Files and folders outside the system's folders that the interpreter needs, read-only. */
  readonly needs: readonly string[];
}

type InterpreterResult =
  | { readonly ok: true; readonly interpreter: Interpreter }
  | { readonly ok: false; readonly message: string };

/** Where programs are searched. */
export interface ProgramPlaces {
  readonly searchPath: string;
  /** Folders from which no program is used: the working directory and the package. */
  readonly avoid: readonly string[];
}

interface InterpreterQuery extends ProgramPlaces {
  readonly file: string;
  readonly firstLine: string;
  /** Absolute paths that a person set for a language: `{ python3: "/srv/venv/bin/python" }`. */
  readonly chosen: Readonly<Record<string, string>>;
}

/** Chooses the interpreter of a script, or says why it is not run. */
export async function chooseInterpreter(query: InterpreterQuery): Promise<InterpreterResult> {
  const choice = query.firstLine.startsWith("#!") ? fromShebang(query) : fromExtension(query.file);
  if (!choice.ok) return choice;
  const { language, flags } = choice;
  const command = await findProgram(language, query);
  if (command === undefined) {
    const names = LANGUAGES[language].programs.join(" or ");
    return {
      ok: false,
      message: `${basename(query.file)} needs ${names}, which is not installed. Install it first.`,
    };
  }
  const needs = await installationOf(command);
  if (language !== "typescript") return { ok: true, interpreter: { command, options: flags, needs } };
  const loader = typescriptLoader();
  return {
    ok: true,
    interpreter: { command, options: [join(loader, "lib", "jiti-cli.mjs")], needs: [...needs, loader] },
  };
}

/** The folder of jiti, which runs TypeScript. */
export function typescriptLoader(): string {
  return dirname(createRequire(import.meta.filename).resolve("jiti/package.json"));
}

type Choice =
  | { readonly ok: true; readonly language: Language; readonly flags: readonly string[] }
  | { readonly ok: false; readonly message: string };

function fromShebang({ file, firstLine }: InterpreterQuery): Choice {
  let words = firstLine.slice(2).trim().split(/\s+/);
  const program = words[0] ?? "";
  const viaEnv = ENV_PROGRAMS.includes(program);
  if (viaEnv) words = words.slice(words[1] === "-S" ? 2 : 1);
  const [name = "", ...flags] = words;
  const placed = viaEnv ? !name.includes("/") : PROGRAM_FOLDERS.includes(dirname(name));
  const languages = Object.keys(LANGUAGES) as Language[];
  const language = languages.find((each) => LANGUAGES[each].names.test(basename(name)));
  if (!placed || !language || !flags.every((flag) => LANGUAGES[language].flags.test(flag))) {
    return {
      ok: false,
      message: `${basename(file)} begins with "${firstLine.trim()}", which is not allowed. Use #!/usr/bin/env NAME with one of: ${languages.join(", ")}.`,
    };
  }
  // Running a TypeScript file with plain node needs a newer Node than we require.
  const typed = language === "node" && EXTENSIONS.get(extname(file)) === "typescript";
  return { ok: true, language: typed ? "typescript" : language, flags: typed ? [] : flags };
}

function fromExtension(file: string): Choice {
  const language = EXTENSIONS.get(extname(file));
  if (language) return { ok: true, language, flags: [] };
  const known = [...EXTENSIONS.keys()].join(" ");
  return {
    ok: false,
    message: `${basename(file)} is not a script: it has no shebang and none of the extensions ${known}.`,
  };
}

async function findProgram(language: Language, query: InterpreterQuery): Promise<string | undefined> {
  const chosen = query.chosen[language] ?? (language === "typescript" ? query.chosen.node : undefined);
  if (chosen !== undefined) return isAbsolute(chosen) && (await isProgram(chosen)) ? chosen : undefined;
  const { programs } = LANGUAGES[language];
  if (programs.includes("node") && /^node/.test(basename(process.execPath))) return process.execPath;
  for (const program of programs) {
    const found = await findOnSystem(program, query);
    if (found) return found;
  }
  return language === "bash" ? findOnSystem("sh", query) : undefined;
}

/** Searches the system's folders first, then absolute entries of the search path outside the folders to avoid. */
export async function findOnSystem(
  program: string,
  { searchPath, avoid }: ProgramPlaces,
): Promise<string | undefined> {
  for (const folder of PROGRAM_FOLDERS) {
    const path = join(folder, program);
    if (await isProgram(path)) return path;
  }
  for (const folder of searchPath.split(delimiter).filter((entry) => isAbsolute(entry))) {
    const path = join(folder, program);
    if (!(await isProgram(path))) continue;
    const real = await realpath(path);
    const planted = avoid.some((place) => isInside(place, path) || isInside(place, real));
    if (!planted) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return false;
  }
}

const SYSTEM = /^\/(usr|bin|sbin|lib\w*|nix\/store)\//;
const RUNTIME_PARTS = /^(python3|libpython|libnode|ruby|libruby|perl5|libperl)/;

/**
 * The files that an interpreter outside the system's folders (nvm, pyenv, a virtual environment) needs: the program and
 * its language's library, never the whole prefix, which may be a home folder.
 */
async function installationOf(command: string): Promise<string[]> {
  const needs: string[] = [];
  for (const program of new Set([command, await realpath(command)])) {
    if (SYSTEM.test(program)) continue;
    const prefix = dirname(dirname(program));
    needs.push(program, join(prefix, "pyvenv.cfg"));
    for (const folder of ["lib", "lib64"]) {
      for (const part of await namesIn(join(prefix, folder))) {
        if (RUNTIME_PARTS.test(part)) needs.push(join(prefix, folder, part));
      }
    }
  }
  return needs;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(codeOf(error))) return [];
    throw error;
  }
}
