// The verbs that carry skills between a folder and the library that machines share: push, pull, sync.

import type { ExchangeReport, ExchangeWay } from "../../../engine/engine.ts";
import { RepertoireError } from "../../../model/errors.ts";
import { forLine } from "../../../text/escape.ts";
import { numberOf } from "../../../text/numbers.ts";
import { type Context, EXIT, type Verb, type VerbOption } from "../command.ts";
import type { Io } from "../io.ts";
import { tellDiff } from "../tell.ts";

interface ExchangeFlags {
  readonly dryRun?: boolean;
  readonly diff?: boolean;
  readonly ours?: boolean;
  readonly theirs?: boolean;
}

const OPTIONS: readonly VerbOption[] = [
  ["--dry-run", "say what would be done, and do nothing"],
  ["--diff", "show what changes"],
  ["--ours", "of a skill that both sides changed take the folder's; the library's stays in its history"],
  ["--theirs", "take the library's; the folder's becomes a version in its history"],
];

export const EXCHANGE_VERBS: readonly Verb[] = [
  {
    use: "push [folder] [names...]",
    examples: ["push ./skills --dry-run", "push ./skills plan-meeting", "push --import ~"],
    about: "save the skills of a folder as versions in the shared library",
    options: [
      ...OPTIONS,
      [
        "--import <home>",
        "instead, take over the learned skills of a home folder with all versions, and its journal",
      ],
    ],
    async run(
      context,
      folder: string | undefined,
      names: readonly string[],
      { import: home, ...flags }: ExchangeFlags & { readonly import?: string },
    ) {
      if (home !== undefined) return importHome(context, home, flags);
      if (folder === undefined)
        throw new RepertoireError(
          "usage",
          "Name the folder of skills to push, or a home folder with --import.",
        );
      return exchange(context, { way: "push", folder, names }, flags);
    },
  },
  {
    use: "pull <folder> [names...]",
    examples: ["pull ./skills", "pull ./skills plan-meeting --diff"],
    about: "write the skills of the shared library into a folder",
    options: OPTIONS,
    run: (context, folder: string, names: readonly string[], flags: ExchangeFlags) =>
      exchange(context, { way: "pull", folder, names }, flags),
  },
  {
    use: "sync <folder> [names...]",
    examples: ["sync ./skills --dry-run --diff"],
    about:
      "push what a folder changed and pull what the shared library changed; what both changed is shown and left alone",
    options: OPTIONS,
    run: (context, folder: string, names: readonly string[], flags: ExchangeFlags) =>
      exchange(context, { way: "sync", folder, names }, flags),
  },
];

async function exchange(
  { io, engine }: Context,
  asked: { readonly way: ExchangeWay; readonly folder: string; readonly names: readonly string[] },
  { dryRun, diff, ours, theirs }: ExchangeFlags,
): Promise<number> {
  if (ours && theirs) throw new RepertoireError("usage", "Take --ours or --theirs, not both.");
  const report = await engine.exchange.run({
    ...asked,
    names: asked.names.length > 0 ? asked.names : undefined,
    dryRun,
    diff,
    take: ours ? "ours" : theirs ? "theirs" : undefined,
  });
  io.answer(report, () => tell(io, report));
  const isUnsettled = report.skills.some(({ result }) => result === "conflict" || result === "refused");
  return isUnsettled ? EXIT.findings : EXIT.ok;
}

const ARROWS = { library: "→ library", folder: "← library" } as const;

function tell(io: Io, { skills, dryRun, way, folder }: ExchangeReport): void {
  const same = skills.filter(({ result }) => result === "same").length;
  for (const { name, result, to, diff, reason, author, version } of skills) {
    if (result === "same") continue;
    const about =
      result === "conflict"
        ? `changed on both sides; the library's is version ${version} by ${forLine(author ?? "")}`
        : (reason ?? "");
    const colour = result === "conflict" || result === "refused" ? io.colour.red : io.colour.green;
    io.line(
      `${colour(result)} ${forLine(name)} ${to ? ARROWS[to] : ""} ${io.colour.dim(forLine(about))}`.trimEnd(),
    );
    if (diff) tellDiff(io, diff, "  ");
  }
  const conflicts = skills.filter(({ result }) => result === "conflict").length;
  const changed = skills.filter(({ to }) => to !== undefined).length;
  const would = dryRun ? "would change" : "changed";
  io.line(`${numberOf(changed, "skill")} ${would}, ${same} the same, ${numberOf(conflicts, "conflict")}.`);
  if (conflicts > 0)
    io.line(
      `Nothing of either side was lost. Decide with: repertoire ${way} ${forLine(folder)} NAME --ours (or --theirs)`,
    );
}

async function importHome({ io, engine }: Context, home: string, { dryRun }: ExchangeFlags): Promise<number> {
  const report = await engine.exchange.importHome(home, { dryRun });
  const conflicts = report.skills.filter(({ result }) => result === "conflict");
  io.answer({ home, dryRun: dryRun === true, ...report }, () => {
    for (const { name, result, versions } of report.skills)
      if (result !== "same") io.line(`${result} ${forLine(name)}, ${numberOf(versions, "version")}`);
    const versions = report.skills.reduce((sum, skill) => sum + skill.versions, 0);
    io.line(
      `${numberOf(versions, "version")} and ${numberOf(report.events, "event")} ${dryRun ? "would be taken" : "taken"} over.`,
    );
    if (conflicts.length > 0)
      io.line(
        "The shared library has other skills of these names, which stay. Rename yours, then try again.",
      );
  });
  return conflicts.length > 0 ? EXIT.findings : EXIT.ok;
}
