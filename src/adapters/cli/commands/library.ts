// The verbs about the library: why, list, show, check, new, enable, disable, index, sources, doctor.

import { setTimeout as sleep } from "node:timers/promises";
import {
  type EnrichmentResult,
  type InspectedPackage,
  type InspectionSummary,
  isManaged,
  isWorrying,
  listedSummary,
  type Repertoire,
  skillDetails,
  TEMPLATES,
  type Template,
} from "../../../engine/engine.ts";
import type { Diagnostic } from "../../../model/diagnostic.ts";
import { RepertoireError } from "../../../model/errors.ts";
import { FRAMES } from "../../../model/frame.ts";
import type { ListedSkill } from "../../../model/skill.ts";
import { forLine } from "../../../text/escape.ts";
import { accepting, EXIT, positiveInteger, type Verb } from "../command.ts";
import { confirmed } from "../consent-prompt.ts";
import { type Io, progressDisplay } from "../io.ts";
import { numberOf, paintVerdict, verdictCounts } from "../tell.ts";
import { type RecallFlags, tellScore } from "./recall.ts";

/** Packages to worry about that another answer names. */
const WORRYING_SHOWN = 10;

const switchTo = (on: boolean): Verb => ({
  use: `${on ? "enable" : "disable"} <name>`,
  about: `switch a skill ${on ? "on" : "off"} in your own configuration`,
  async run({ io, engine }, wanted: string) {
    const { name, file } = await engine.library.setEnabled(wanted, on);
    io.answer({ name, enabled: on, file }, () =>
      io.line(`${name} is switched ${on ? "on" : "off"} (${file}).`),
    );
  },
});

export const LIBRARY_VERBS: readonly Verb[] = [
  {
    use: "why <name> <message...>",
    about: "explain why a skill is or is not recalled for a message",
    options: [
      ["--frame <frame>", FRAMES.join(", "), accepting(FRAMES)],
      ["--files <path...>", "files that are open"],
    ],
    async run({ io, engine }, name: string, words: string[], { frame, files }: RecallFlags) {
      const explanation = await engine.library.why(name, { message: words.join(" "), frame, files });
      io.answer(explanation, () => {
        const { place, score, threshold, recalled } = explanation;
        io.line(
          `${io.colour.bold(explanation.name)}: ${recalled ? io.colour.green("recalled") : io.colour.yellow("not recalled")}, ${place === undefined ? "not among those considered" : `place ${place}`}, score ${score.toFixed(3)} (threshold of the evidence ${threshold.toFixed(2)})`,
        );
        tellScore(io, explanation);
        for (const line of explanation.fellShort) io.line(`- ${line}`);
        if (explanation.ahead.length > 0)
          io.line(
            `Ahead of it: ${explanation.ahead.map((one) => `${one.name} ${one.score.toFixed(3)}`).join(", ")}`,
          );
        if (explanation.wouldMatch.length > 0)
          io.line(`What would lead to it: ${explanation.wouldMatch.join("; ")}`);
      });
    },
  },
  {
    use: "list",
    about: "list the skills of this project, your home folder and the package",
    options: [
      ["--all", "also skills that another one shadows or that the agent may not see"],
      ["--findings", "also the verdict of inspection on each skill"],
    ],
    async run({ io, engine }, options: { all?: boolean; findings?: boolean }) {
      const { skills, diagnostics } = await engine.library.list();
      const listed = options.all ? skills : skills.filter(isManaged);
      const onProgress = progressDisplay(io.streams, "inspecting packages");
      const report = options.findings ? await engine.library.inspect({ onProgress }) : undefined;
      const verdicts = new Map(report?.packages.map(({ path, verdict }) => [path, verdict]));
      const verdictOn = ({ skill }: ListedSkill) => verdicts.get(skill.directory);
      const digests = await engine.library.digests(io.json ? listed.map(({ skill }) => skill) : []);
      const summaries = listed.map((one) => ({ ...listedSummary(one, digests), verdict: verdictOn(one) }));
      io.answer({ skills: summaries, diagnostics }, () => {
        const rows = listed.map((one) => [
          one.skill.name,
          one.state,
          ...(report ? [verdictOn(one) ?? ""] : []),
          one.skill.source,
          one.skill.manifest.brief,
        ]);
        const head = ["NAME", "STATE", ...(report ? ["VERDICT"] : []), "SOURCE", "DESCRIPTION"];
        if (rows.length > 0) io.table([head, ...rows]);
        io.line(summary(skills, listed));
        if (report) io.line(verdictCounts(io, report));
        tellUnavailable(io, listed);
        io.findingCount(diagnostics);
      });
    },
  },
  {
    use: "show <name>",
    about: "show one skill: its front matter, files, sub-skills, findings and instructions",
    async run({ io, engine }, name: string) {
      const report = await engine.library.show(name, { review: await mayReview(io, engine, name) });
      const {
        skill,
        digest = "unreadable",
        body,
        files,
        subSkills,
        diagnostics,
        inspection,
        messages,
      } = report;
      const { manifest } = skill;
      const { triggers, requires } = manifest;
      io.answer(skillDetails(report), () => {
        io.line(
          io.colour.bold(
            skill.displayName === skill.name ? skill.name : `${skill.name} (${skill.displayName})`,
          ),
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
        io.table(
          facts.filter(([, value]) => value !== "").map(([key, value]) => [io.colour.dim(key), value]),
        );
        io.line();
        io.line(
          body?.trim() ?? io.colour.dim("The instructions are shown on a terminal, or after your consent."),
        );
        if (messages) {
          io.line();
          io.line(io.colour.dim("Messages that a model wrote for it (repertoire index --enrich):"));
          for (const message of messages) io.line(`- ${forLine(message)}`);
        }
        io.findings(diagnostics);
      });
    },
  },
  {
    use: "check [path]",
    about: "check a skill, a folder of skills, or all skills; exits 1 when one has errors",
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
        io.line(`${checked} skills checked (${profile}): ${errors} errors, ${warnings} warnings.`);
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
        io.line(`${skills} skills indexed${changed ? "" : ", nothing had changed"} (${ms} ms).`);
        if (unencoded > 0 && options.encode !== false)
          io.note(
            `${unencoded} skills are not encoded: \`repertoire index --encode\` makes recall more accurate.`,
          );
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
  {
    use: "doctor",
    about:
      "show what was found where, what is broken and how to fix it, and how hosts are connected; exits 1 when a skill is broken",
    async run({ io, engine }) {
      const { library } = engine;
      const { skills } = await library.list();
      const { hostReports } = await import("../../hooks/setup/installed.ts");
      const { placesOf, tellHosts } = await import("./setup.ts");
      const hosts = await hostReports(placesOf(engine, { writes: false }));
      const answer = { node: process.version, ...(await library.diagnosis()), hosts };
      const { sources, counts, diagnostics, config, cache, project } = answer;
      const problems = diagnostics.filter(({ severity }) => severity !== "info");
      const errors = problems.filter(({ severity }) => severity === "error").length;
      io.answer(answer, () => {
        io.line(
          `Node ${process.version}; configuration: ${config.length > 0 ? config.join(", ") : "none (defaults)"}; cache: ${cache ?? "off"}`,
        );
        const trusting = Object.entries(project.hosts).map(([host, decision]) => `${host} ${decision}`);
        const own = project.trusted ? "trusted by you" : "not trusted by you";
        io.line(
          `Project ${project.folder}: skills ${project.shown ? "shown" : "not shown"}; ${own}; hosts: ${trusting.join(", ")}`,
        );
        io.table([
          ["SOURCE", "SKILLS", "FOLDER"],
          ...sources.map(({ id, skills: count, root }) => [id, String(count), root]),
        ]);
        tellHosts(io, hosts);
        const states = Object.entries(counts).map(([state, count]) => `${count} ${state}`);
        io.line(states.join(", "));
        tellUnavailable(io, skills);
        for (const finding of problems) io.line(io.finding(finding));
        tellConflicts(io, diagnostics);
        tellWorrying(io, answer.inspection);
        io.line(verdictCounts(io, answer.inspection));
        io.line(
          problems.length === 0
            ? io.colour.green("Nothing is broken.")
            : `${errors} errors, ${problems.length - errors} warnings.`,
        );
      });
      return errors > 0 ? EXIT.findings : EXIT.ok;
    },
  },
];

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
  const tokens = `about ${plan.inputTokens.toLocaleString("en-US")} input and ${plan.outputTokens.toLocaleString("en-US")} output tokens`;
  const cost =
    plan.cost === undefined ? "" : `, about ${plan.cost.toFixed(2)} US dollars by the configured prices`;
  io.note(`${plan.skills} skills in ${plan.calls} calls: ${tokens}${cost}.`);
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
    `${enriched.length} skills have messages now, ${left} have none (${inputTokens} input and ${outputTokens} output tokens${spent}).`,
  );
  if (stopped !== undefined) io.line(`Stopped: ${stopped}. Run the same command again to go on from here.`);
}

