// How many columns of a terminal a text takes: characters of East Asian scripts and emoji take two, marks none.

/** Latin letters and the punctuation of running text: one column each, without looking at them one by one. */
const PLAIN = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e]*$/;
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const NOTHING = /^[\p{M}\p{Cf}]*$/u;

/**
 * The columns that a text takes on a terminal.
 *
 * @example
 * textWidth("表 tables"); // 9
 */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) width += columnsOf(segment);
  return width;
}

/**
 * The beginning of a text that takes at most this many columns.
 *
 * @example
 * cutToWidth("表格 tables", 5); // "表格 "
 */
export function cutToWidth(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, columns);
  let left = columns;
  for (const { segment, index } of new Intl.Segmenter().segment(text)) {
    left -= columnsOf(segment);
    if (left < 0) return text.slice(0, index);
  }
  return text;
}

/** Of one character as a person sees it, which may be several code points. */
function columnsOf(character: string): number {
  if (WIDE.test(character)) return 2;
  return NOTHING.test(character) ? 0 : 1;
}
