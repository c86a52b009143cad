// Finds the verb of a command line before its grammar is loaded, so that only what the verb needs is loaded.

const FLAGS_WITH_VALUE: readonly string[] = ["--dir", "--home", "--agent", "--config"];

/** The first word that is neither a flag nor the value of one. */
export function verbOf(args: readonly string[]): string | undefined {
  return args.find((word, at) => !word.startsWith("-") && !FLAGS_WITH_VALUE.includes(args[at - 1] ?? ""));
}
