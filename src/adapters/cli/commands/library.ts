// The verbs about the library: why, what-if, show, check, new, enable, disable, index, tidy, sources.

import { setTimeout as sleep } from "node:timers/promises";
import {
  type EnrichmentResult,
  type InspectedPackage,
  isWorrying,
  type Repertoire,
  type SkillReport,
  skillDetails,
  TEMPLATES,
  type Template,
  type Tidied,
} from "../../../engine/engine.ts";
import { RepertoireError } from "../../../model/errors.ts";
import { FRAMES } from "../../../model/frame.ts";
import { forLine } from "../../../text/escape.ts";
import { grouped, numberOf } from "../../../text/numbers.ts";
import { lineVisibly } from "../../../text/terminal.ts";
import { accepting, EXIT, positiveInteger, type Verb } from "../command.ts";
import { confirmed } from "../consent-prompt.ts";
import { type Io, progressDisplay } from "../io.ts";
import { answerEach, namesFrom } from "../names.ts";
import { paintVerdict, size, tellWorrying, verdictCounts } from "../tell.ts";
import { type RecallFlags, tellWhy } from "./recall.ts";

const switchTo = (on: boolean): Verb => ({
  use: `${on ? "enable" : "disable"} <names...>`,
  about: `switch skills ${on ? "on" : "off"} in your own configuration; names may be globs`,
  examples: [`${on ? "enable" : "disable"} 'marketing-*'`, `${on ? "enable" : "disable"} deploy --project`],
  options: [["--project", "in the project's configuration, for skills of the project"]],
  async run({ io, engine: { library } }, asked: string[], { project }: { project?: boolean }) {
    const names = await managedNames(library, asked);
    const switched = [];
    for (const name of names)
      switched.push({ ...(await library.setEnabled(name, on, { inProject: project })), enabled: on });
    answerEach(io, switched, ({ name, file }) =>
      io.line(`${name} is switched ${on ? "on" : "off"} (${file}).`),
    );
  },
});

/** The names of skills in any state, all looked up before the first one is changed. */
async function managedNames(library: Repertoire["library"], asked: readonly string[]): Promise<string[]> {
  const names = await namesFrom(asked, async () =>
    (await library.list()).skills.map(({ skill }) => skill.name),
  );
  return Promise.all(names.map(async (name) => (await library.named(name)).name));
}
/** What each rule of retention removes. */
const RETAINED: Readonly<Record<Tidied["rule"], string>> = {
  events: "events of the journal",
  said: "lines of conversations",
  sessions: "quiet sessions",
  blobs: "files of changes that failed",
  leftovers: "files of killed processes",
  damaged: "damaged files that were moved aside",
  caches: "caches of libraries",
};

