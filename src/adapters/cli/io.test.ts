import { expect, it, onTestFinished, vi } from "vitest";
import { progressDisplay } from "./io.ts";

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
