import { describe, expect, it } from "vitest";
import { withCode } from "../../test/errors.ts";
import { skillOf } from "../../test/skills.fixture.ts";
import { NO_REQUIREMENTS, type Skill, type SkillManifest } from "../model/skill.ts";
import { Library } from "./precedence.ts";
import { LibraryView } from "./view.ts";
import { Visibility, type VisibilityOptions } from "./visibility.ts";

const skill = (name: string, more: Partial<SkillManifest> = {}, source = "low"): Skill => ({
  ...skillOf(name, more),
  source,
  path: `/${source}/${name}/SKILL.md`,
  directory: `/${source}/${name}`,
});
const view = (skills: Skill[], options: Partial<VisibilityOptions> = {}) =>
  new LibraryView(new Library(skills, []), new Visibility({ env: {}, ...options }));
const states = (of: LibraryView) =>
  of.list().map(({ skill: { name, source }, state }) => `${source}/${name} ${state}`);

describe("precedence", () => {
  it("lets the later source win and keeps the shadowed skill listed with a diagnostic", () => {
    const library = new Library([skill("plan"), skill("plan", {}, "high")], []);
    expect(library.skills.get("plan")?.source).toBe("high");
    expect(library.diagnostics).toMatchObject([
      { code: "shadowed", severity: "info", path: "/low/plan/SKILL.md" },
    ]);
    expect(states(new LibraryView(library, new Visibility({ env: {} })))).toEqual([
      "high/plan active",
      "low/plan shadowed",
    ]);
  });

  it("is settled before availability: an unavailable override uncovers nothing", () => {
    const needy = { requires: { ...NO_REQUIREMENTS, env: ["TOKEN"] } };
    const skills = [skill("plan"), skill("plan", needy, "high")];
    expect(view(skills).visible()).toEqual([]);
    expect(states(view(skills))).toEqual(["high/plan unavailable", "low/plan shadowed"]);
    expect(view(skills, { env: { TOKEN: "x" } }).visible()).toHaveLength(1);
  });

  it("warns when one source has a name twice", () => {
    expect(new Library([skill("a-b"), skill("a-b")], []).diagnostics).toMatchObject([
      { code: "duplicate-name", severity: "warning" },
    ]);
  });
});

describe("look-up", () => {
  const library = new Library([skill("git-workflow"), skill("sven/plan", { declaredName: "Sven Plan" })], []);

  it.each(["git-workflow", "GIT_workflow", "/git-workflow", "Git Workflow"])(
    "finds git-workflow as %s",
    (spelling) => {
      expect(library.find(spelling)?.name).toBe("git-workflow");
    },
  );

  it("finds a skill by its declared name", () => {
    expect(library.find("sven plan")?.name).toBe("sven/plan");
  });

  it("gives an ambiguous alias to the last discovered, with a warning", () => {
    const ambiguous = new Library(
      [skill("one", { declaredName: "Same" }), skill("two", { declaredName: "same" })],
      [],
    );
    expect(ambiguous.find("same")?.name).toBe("two");
    expect(ambiguous.diagnostics).toMatchObject([{ code: "alias-ambiguous" }]);
  });

  it("prefers an identity to an alias", () => {
    expect(new Library([skill("same"), skill("two", { declaredName: "same" })], []).find("same")?.name).toBe(
      "same",
    );
  });
});

describe("the hierarchy", () => {
  it("lists direct children only", () => {
    const library = new Library(
      ["sven", "sven/plan", "sven/implement", "sven/implement/research"].map((name) => skill(name)),
      [],
    );
    expect(library.children("sven").map(({ name }) => name)).toEqual(["sven/implement", "sven/plan"]);
    expect(library.parent("sven/plan")?.name).toBe("sven");
  });
});

describe("an agent's allowlist", () => {
  const skills = ["a", "b", "mcp/email", "mcp/mail/deep"].map((name) => skill(name));
  const seen = (allowlist?: string[]) =>
    view(skills, { agent: "reviewer", ...(allowlist && { allowlist }) })
      .visible()
      .map(({ name }) => name);

  it.each([
    [undefined, ["a", "b", "mcp/email", "mcp/mail/deep"]],
    [[], []],
    [["*"], ["a", "b", "mcp/email", "mcp/mail/deep"]],
    [
      ["a", "mcp/*"],
      ["a", "mcp/email"],
    ],
    [["mcp/**"], ["mcp/email", "mcp/mail/deep"]],
    [["?"], ["a", "b"]],
  ])("%j shows %j", (allowlist, names) => expect(seen(allowlist)).toEqual(names));
});

describe("what only a person may invoke", () => {
  const skills = [skill("deploy-secret", { userOnly: true }), skill("plan")];

  it("is hidden from the model in lists, look-up and error messages alike", () => {
    expect(
      view(skills)
        .visible()
        .map(({ name }) => name),
    ).toEqual(["plan"]);
    for (const name of ["deploy-secret", "nothing-like-it"]) {
      expect(() => view(skills, { agent: "reviewer" }).require(name, "model")).toThrow(
        withCode("skill-not-found", { value: name, message: expect.stringMatching(/"reviewer".*: plan\.$/) }),
      );
    }
  });

  it("works for the person", () => {
    expect(view(skills).require("deploy-secret", "person").name).toBe("deploy-secret");
  });

  it("does not show its state to the model when it is switched off", () => {
    expect(() => view(skills, { disable: ["deploy-secret"] }).require("deploy-secret", "model")).toThrow(
      withCode("skill-not-found"),
    );
  });
});

describe("switching on and off", () => {
  it("follows default_enabled, then the person", () => {
    const skills = [skill("off", { defaultEnabled: false }), skill("on")];
    expect(states(view(skills))).toEqual(["low/off disabled", "low/on active"]);
    expect(states(view(skills, { enable: ["off"], disable: ["on"] }))).toEqual([
      "low/off active",
      "low/on disabled",
    ]);
    expect(states(view(skills, { enable: ["off"], disable: ["off"] }))).toContain("low/off disabled");
  });
});

describe("availability", () => {
  const needs = (requires: Partial<typeof NO_REQUIREMENTS>) => [
    skill("x", { requires: { ...NO_REQUIREMENTS, ...requires } }),
  ];
  const reason = (skills: Skill[], env = {}) => view(skills, { env }).list()[0]?.reason;
  const path = { PATH: "/usr/bin:/bin" };

  it("names what is missing", () => {
    expect(reason(needs({ env: ["A_TOKEN"] }))).toMatch(/\bA_TOKEN\b/);
    expect(reason(needs({ bins: ["no-such-program"] }), path)).toMatch(/\bno-such-program\b.*\bPATH\b/);
    expect(reason(needs({ anyBins: ["no-one", "no-two"] }), path)).toContain("no-one, no-two");
  });

  it("is met by what is there", () => {
    expect(
      reason(needs({ env: ["A"], bins: ["sh"], anyBins: ["no-such", "ls"] }), { ...path, A: "1" }),
    ).toBeUndefined();
  });

  it("is checked anew each time", () => {
    const env: Record<string, string> = {};
    const live = view(needs({ env: ["LATER"] }), { env });
    expect(live.visible()).toHaveLength(0);
    env.LATER = "1";
    expect(live.visible()).toHaveLength(1);
  });

  it("is not met by a program whose name is longer than any file's", () => {
    expect(reason(needs({ bins: ["x".repeat(5_000)] }), path)).toContain("xxx");
  });

  it("never takes a path for a program", () => {
    expect(reason(needs({ bins: ["../etc/passwd", "/bin/sh"] }), path)).toContain("/bin/sh");
  });
});
