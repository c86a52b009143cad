// Finds our section in what a model was sent.

/** The first words of the catalog and of a message's skills. */
export const HEADS = {
  catalog: "Before work that one of these skills covers",
  message: "Skills that fit this message.",
} as const;

/** Our text from its first sentence to the end of the list below it; empty if the model was not sent it. */
export function paragraphsFrom(head: string, texts: string): string {
  const from = texts.indexOf(head);
  if (from < 0) return "";
  const lines = texts.slice(from).split("\n");
  const end = lines.findIndex((line, at) => at > 0 && line !== "" && !/^(?:- |… |\[\d+ skills )/.test(line));
  const ours = lines.slice(0, end < 0 ? undefined : end).join("\n");
  return ours.trim().replace(/<\/\w+>$/, "");
}

/** The names that a part of the section lists, in its order. */
export function namesIn(part: string): string[] {
  return [...part.matchAll(/^- ([\w./-]+)/gm)].map(([, name]) => name!);
}