export const LIBRARY_VERBS: readonly Verb[] = [
  {
    use: "why <name> <message...>",
    usesProject: true,
    about: "explain why a skill is or is not recalled for a message, and what would change that",
    examples: ['why skill-author "write a skill for our releases"'],
    options: [
      ["--frame <frame>", FRAMES.join(", "), accepting(FRAMES)],
      ["--files <path...>", "files that are open"],
    ],
    async run({ io, engine }, name: string, words: string[], { frame, files }: RecallFlags) {
      const explanation = await engine.library.why(name, { message: words.join(" "), frame, files });
      io.answer(explanation, () => {
        tellWhy(io, explanation);
        if (!explanation.recalled)
          io.line(
            `Teach recall this one case: repertoire eval add ${JSON.stringify(words.join(" "))} ${explanation.name}`,
          );
      });
    },
  },
  {
    use: "what-if <name> <description...>",
    usesProject: true,
    about:
      "show which stored messages would find another skill if this one had another description; changes nothing",
    examples: ['what-if skill-author "Writes skills. Use when a procedure is to be kept."'],
    async run({ io, engine }, name: string, words: string[]) {
      const report = await engine.dreams.whatIf(name, { description: words.join(" ") });
      io.answer(report, () => {
        for (const { message, before, after } of report.moved) {
          io.line(lineVisibly(message));
          io.line(io.colour.dim(`  ${before.join(", ") || "nothing"} -> ${after.join(", ") || "nothing"}`));
        }
        io.line(
          report.tried === 0
            ? "No message is stored yet that could be tried."
            : `${report.moved.length} of ${numberOf(report.tried, "stored message")} would move.`,
        );
      });
    },
  },
  {
    use: "show <names...>",
    usesProject: true,
    about: "show skills: front matter, files, sub-skills, findings and instructions; names may be globs",
    examples: ["show skill-author", "show 'git-*'"],
    async run({ io, engine }, asked: string[]) {
      const reports = [];
      for (const name of await managedNames(engine.library, asked))
        reports.push(await engine.library.show(name, { review: await mayReview(io, engine, name) }));
      const details = reports.map((report) => ({ report, details: skillDetails(report) }));
      const [only] = details;
      io.answer(
        details.length === 1 ? only!.details : { results: details.map((each) => each.details) },
        () => {
          for (const [at, { report }] of details.entries()) {
            if (at > 0) io.line();
            tellSkill(io, report);
          }
        },
      );
    },
  },
  {
    use: "check [path]",
    about: "check a skill by name or path, a folder of skills, or all skills; exits 1 when one has errors",
    examples: ["check", "check ./.claude/skills --profile strict", "check skill-author"],
    options: [
      [
        "--profile <profile>",
        "lenient (what Repertoire reads) or strict (the open specification)",
        accepting(["lenient", "strict"]),
        "lenient",
      ],
    ],
    async run({ io, engine }, path: string | undefined, { profile }: { profile: "lenient" | "strict" }) {
      const answer = await engine.library.check({ path, profile });
      const { checked, errors, warnings, diagnostics } = answer;
      io.answer(answer, () => {
        for (const finding of diagnostics) io.line(io.finding(finding));
        tellWorrying(io, answer.inspection);
        io.line(
          `${numberOf(checked, "skill")} checked (${profile}): ${numberOf(errors, "error")}, ${numberOf(warnings, "warning")}.`,
        );
        io.line(verdictCounts(io, answer.inspection));
      });
      return errors > 0 ? EXIT.findings : EXIT.ok;
    },
  },
  {
    use: "new <name>",
    about: "make a new skill from a template",
    options: [
      ["--template <template>", TEMPLATES.join(", "), accepting(TEMPLATES), "basic"],
      ["--description <text>", "what it does and when to use it"],
      ["--user", "in your home folder (~/.repertoire/skills) instead of the project's .repertoire/skills"],
      ["--to <folder>", "below this folder instead"],
    ],
    async run(
      { io, engine },
      name: string,
      options: { template: Template; description?: string; user?: boolean; to?: string },
    ) {
      const made = await engine.learned.create(name, options);
      io.answer(made, () => {
        io.line(`Made ${made.name}:`);
        for (const file of made.files) io.line(`  ${file}`);
        if (made.source === undefined)
          io.note(
            "The configuration reads no source there, so the skill is not found yet: add the folder to sources.add.",
          );
        io.line(
          `Next: edit SKILL.md, then \`repertoire check ${made.directory}\` and \`repertoire show ${made.name}\`.`,
        );
      });
    },
  },
  switchTo(true),
  switchTo(false),
  {
    use: "index",
    about: "scan all sources, update the recall index, and import what hooks have recorded",
    options: [
      ["--encode", "encode every skill for the trained encoder, however many there are"],
      ["--no-encode", "leave the trained encoder alone"],
      ["--after <seconds>", "begin so many seconds later, as hooks ask while a host starts", positiveInteger],
      ["--enrich", "let the configured model write messages that people might type for each skill"],
      ["--limit <n>", "with --enrich: at most this many skills", positiveInteger],
      ["--yes", "with --enrich: agree to the cost without being asked"],
    ],
    async run({ io, engine }, options: EnrichFlags & { readonly encode?: boolean; readonly after?: number }) {
      if (options.after !== undefined) await sleep(options.after * 1_000);
      if (options.enrich) return enrich(io, engine, options);
      const encode = options.encode === undefined ? undefined : options.encode ? Infinity : 0;
      const onProgress = progressDisplay(io.streams, "encoding skills");
      const answer = await engine.library.index({ encode, onProgress });
      await engine.tidy();
      const { skills, changed, unencoded, ms } = answer;
      io.answer(answer, () => {
        io.line(`${numberOf(skills, "skill")} indexed${changed ? "" : ", nothing had changed"} (${ms} ms).`);
        if (unencoded > 0 && options.encode !== false)
          io.note(
            `${numberOf(unencoded, "skill")} not encoded yet: \`repertoire index --encode\` makes recall more accurate.`,
          );
      });
    },
  },
  {
    use: "tidy",
    about: "remove what is older than the settings allow; skills, versions and tallies stay",
    options: [["--dry-run", "tell what would be removed, and remove nothing"]],
    async run({ io, engine }, { dryRun = false }: { readonly dryRun?: boolean }) {
      const removed = await engine.tidy({ dryRun });
      const bytes = removed.reduce((sum, each) => sum + each.bytes, 0);
      io.answer({ dryRun, removed, bytes }, () => {
        const found = removed.filter(({ items }) => items > 0);
        if (found.length === 0) return io.line("Nothing is older than it is kept.");
        io.table([
          ["WHAT", "ITEMS", "SIZE"],
          ...found.map((each) => [RETAINED[each.rule], String(each.items), size(each.bytes)]),
        ]);
        io.line(dryRun ? `${size(bytes)} would be freed.` : `${size(bytes)} freed.`);
      });
    },
  },
  {
    use: "sources",
    about: "list the places that skills come from, lowest precedence first",
    async run({ io, engine }) {
      const sources = await engine.library.sources();
      io.answer({ sources }, () => {
        io.table([
          ["SOURCE", "SKILLS", "FOLDER"],
          ...sources.map(({ id, skills, root, exists }) => [id, exists ? String(skills) : "-", root]),
        ]);
        io.line(
          "A later source wins over an earlier one. `sources` in repertoire.config.json adds, drops and reorders.",
        );
      });
    },
  },
];

