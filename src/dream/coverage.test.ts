import { describe, expect, it } from "vitest";
import { coverageOf } from "./coverage.ts";

const TEXT = `# Title

Ask Marta before you restart the NATS server.

## Restart

1. Run \`systemctl restart nats\` and wait 30 seconds.

\`\`\`bash
nats server check --timeout 5s
\`\`\`
`;

const lost = (after: string) =>
  coverageOf(TEXT, after)
    .filter(({ enough }) => !enough)
    .map(({ kind, missing }) => [kind, missing]);

describe("coverageOf", () => {
  it("finds nothing missing in a text with the same facts in another order and under another title", () => {
    expect(lost(`# Other\n\n${TEXT.split("\n").slice(2).reverse().join("\n")}`)).toEqual([]);
  });

  it.each([
    ["headings", TEXT.replace("## Restart\n", "").replaceAll("restart", "begin"), "Restart"],
    ["code", TEXT.replace("nats server check --timeout 5s", "check"), "nats server check --timeout 5s"],
    ["commands", TEXT.replace("systemctl restart nats", "it"), "systemctl restart nats"],
    ["names", TEXT.replace("Marta", "someone"), "Marta"],
    ["numbers", TEXT.replace("30", "some"), "30"],
  ])("sees that %s are lost", (kind, after, missing) => {
    const found = lost(after).find(([each]) => each === kind);
    expect(found?.[1]).toContain(missing);
  });

  it("notices that most words of plain prose are missing", () => {
    expect(coverageOf("keep the lamp dry and the door shut at night", "do it well").at(-1)).toMatchObject({
      kind: "words",
      enough: false,
    });
  });
});
