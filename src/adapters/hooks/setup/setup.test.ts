import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { expect, it } from "vitest";
import { temporaryTree } from "../../../../test/skill-tree.ts";
import { applySetup, applyUndo, planSetup, planUndo } from "./setup.ts";

const GAP = fc.constantFrom(
  "",
  "",
  " ",
  "  ",
  "\t",
  "\n",
  "\n  ",
  " // why  \n",
  "/* why */",
  "\n\n\t/* a\nb */ ",
);
const SCALAR = fc.constantFrom(
  "1.0",
  "12345678901234567890",
  "-0e5",
  "null",
  "true",
  '"// no\\u0041\\""',
  '"é"',
);

function listOf(items: fc.Arbitrary<string>, [open, close]: readonly [string, string]): fc.Arbitrary<string> {
  const item = fc.tuple(GAP, items, GAP).map((parts) => parts.join(""));
  return fc
    .tuple(fc.array(item, { maxLength: 3 }), fc.boolean(), GAP)
    .map(
      ([all, trailing, gap]) => open + all.join(",") + (trailing && all.length > 0 ? "," : "") + gap + close,
    );
}

const memberOf = (keys: fc.Arbitrary<string>, values: fc.Arbitrary<string>) =>
  fc.tuple(keys, GAP, GAP, values).map(([key, before, after, value]) => `"${key}"${before}:${after}${value}`);

const { value: VALUE } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    SCALAR,
    listOf(tie("value"), ["[", "]"]),
    listOf(memberOf(fc.constantFrom("a", "b", "repertoire"), tie("value")), ["{", "}"]),
  ),
}));

/** A file of a host with members of the person's own and perhaps a holder of our entries. */
function fileWith(key: string, holder: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const own = fc.array(memberOf(fc.constantFrom("a", "b"), VALUE), { maxLength: 2 });
  const ours = fc.option(memberOf(fc.constant(key), holder), { nil: undefined });
  return fc
    .tuple(own, ours, own, GAP, GAP, GAP, fc.boolean(), fc.boolean(), fc.boolean())
    .map(([left, held, right, before, inner, behind, trailing, mark, windows]) => {
      const members = [...left, ...(held === undefined ? [] : [held]), ...right].map(
        (member) => inner + member,
      );
      const comma = trailing && members.length > 0 ? "," : "";
      const text = `${before}{${members.join(",")}${comma}${inner}}${behind}`;
      return (mark ? "\ufeff" : "") + (windows ? text.replaceAll("\n", "\r\n") : text);
    });
}

const SERVERS = fileWith(
  "mcpServers",
  listOf(memberOf(fc.constantFrom("other", "third"), VALUE), ["{", "}"]),
);
const EVENTS = memberOf(fc.constantFrom("Stop", "PreToolUse"), listOf(VALUE, ["[", "]"]));
const HOOKS = fileWith("hooks", listOf(EVENTS, ["{", "}"]));

/** A home whose two files can be written anew for each run of a property. */
function claudeCode() {
  const home = temporaryTree({ ".claude/settings.json": "" });
  const places = { home, dir: home, env: {}, program: ["repertoire"] };
  const paths = [join(home, ".claude.json"), join(home, ".claude/settings.json")];
  return {
    read: () => paths.map((path) => readFileSync(path, "utf8")),
    write(texts: readonly string[]) {
      for (const [at, text] of texts.entries()) writeFileSync(paths[at]!, text);
    },
    setup: () => applySetup("claude-code", places, { changes: planSetup("claude-code", places) }),
    undo: () => applyUndo("claude-code", places, { changes: planUndo("claude-code", places) }),
  };
}

const data = (text: string): Record<string, Record<string, unknown>> =>
  parse(text.replace("\ufeff", ""), [], { allowTrailingComma: true });

/** Every character of `text` is still in `now`, in the same order. */
function contains(now: string, text: string): boolean {
  let at = 0;
  for (const unit of now) if (text.startsWith(unit, at)) at += unit.length;
  return at === text.length;
}

it("restores every byte of any file, and adds only our entry to its data", () => {
  const host = claudeCode();
  fc.assert(
    fc.property(SERVERS, HOOKS, (servers, hooks) => {
      host.write([servers, hooks]);
      host.setup();
      const [nowServers, nowHooks] = host.read() as [string, string];
      const repertoire = { type: "stdio", command: "repertoire", args: ["mcp", "--consent", "ask"] };
      const before = data(servers);
      expect(data(nowServers)).toEqual({ ...before, mcpServers: { ...before.mcpServers, repertoire } });
      for (const event of ["SessionStart", "UserPromptSubmit", "Stop"]) {
        const own = (data(hooks).hooks?.[event] ?? []) as unknown[];
        const entry = { type: "command", command: "repertoire hook claude-code", timeout: 60 };
        expect(data(nowHooks).hooks?.[event]).toEqual([...own, { hooks: [entry] }]);
      }
      expect([contains(nowServers, servers), contains(nowHooks, hooks)]).toEqual([true, true]);
      host.undo();
      expect(host.read()).toEqual([servers, hooks]);
    }),
  );
});

it("keeps the person's data and comments when a file was edited before undo", () => {
  const remarks = (text: string) => text.match(/\/\/ why|\/\* why \*\/|\/\* a\r?\nb \*\//g);
  const host = claudeCode();
  fc.assert(
    fc.property(SERVERS, HOOKS, (...before) => {
      host.write(before);
      host.setup();
      host.write(host.read().map((text) => `${text}\n// edited\n`));
      host.undo();
      for (const [at, text] of host.read().entries()) {
        expect(data(text)).toEqual(data(before[at]!));
        expect(remarks(text)).toEqual(remarks(before[at]!));
        expect(text.endsWith("\n// edited\n")).toBe(true);
      }
    }),
  );
});

it("keeps the person's own empty object when the file was edited before undo", () => {
  const host = claudeCode();
  host.write(['{"mcpServers": {}, "a": 1}', '{"hooks": {"Stop": []}}']);
  host.setup();
  host.write(host.read().map((text) => `// edited\n${text}`));
  host.undo();
  expect(host.read()).toEqual([
    '// edited\n{"mcpServers": {}, "a": 1}',
    '// edited\n{"hooks": {"Stop": []}}',
  ]);
});