function tellSkill(io: Io, report: SkillReport): void {
  const { skill, digest = "unreadable", body, files, subSkills, diagnostics, inspection, messages } = report;
  const { manifest } = skill;
  const { triggers, requires } = manifest;
  io.line(
    io.colour.bold(skill.displayName === skill.name ? skill.name : `${skill.name} (${skill.displayName})`),
  );
  io.line(manifest.description);
  io.line();
  const facts: [string, string][] = [
    ["state", skill.reason ? `${skill.state}: ${skill.reason}` : skill.state],
    ["source", skill.source],
    ["path", skill.path],
    ["digest", digest],
    ["verdict", inspection ? inWords(io, inspection) : ""],
    ["version", manifest.version ?? ""],
    ["domain", manifest.domain ?? ""],
    ["frames", manifest.frames.join(", ")],
    ["triggers", [...triggers.keywords, ...triggers.verbs, ...triggers.patterns].join(", ")],
    ["requires", [...requires.env, ...requires.bins, ...requires.anyBins].join(", ")],
    ["tools", [...manifest.tools, ...manifest.allowedTools].join(", ")],
    ["see also", manifest.seeAlso.join(", ")],
    ["sub-skills", subSkills.map((child) => child.name).join(", ")],
    ["files", files.join(", ")],
  ];
  io.facts(facts.filter(([, value]) => value !== ""));
  io.line();
  io.line(body?.trim() ?? io.colour.dim("The instructions are shown on a terminal, or after your consent."));
  if (messages) {
    io.line();
    io.line(io.colour.dim("Messages that a model wrote for it (repertoire index --enrich):"));
    for (const message of messages) io.line(`- ${forLine(message)}`);
  }
  io.findings(diagnostics);
}