/** The packages to worry about, one line each. */
function tellWorrying(io: Io, { worrying }: InspectionSummary): void {
  for (const { name, verdict, rules } of worrying.slice(0, WORRYING_SHOWN))
    io.line(`${paintVerdict(io, verdict)} ${forLine(name)}: ${rules.join(", ") || "not inspected whole"}`);
  if (worrying.length > 0)
    io.line(
      io.colour.dim(
        `\`repertoire inspect NAME\` says why${worrying.length > WORRYING_SHOWN ? `; ${worrying.length - WORRYING_SHOWN} more` : ""}.`,
      ),
    );
}

/** `suspicious: 2 findings (repertoire inspect NAME)`. */
function inWords(io: Io, { verdict, findings, known, name }: InspectedPackage): string {
  const more = known.length > 0 ? `, ${known.length} known` : "";
  const how = isWorrying({ verdict }) ? ` (repertoire inspect ${name})` : "";
  return `${paintVerdict(io, verdict)}: ${numberOf(findings.length, "finding")}${more}${how}`;
}

function summary(all: readonly ListedSkill[], listed: readonly ListedSkill[]): string {
  if (all.length === 0)
    return "No skills found. `repertoire sources` shows where they are looked for; `repertoire new NAME` makes one.";
  const active = listed.filter(({ state }) => state === "active").length;
  const more = all.length - listed.length;
  return `${listed.length} skills, ${active} active${more > 0 ? `; ${more} more with --all` : ""}.`;
}

/** Phrases that several skills declare are no error; who wins may still surprise. */
const CONFLICTS_SHOWN = 10;

function tellConflicts(io: Io, diagnostics: readonly Diagnostic[]): void {
  const conflicts = diagnostics.filter(({ code }) => code === "trigger-conflict");
  for (const { message } of conflicts.slice(0, CONFLICTS_SHOWN))
    io.line(`${io.colour.dim("conflict")} ${message}`);
  const more = conflicts.length - CONFLICTS_SHOWN;
  if (more > 0) io.line(io.colour.dim(`${more} more conflicts: repertoire doctor --json`));
}

function tellUnavailable(io: Io, skills: readonly ListedSkill[]): void {
  for (const { skill, state, reason } of skills)
    if (state === "unavailable" && reason)
      io.line(`${io.colour.yellow("unavailable")} ${skill.name}: ${reason}`);
}
