// Reads JSON of unknown origin.

/** The value that a text holds as JSON; undefined if it is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether a value is an object with keys, and not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Spaces instead of comments, so that positions in JSON.parse's messages stay right. */
export function withoutComments(text: string): string {
  const stringOrComment = /"(?:[^"\\]|\\.)*"?|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/g;
  return text.replace(stringOrComment, (found) =>
    found.startsWith('"') ? found : found.replace(/[^\n]/g, " "),
  );
}

/** Objects tried in one text: prose with many braces must not cost more than a look. */
const ATTEMPTS = 64;

/** Every whole JSON object of the text, and whether one was begun that never ends. */
export function jsonObjects(text: string): { objects: Record<string, unknown>[]; open: boolean } {
  const objects: Record<string, unknown>[] = [];
  let open = false;
  let at = text.indexOf("{");
  for (let tries = 0; at >= 0 && tries < ATTEMPTS; tries++) {
    const end = closingBrace(text, at);
    if (end === undefined) open ||= /^\{\s*"/.test(text.slice(at, at + 40));
    const value = end === undefined ? undefined : jsonIn(text.slice(at, end + 1));
    const isObject = isRecord(value);
    if (isObject) objects.push(value);
    at = text.indexOf("{", isObject && end !== undefined ? end + 1 : at + 1);
  }
  return { objects, open };
}

function closingBrace(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (quoted) {
      if (char === "\\") at++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return at;
  }
  return undefined;
}
