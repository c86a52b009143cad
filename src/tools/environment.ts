// Chooses the environment variables of a script.

/** Harmless variables without which output would be wrong. */
const PASSED = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "TZ"];

/** Names that change how programs start; a skill cannot require them. */
const NEVER =
  /^(LD_|DYLD_|BASH_FUNC_|NODE_OPTIONS$|NODE_PATH$|BASH_ENV$|ENV$|IFS$|SHELLOPTS$|PYTHON|PERL5|RUBY|JITI_|PATH$|HOME$|TMPDIR$|PWD$|REPERTOIRE_)/;

const SYSTEM_PATH = ["/usr/local/bin", "/usr/bin", "/bin"];

interface EnvironmentQuery {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The names that the skill declares and the person agreed to. */
  readonly requires: readonly string[];
  readonly home: string;
  readonly tmp: string;
  readonly mount: string;
  /** The folder into which the script may write files. */
  readonly work: string;
  /** The interpreter's own folder, so that a script finds the program that runs it. */
  readonly programFolder: string;
}

/** The variables that a script gets. */
export function scriptEnvironment(query: EnvironmentQuery): Record<string, string> {
  const { env, requires, home, tmp, mount, work, programFolder } = query;
  const result: Record<string, string> = { LANG: "C.UTF-8" };
  for (const name of [...PASSED, ...requires.filter((name) => !NEVER.test(name))]) {
    const value = env[name];
    if (value !== undefined) result[name] = value;
  }
  return {
    ...result,
    PATH: [...new Set([programFolder, ...SYSTEM_PATH])].join(":"),
    HOME: home,
    TMPDIR: tmp,
    TERM: "dumb",
    // The package is read-only, and caches beside the source would fail or go stale.
    PYTHONDONTWRITEBYTECODE: "1",
    JITI_FS_CACHE: "false",
    REPERTOIRE_SKILL_DIR: mount,
    REPERTOIRE_WORK_DIR: work,
  };
}
