import { expect, it } from "vitest";
import { cutToWidth, textWidth } from "./width.ts";

it.each([
  ["", 0],
  ["plain", 5],
  ["naïve", 5],
  ["nai\u0308ve", 5],
  ["表格", 4],
  ["한국어", 6],
  ["カタカナ", 8],
  ["ｆｕｌｌ", 8],
  ["ﾊﾝｶｸ", 4],
  ["👩‍👩‍👧 x", 4],
  ["🇩🇪", 2],
  ["✔ done", 6],
  ["✔️ done", 7],
  ["…", 1],
  ["soft\u00adhyphen", 10],
  ["“quoted” — text", 15],
  ["שלום", 4],
] as const)("%j takes %d columns", (text, columns) => {
  expect(textWidth(text)).toBe(columns);
});

it("a text is cut between characters, and never takes more than it may", () => {
  expect(cutToWidth("表格 tables", 5)).toBe("表格 ");
  expect(cutToWidth("表格 tables", 3)).toBe("表");
  expect(cutToWidth("👩‍👩‍👧👩‍👩‍👧", 3)).toBe("👩‍👩‍👧");
  expect(cutToWidth("plain", 3)).toBe("pla");
  expect(cutToWidth("表", 9)).toBe("表");
});
