import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headOf } from "./decode.ts";
import { parseManifest, parseSkill } from "./parse.ts";

const FIXTURES = "test/fixtures/conformance";
const LONG_BODY = `\n${"A line of the body. ".repeat(200)}\n`;

function skillFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? skillFiles(path) : path.toLowerCase().endsWith("skill.md") ? [path] : [];
  });
}

describe("reading a manifest from the head of a file", () => {
  it("finds the same as reading the whole file, for every fixture in both profiles", () => {
    for (const path of skillFiles(FIXTURES)) {
      const bytes = Buffer.concat([readFileSync(path), Buffer.from(LONG_BODY)]);
      for (const profile of ["lenient", "strict"] as const) {
        const whole = parseSkill(bytes, path, { profile });
        const quick = parseManifest(bytes, path, { profile });
        expect(quick.diagnostics, path).toEqual(whole.diagnostics);
        expect(quick.skill?.manifest, path).toEqual(whole.skill?.manifest);
      }
    }
  });

  it("finds the same wherever a multi-byte character is cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), fc.nat(8), (text, shift) => {
        const bytes = Buffer.from(
          `---\ndescription: x\n---\n${"a".repeat(shift)}${`${text}ä日🙂`.repeat(200)}`,
        );
        expect(parseManifest(bytes, "/x/SKILL.md").diagnostics).toEqual(
          parseSkill(bytes, "/x/SKILL.md").diagnostics,
        );
      }),
    );
  });

  it("is used for an ordinary file and not for an unusual one", () => {
    const ordinary = `---\ndescription: x\n---\n${LONG_BODY}`;
    expect(headOf(Buffer.from(ordinary))?.length).toBeLessThan(ordinary.length);
    for (const odd of [
      `\n${ordinary}`,
      ordinary.replaceAll("\n", "\r\n"),
      `${ordinary}\0`,
      "---\ndescription: x\n",
    ]) {
      expect(headOf(Buffer.from(odd))).toBeUndefined();
    }
  });
});
