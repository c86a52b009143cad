import { describe, expect, test } from "vitest";
import { namesFor, workspace } from "../../test/recall-workspace.ts";
import { skillText } from "../../test/skill-tree.ts";
import { tasksIn } from "./tasks.ts";

const CODES = {
  "qr-codes": skillText("Make QR codes and barcodes for labels, menus and tickets as PNG or SVG images."),
  "garden-calendar": skillText("Say when to sow, plant and harvest vegetables."),
};

describe("the tasks that a message asks for", () => {
  test.each([
    ["decode the barcode on this label", ["decod"]],
    ["here is a PDF, please split it and upload the parts", ["split", "upload"]],
    ["I need help to get rid of it.\nTranscribing the interview", ["transcrib"]],
  ])("are found in %j", (message, verbs) => {
    expect(tasksIn(message).map(([first]) => first)).toEqual(verbs);
  });

  test.each([
    "the download fails",
    "our last merge broke it",
    "a service with create, read, update, delete, and validation",
    "the translated page looks odd",
    "hello",
  ])("are none in %j", (message) => {
    expect(tasksIn(message)).toEqual([]);
  });
});

describe("a skill for the same thing and another task", () => {
  test("is not recalled", async () => {
    const space = workspace(CODES);
    expect(await namesFor(space.open(), "make a barcode for this label")).toEqual(["qr-codes"]);
    expect(await namesFor(space.open(), "decode the barcode on this photo")).toEqual([]);
  });

  test("is behind one for the task", async () => {
    const space = workspace({
      ...CODES,
      "label-reader": skillText("Scan photos of parcels and return what their labels and barcodes say."),
    });
    const names = await namesFor(space.open(), "decode the barcodes on the labels of these parcels");
    expect(names[0]).toBe("label-reader");
  });

  test("is recalled if the message also asks for what it does", async () => {
    const space = workspace({
      ...CODES,
      "pdf-split": skillText("Split PDF files into chapters and merge scanned pages into one PDF file."),
    });
    expect(await namesFor(space.open(), "split the PDF file into chapters and upload them")).toEqual([
      "pdf-split",
    ]);
  });
});
