// Makes text of a model or a skill harmless for a terminal: removes sequences that move the cursor, colour, rename the
// window or reorder letters.

import { stripVTControlCharacters } from "node:util";

/** Control characters except line feeds and tabs, bidi controls and tag characters. */
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;

export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROL, "");
}
