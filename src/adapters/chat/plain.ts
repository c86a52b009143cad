// Owns making text of a model or a skill harmless for a terminal: no sequence that moves the cursor, colours, renames
// the window or reorders letters survives. Does not own text for prompts: `text/escape.ts` does.

import { stripVTControlCharacters } from "node:util";

/** Line feeds and tabs are text; every other control, bidi controls and tag characters are not. */
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;

export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROL, "");
}
