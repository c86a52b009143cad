import { describe, expect, test } from "vitest";
import { codeOf } from "../model/errors.ts";
import { bundledTablePath, type EmbedderKind, openEmbedder } from "./embedders.ts";

const codeFrom = async (opening: Promise<unknown>): Promise<string> =>
  opening.then(
    () => "",
    (thrown: unknown) => codeOf(thrown),
  );

describe("openEmbedder", () => {
  test("opens local with the table of the package", async () => {
    const [vector] = await (await openEmbedder("local")).embed(["hello world"]);
    expect(Math.hypot(...vector!)).toBeCloseTo(1, 5);
  });

  test("opens none, which returns empty vectors", async () => {
    const none = await openEmbedder("none");
    expect(none.dimensions).toBe(0);
    expect(await none.embed(["a", "b"])).toEqual([new Float32Array(0), new Float32Array(0)]);
  });

  test("refuses openai-compatible without an endpoint, and unknown kinds", async () => {
    expect(await codeFrom(openEmbedder("openai-compatible"))).toBe("embedder-endpoint-missing");
    expect(await codeFrom(openEmbedder("telepathy" as EmbedderKind))).toBe("embedder-unknown");
  });

  test("finds the table from the sources and from a bundle", () => {
    expect(bundledTablePath("/p/src/embedders/embedders.ts")).toBe("/p/data/embedding/table.bin");
    expect(bundledTablePath("/p/dist/index.js")).toBe("/p/data/embedding/table.bin");
  });
});
