import { describe, expect, it } from "vitest";
import { lostClauses, ownClauses, sharedWords } from "./clauses.ts";

const TEXT = `# Deploy

Ask the on-call engineer first. Wait 30 seconds; then look at the log.

## Steps

1. Run \`make deploy ENV=prod\`.
2. Never deploy on a Friday.
3. Drain the node before you upgrade it.
- Copy it to /srv/app and read docs/notes.md.

| code | meaning |
|---|---|
| 503 | the pool is empty |

\`\`\`bash
kubectl rollout status deploy/app
\`\`\`
`;

describe("ownClauses", () => {
  it("finds none in a text with other order, title, list marks, case and grammar words", () => {
    const other = `# Another title\n\n${TEXT.split("\n").slice(2).join("\n")}`
      .replace("1. Run", "- run")
      .replace("2. Never deploy on a Friday.", "* Never deploy on Fridays!")
      .replace("Ask the on-call engineer first", "**Ask** an on-call engineer first");
    expect(ownClauses(TEXT, other)).toEqual([]);
    expect(ownClauses(TEXT, `${other}\n\nMore text of its own.`)).toEqual([]);
  });

  it.each([
    ["a number", "Wait 30 seconds", "Wait 60 seconds"],
    ["a command", "make deploy ENV=prod", "make deploy ENV=staging"],
    ["a negation", "Never deploy on a Friday", "Deploy on a Friday"],
    ["an order", "Drain the node before you upgrade it", "Upgrade the node before you drain it"],
    ["a condition", "Never deploy on a Friday", "Never deploy on a Friday if the build is red"],
    ["a narrower word", "Ask the on-call engineer first", "Ask the on-call database engineer first"],
    ["a path", "/srv/app", "/srv/api"],
    ["a row of a table", "the pool is empty", "the pool is full"],
    ["a line of code", "kubectl rollout status deploy/app", "kubectl rollout undo deploy/app"],
    ["a heading", "## Steps", "## Steps on staging"],
  ])("sees %s that differs", (_, mine, theirs) => {
    const found = ownClauses(TEXT, TEXT.replace(mine, theirs));
    expect(found).toHaveLength(1);
    expect(TEXT).toContain(found[0]?.replace(/^\|?\s*/, "").slice(0, 8));
  });

  it("reads don't, do not and cannot alike", () => {
    expect(
      ownClauses("Don’t restart it. You can't undo it.", "Do not restart it. You cannot undo it."),
    ).toEqual([]);
  });

  it("compares scripts without spaces", () => {
    expect(ownClauses("先に担当者に聞く。金曜日に配備しない。", "先に担当者に聞く。")).toEqual([
      "金曜日に配備しない。",
    ]);
  });
});

describe("lostClauses", () => {
  const lost = (before: string, after: string) => lostClauses(before, after, 0.6).map(({ text }) => text);

  it("accepts the same in other words, in two sentences or in one", () => {
    const after =
      "Before anything else, ask the engineer on call. Wait for 30 seconds. The log tells you more: look at it.";
    expect(lost("Ask the on-call engineer first. Wait 30 seconds; then look at the log.", after)).toEqual([]);
  });

  it.each([
    [
      "a sentence that is missing",
      "Tell the customer. Close the ticket.",
      "Tell the customer.",
      "Close the ticket.",
    ],
    [
      "a number",
      "Keep 14 backups of the database.",
      "Keep backups of the database.",
      "Keep 14 backups of the database.",
    ],
    ["a negation", "Never restart the primary.", "Restart the primary.", "Never restart the primary."],
    [
      "a prohibition that was not there",
      "Restart the primary.",
      "Never restart the primary.",
      "Restart the primary.",
    ],
    ["a command", "Run `a --fix`.", "Run `a`.", "Run `a --fix`."],
    [
      "words that stand far apart",
      "Invite the board.",
      "Invite nobody.\n\nBread.\n\nWater.\n\nSalt.\n\nAsk the board of directors about tax law today.",
      "Invite the board.",
    ],
  ])("names %s", (_, before, after, clause) => expect(lost(before, after)).toEqual([clause]));
});

describe("sharedWords", () => {
  it("is 1 for more text, and little for another subject", () => {
    expect(sharedWords("renew the certificate", "renew the certificate of a host")).toBe(1);
    expect(sharedWords("renew the certificate of a host", "bake a bread with rye")).toBe(0);
  });
});

describe("whom a clause is about", () => {
  const RULE = "Only admins may deploy the application to the production cluster on a Friday evening.";

  it.each([
    ["everybody", RULE.replace("Only admins", "Everybody"), RULE],
    ["a restriction", RULE, RULE.replace("Only admins", "Everybody")],
    ["a restriction that is left out", RULE, RULE.replace("Only admins", "Admins")],
    ["another restriction", RULE, RULE.replace("admins", "interns")],
    ["everyone", RULE.replace("Only admins", "Everyone"), RULE.replace("Only admins", "Admins")],
  ])("is not lost among the other words: %s", (_, before, after) => {
    expect(lostClauses(before, after, 0.6)).toHaveLength(1);
  });

  it("is kept in other words around it", () => {
    const same = "On Friday evening, only admins may deploy the application to the cluster for production.";
    expect(lostClauses(RULE, same, 0.6)).toEqual([]);
    expect(lostClauses("Everyone reads the plan first.", "First, everybody reads the plan.", 0.6)).toEqual(
      [],
    );
  });
});
