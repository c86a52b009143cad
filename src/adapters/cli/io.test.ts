import { expect, it, onTestFinished, vi } from "vitest";
import { textWidth } from "../../text/width.ts";
import { Io, progressDisplay } from "./io.ts";

it("progress is silent for the first second of every scan, however long the program lives", () => {
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  let shown = "";
  const streams = { out: () => {}, err: (text: string) => (shown += text), terminal: false, width: 80 };
  const progress = progressDisplay(streams, "reading skills");
  progress(10, 20);
  vi.setSystemTime(2_000);
  progress(20, 20);
  expect(shown).toBe("reading skills 20/20\n");
  shown = "";
  vi.setSystemTime(60_000);
  progress(10, 20);
  progress(20, 20);
  expect(shown).toBe("");
});

it("columns stay in line and inside the terminal, whatever the script", () => {
  let shown = "";
  const streams = { out: (text: string) => (shown += text), err: () => {}, terminal: false, width: 30 };
  new Io(streams, false).table([
    ["NAME", "DESCRIPTION"],
    ["表格", "从 PDF 文件中提取表格并写入电子表格，然后检查"],
    ["emoji", "🚀🚀🚀 launches 🚀🚀🚀🚀🚀🚀🚀🚀"],
    ["plain", "Extracts tables from PDF files into sheets."],
  ]);
  const lines = shown.trimEnd().split("\n");
  expect(lines.map(textWidth).every((width) => width <= 30)).toBe(true);
  const starts = lines.map((line) => textWidth(line.slice(0, line.search(/(?<= {2})\S/))));
  expect(new Set(starts).size).toBe(1);
});
