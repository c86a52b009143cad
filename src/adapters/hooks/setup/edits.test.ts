import { describe, expect, it } from "vitest";
import { hookEntries, jsonServer } from "./edits.ts";

const SERVER = { command: "repertoire", args: ["mcp"] };
const server = jsonServer("mcp.json", ["servers", "repertoire"], SERVER);
const hooks = hookEntries("settings.json", {
  host: "x",
  command: "repertoire hook x",
  events: { UserPromptSubmit: "", Stop: "" },
});

const COMMENTED = `{
  // mine
  "servers": {
    "other": { "command": "other", }, // and this too
    /* the last word */
  },
  "inputs": [1, 2,], // one line
}
`;

/** Every byte of the text is still there, in its order. */
function expectKept(text: string, now: string): void {
  let at = 0;
  for (const unit of now) if (text.startsWith(unit, at)) at += unit.length;
  expect(text.slice(at)).toBe("");
}

const TEXTS: readonly (readonly [string, string])[] = [
  ["comments and trailing commas", COMMENTED],
  ["CRLF line ends", COMMENTED.replaceAll("\n", "\r\n")],
  ["a byte order mark", `\ufeff${COMMENTED}`],
  ["no last line break", COMMENTED.trimEnd()],
  [
    "everything in one line",
    '{"servers": {"other": {"command": "other"}}, "n": 12345678901234567890, "f": 1.0}',
  ],
  ["a key twice", '{\n\t"a": 1,\n\t"a": 2,\n\t"servers": {\n\t\t"other": {}\n\t}\n}\n'],
  ["strings that look like comments", '{"url": "https://x.y/*z", "servers": {"a\\"//": {}}}'],
  ["a comment at the end of the last entry", '{\n  "servers": {\n    "other": {} // last\n  }\n}'],
  ["hooks of their own", '{ "hooks": { "Stop": [ { "hooks": [ { "command": "mine" } ] } ] } }'],
];

describe.each([
  ["a server", server],
  ["hooks", hooks],
])("adding %s", (_, edit) => {
  it.each(TEXTS)("keeps every byte of a text with %s, and undo restores it exactly", (_, text) => {
    const after = edit.add(text)!;
    expect(after).toContain("repertoire");
    expectKept(text, after);
    expect(edit.add(after)).toBe(after);
    expect(edit.remove(after)).toBe(text);
    if (text.includes("\r\n")) expect(after).not.toMatch(/[^\r]\n/);
  });
});

describe("an entry", () => {
  it("is added after the last entry, in the style of the file", () => {
    expect(server.add(COMMENTED)).toBe(`{
  // mine
  "servers": {
    "other": { "command": "other", }, // and this too
    "repertoire": {
      "command": "repertoire",
      "args": [
        "mcp"
      ]
    },
    /* the last word */
  },
  "inputs": [1, 2,], // one line
}
`);
  });

  it("is kept if the person changed it, and undo still removes it", () => {
    const changed =
      '{"servers": {"repertoire": {"command": "repertoire", "args": ["mcp"], "env": {"A": "b"}}, "c": {}}}';
    expect(server.add(changed)).toBe(changed);
    expect(server.remove(changed)).toBe('{"servers": { "c": {}}}');
  });

  it("is not removed if it has our name but runs another program", () => {
    const own = '{"servers": {"repertoire": {"command": "npx", "args": ["repertoire", "mcp"]}}}';
    expect(server.add(own)).toBe(own);
    expect(server.remove(own)).toBe(own);
  });

  it("is removed without the hook that the person added beside it", () => {
    const beside =
      '{"hooks": {"Stop": [{"hooks": [{"command": "mine"}, {"command": "repertoire hook x"}]}]}}';
    expect(hooks.remove(beside)).toBe('{"hooks": {"Stop": [{"hooks": [{"command": "mine"}]}]}}');
  });

  it("is removed without its surrounding comments, and the text stays valid", () => {
    const commented = '{"servers": { // why\n "repertoire": {"command": "repertoire"} }}';
    const left = server.remove(commented)!;
    expect(left).toContain("// why\n");
    expect(server.remove(server.add(left)!)).toBe(left);
  });
});

describe("an entry that starts the program by its path", () => {
  const absolute = { command: "/opt/node/bin/node", args: ["/opt/lib/repertoire/dist/bin.cjs", "mcp"] };
  const stopWith = (command: string) => JSON.stringify({ hooks: { Stop: [{ hooks: [{ command }] }] } });

  it("is ours, and so is a hook that does, quoted or not", () => {
    const text = JSON.stringify({ servers: { repertoire: absolute, other: {} } });
    expect(server.has(text)).toBe(true);
    expect(JSON.parse(server.remove(text)!)).toEqual({ servers: { other: {} } });
    for (const command of [
      "/opt/node/bin/node /opt/x/dist/bin.cjs hook x",
      '"/opt/my node/node" "/opt/my x/dist/bin.cjs" hook x --mode replace',
    ])
      expect(hooks.has(stopWith(command))).toBe(true);
    for (const command of ["repertoire hook y", "mine hook x", "echo repertoire hook x"])
      expect(hooks.has(stopWith(command))).toBe(false);
  });

  it("is made anew if the command has changed, once for each event", () => {
    const before = hooks.add(stopWith("mine"))!;
    const moved = hookEntries("settings.json", {
      host: "x",
      command: "/usr/bin/repertoire hook x",
      events: { UserPromptSubmit: "", Stop: "" },
    });
    const after = JSON.parse(moved.add(before)!);
    const commands = after.hooks.Stop.map(
      (group: { hooks: { command: string }[] }) => group.hooks[0]!.command,
    );
    expect(commands).toEqual(["mine", "/usr/bin/repertoire hook x"]);
    expect(after.hooks.UserPromptSubmit).toHaveLength(1);
  });
});