/** Instructions are shown to a person who decides about them, or when one has agreed; a pipe may lead to a model. */
async function mayReview(io: Io, { gate, library }: Repertoire, name: string): Promise<boolean> {
  if (io.streams.terminal || process.stdin.isTTY === true) return true;
  const { skill } = await library.show(name);
  const agreed = await gate.bodies([skill.name], { audience: "person" });
  return agreed.has(skill.name);
}

interface EnrichFlags {
  readonly enrich?: boolean;
  readonly limit?: number;
  readonly yes?: boolean;
}

const HOW_TO_ENRICH = `No language model is configured. Your agent can write the messages: serve it all tools with \`repertoire mcp --tools all\` and ask it to call
enrich_questions and submit_enrichment until no question is left. Or set "model.kind", "model.endpoint" and "model.name" in
~/.repertoire/repertoire.config.json.`;

/** Says what it costs, asks, and lets the model write. Ctrl-C ends it after what is kept; the next run goes on from there. */
async function enrich(
  io: Io,
  { enrichment }: Pick<Repertoire, "enrichment">,
  { limit, yes }: EnrichFlags,
): Promise<number> {
  const plan = await enrichment.plan({ limit });
  if (plan.skills === 0 || !plan.hasModel) {
    io.answer({ plan }, () =>
      io.line(plan.skills === 0 ? `All ${plan.enriched} skills have messages.` : HOW_TO_ENRICH),
    );
    return plan.skills === 0 ? EXIT.ok : EXIT.findings;
  }
  const tokens = `about ${grouped(plan.inputTokens)} input and ${grouped(plan.outputTokens)} output tokens`;
  const cost =
    plan.cost === undefined ? "" : `, about ${plan.cost.toFixed(2)} US dollars by the configured prices`;
  io.note(`${numberOf(plan.skills, "skill")} in ${numberOf(plan.calls, "call")}: ${tokens}${cost}.`);
  const agreed = await confirmed(io, "Send names, descriptions and instructions to the model?", { yes });
  if (agreed === undefined)
    throw new RepertoireError("usage", "Nobody can be asked here. Add --yes to agree to the cost.");
  if (!agreed) return EXIT.findings;
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once("SIGINT", onInterrupt);
  try {
    const result = await enrichment.run({
      limit,
      signal: stop.signal,
      onProgress: progressDisplay(io.streams, "enriched"),
    });
    io.answer({ plan, ...result }, () => tellEnriched(io, result));
    return result.stopped === undefined ? EXIT.ok : EXIT.findings;
  } finally {
    process.off("SIGINT", onInterrupt);
  }
}

function tellEnriched(io: Io, result: EnrichmentResult): void {
  const { enriched, refused, left, inputTokens, outputTokens, cost, stopped } = result;
  for (const { name, reason } of refused) io.line(`${io.colour.yellow("skipped")} ${name}: ${reason}`);
  const spent = cost === undefined ? "" : `, ${cost.toFixed(2)} US dollars`;
  io.line(
    `${numberOf(enriched.length, "skill")} with messages now, ${left} without (${inputTokens} input and ${outputTokens} output tokens${spent}).`,
  );
  if (stopped !== undefined) io.line(`Stopped: ${stopped}. Run the same command again to go on from here.`);
}

/** `suspicious: 2 findings (repertoire inspect NAME)`. */
function inWords(io: Io, { verdict, findings, known, name }: InspectedPackage): string {
  const more = known.length > 0 ? `, ${known.length} known` : "";
  const how = isWorrying({ verdict }) ? ` (repertoire inspect ${name})` : "";
  return `${paintVerdict(io, verdict)}: ${numberOf(findings.length, "finding")}${more}${how}`;
}
