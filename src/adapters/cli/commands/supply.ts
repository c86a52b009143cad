// The verbs about skills from elsewhere: add, install, update, verify, remove.

import {
  type ListedPackage,
  mayTakeUnasked,
  type OpenedSource,
  type PackageOffer,
  type SupplyResult,
} from "../../../engine/engine.ts";
import { RepertoireError } from "../../../model/errors.ts";
import { forLine } from "../../../text/escape.ts";
import { numberOf } from "../../../text/numbers.ts";
import { EXIT, type Verb, type VerbOption } from "../command.ts";
import { AGREEMENT_OPTIONS, answerTo, confirmed, showSheet } from "../consent-prompt.ts";
import { type Io, stepsDisplay } from "../io.ts";
import { paintVerdict } from "../tell.ts";

interface AgreeFlags {
  readonly yes?: boolean;
  readonly digest?: string;
}

interface AddFlags extends AgreeFlags {
  readonly to?: string;
  readonly ref?: string;
  readonly all?: boolean;
  readonly list?: boolean;
}

/** Sheets that are shown whole; more are a line each. */
const WHOLE_SHEETS = 5;

const TO_OPTION: VerbOption = [
  "--to <place>",
  "user (your home folder), project, or a folder of skills, for example .claude/skills",
];
const AGREE_OPTIONS: readonly VerbOption[] = [
  ["--yes", "take what nothing worrying was found in, without asking"],
  AGREEMENT_OPTIONS[1]!,
];

export const SUPPLY_VERBS: readonly Verb[] = [
  {
    use: "add <source> [names...]",
    examples: ["add anthropics/skills pdf docx", "add ./my-skill.zip --to project"],
    about:
      "add skills from owner/repository, a git address, a folder, an archive or a SKILL.md; shows what they hold and asks first",
    options: [
      TO_OPTION,
      ["--ref <ref>", "a branch, tag or commit (default: the default branch)"],
      ["--all", "every skill of the source"],
      ["--list", "list the skills of the source, and add none"],
      ...AGREE_OPTIONS,
    ],
    async run({ io, engine }, text: string, names: readonly string[], flags: AddFlags) {
      const { to, ref } = flags;
      const source = await engine.supply.open(text, { to, ref, onProgress: stepsDisplay(io.streams) });
      try {
        if (flags.list) {
          await tellList(io, source);
          return EXIT.ok;
        }
        const chosen = await chosenNames(io, source, names, flags.all === true);
        const offers = await source.offers(chosen);
        const result = await engine.supply.take(source, offers, { to, agree: agreement(io, flags) });
        return tellSupplied(io, result, "Added");
      } finally {
        source.close();
      }
    },
  },
  {
    use: "install",
    examples: ["install --frozen"],
    about:
      "install the missing skills of the locks (repertoire.lock.json, skills-lock.json), exactly as they were",
    options: [
      TO_OPTION,
      ["--frozen", "make everything equal to the locks, edited skills too; for CI"],
      ...AGREE_OPTIONS,
    ],
    async run({ io, engine }, { to, frozen, ...flags }: AddFlags & { readonly frozen?: boolean }) {
      const agree = frozen && !flags.yes ? agreement(io, { ...flags, frozen }) : agreement(io, flags);
      const result = await engine.supply.install({ to, frozen, agree, onProgress: stepsDisplay(io.streams) });
      return tellSupplied(io, result, "Installed");
    },
  },
  {
    use: "update [names...]",
    examples: ["update --check", "update pdf"],
    about: "update added skills from their sources; your edits are merged in, and nothing is overwritten",
    options: [
      TO_OPTION,
      ["--check", "show what is new and write nothing; exits 1 if something is"],
      ...AGREE_OPTIONS,
    ],
    async run(
      { io, engine },
      names: readonly string[],
      { to, check, ...flags }: AddFlags & { readonly check?: boolean },
    ) {
      const agree = agreement(io, flags);
      const result = await engine.supply.update(names, {
        to,
        check,
        agree,
        onProgress: stepsDisplay(io.streams),
      });
      if (!check) return tellSupplied(io, result, "Updated");
      io.answer(result, () => {
        for (const offer of result.offers) showUpdate(io, offer, (text) => io.line(text));
        tellRefused(io, result);
        const { offers, same } = result;
        io.line(`${numberOf(offers.length, "update")}, ${numberOf(same.length, "skill")} up to date.`);
      });
      return result.offers.length + result.refused.length > 0 ? EXIT.findings : EXIT.ok;
    },
  },
  {
    use: "verify [names...]",
    examples: ["verify"],
    about: "say which added skills differ from their lock; exits 1 if one does",
    options: [TO_OPTION],
    async run({ io, engine }, names: readonly string[], { to }: AddFlags) {
      const packages = await engine.supply.verify(names, to);
      const different = packages.filter(({ state }) => state !== "same");
      io.answer({ packages, different: different.length }, () => {
        for (const { name, root, state, source } of different)
          io.line(
            `${io.colour.yellow(state)}  ${forLine(name)}  ${io.colour.dim(`${root}, from ${forLine(source)}`)}`,
          );
        const rest = packages.length - different.length;
        io.line(
          packages.length === 0
            ? "No skill was added from elsewhere."
            : `${numberOf(rest, "skill")} as locked, ${different.length} different.`,
        );
        if (different.length > 0)
          io.line(
            io.colour.dim(
              "repertoire install brings what is missing; with --frozen it also takes edits back.",
            ),
          );
      });
      return different.length > 0 ? EXIT.findings : EXIT.ok;
    },
  },
  {
    use: "remove <names...>",
    examples: ["remove pdf docx"],
    about: "remove skills that were added from elsewhere; undo brings them back",
    options: [TO_OPTION],
    async run({ io, engine }, names: readonly string[], { to }: AddFlags) {
      return tellSupplied(io, await engine.supply.remove(names, { to }), "Removed");
    },
  },
];

async function tellList(io: Io, source: OpenedSource): Promise<void> {
  const { address, commit, elsewhere } = source;
  const packages = await source.list();
  io.answer({ source: address.source, commit, packages, elsewhere }, () => {
    tellPackages(io, packages);
    for (const { plugin, source: other } of elsewhere)
      io.line(`${forLine(plugin)} is elsewhere: repertoire add ${forLine(other)}`);
    io.line(`${numberOf(packages.length, "skill")} in ${forLine(address.source)}.`);
  });
}

function tellPackages(io: Io, packages: readonly ListedPackage[]): void {
  const isGrouped = packages.some(({ plugin }) => plugin !== undefined);
  io.table(
    packages.map(({ name, plugin, description, installed }, at) => [
      io.colour.dim(String(at + 1).padStart(3)),
      io.colour.bold(forLine(name)),
      ...(isGrouped ? [io.colour.dim(forLine(plugin ?? ""))] : []),
      `${installed ? "(installed) " : ""}${forLine(description)}`,
    ]),
  );
}

/** The packages that are meant; asks on a terminal if several could be. */
async function chosenNames(
  io: Io,
  source: OpenedSource,
  names: readonly string[],
  all: boolean,
): Promise<readonly string[] | undefined> {
  if (names.length > 0) return source.choose(names);
  if (all || source.count === 1) return undefined;
  const packages = await source.list();
  if (!io.json && io.streams.terminal) tellPackages(io, packages);
  const answer = await answerTo(io, "Which? Numbers, names, a plugin, or all: ");
  const words = answer?.split(/[\s,]+/).filter(Boolean) ?? [];
  if (words.length === 1 && words[0] === "all") return undefined;
  if (words.length > 0) {
    const meant = words.flatMap((word) => {
      const [from, to = from] = /^\d+(?:-\d+)?$/.test(word) ? word.split("-").map(Number) : [];
      return from === undefined ? word : packages.slice(from - 1, to).map(({ name }) => name);
    });
    return source.choose(meant);
  }
  const shown = packages.slice(0, 20).map(({ name }) => name);
  throw new RepertoireError(
    answer === undefined ? "choice-needed" : "package-refused",
    answer === undefined
      ? `${source.address.source} has ${packages.length} skills. Name those that you want, or give --all: ${shown.join(", ")}${packages.length > shown.length ? ", … (--list shows all)" : ""}.`
      : "Nothing was chosen, and nothing was added.",
    shown,
  );
}

/** How a person agrees to offers: beforehand with --yes, or to their sheets on the terminal. */
function agreement(io: Io, { yes, digest, frozen }: AgreeFlags & { readonly frozen?: boolean }) {
  const isAgreed = (offer: PackageOffer) => {
    const verdict = offer.sheet?.verdict;
    if (mayTakeUnasked(offer)) return true;
    // Somebody has agreed to exactly this content, when the lock was written or when its sheet was read.
    const isKnown =
      frozen || (digest !== undefined && digest.length >= 8 && offer.sheet?.digest.startsWith(digest));
    return isKnown === true && verdict !== "dangerous";
  };
  return async (offers: readonly PackageOffer[]): Promise<readonly PackageOffer[]> => {
    if (yes || frozen) return offers.filter(isAgreed);
    if (!io.json) showOffers(io, offers);
    const worrying = offers.filter((offer) => !mayTakeUnasked(offer));
    const fine = offers.filter(mayTakeUnasked);
    const agreed: PackageOffer[] = [];
    const what = fine.length === 1 ? fine[0]!.name : numberOf(fine.length, "skill");
    const answer = fine.length === 0 ? false : await confirmed(io, `Add ${what}?`);
    if (answer) agreed.push(...fine);
    for (const offer of worrying) {
      const given = await confirmed(io, `Add ${offer.name}, which is ${offer.sheet!.verdict}?`);
      if (given === undefined) throw unasked(offers);
      if (given) agreed.push(offer);
    }
    if (answer === undefined) throw unasked(offers);
    return agreed;
  };
}

function unasked(offers: readonly PackageOffer[]): RepertoireError {
  return new RepertoireError(
    "consent-required",
    "Nothing was written, because nobody could be asked. Run it on a terminal, or give --yes, which adds only skills without worrying findings.",
    offers.map(({ sheet }) => sheet),
  );
}

function showOffers(io: Io, offers: readonly PackageOffer[]): void {
  for (const offer of offers) {
    const { sheet, covers } = offer;
    if (!sheet) continue;
    if (offer.update) showUpdate(io, offer, (text) => io.note(text));
    if (offers.length <= WHOLE_SHEETS || !mayTakeUnasked(offer)) showSheet(io, sheet);
    else {
      const parts = [numberOf(sheet.files, "file"), numberOf(sheet.scripts.length, "script")];
      const hosts =
        sheet.addresses.length > 0 ? [`reaches ${sheet.addresses.slice(0, 3).map(forLine).join(", ")}`] : [];
      io.note(
        `${paintVerdict(io, sheet.verdict)}  ${io.colour.bold(sheet.name)}  ${io.colour.dim([...parts, ...hosts].join(", "))}`,
      );
    }
    if (covers)
      io.note(
        `  ${io.colour.yellow("note")} It would be used instead of "${covers.name}" from ${forLine(covers.source)}.`,
      );
  }
}

/** What an update changes: the commits, the diff, and what inspection finds now. */
function showUpdate(io: Io, { name, update }: PackageOffer, tell: (text: string) => void): void {
  if (!update) return;
  const { from, to, edited, diff, newFindings } = update;
  const commits =
    from === undefined || to === undefined ? "" : `  ${from.slice(0, 10)} to ${to.slice(0, 10)}`;
  tell(`${io.colour.bold(name)}${io.colour.dim(commits)}${edited ? "  with your edits" : ""}`);
  const paint = { "+": io.colour.green, "-": io.colour.red };
  for (const line of diff.split("\n")) tell(`  ${paint[line[0] as "+" | "-"]?.(line) ?? line}`);
  for (const { severity, path, message } of newFindings)
    tell(`  ${io.colour.yellow(`new finding, ${severity}`)} ${forLine(path)}: ${message}`);
}

function tellRefused(io: Io, { refused }: SupplyResult): void {
  for (const { message, value } of refused) {
    io.note(`${io.colour.yellow("not done")} ${forLine(message)}`);
    for (const text of conflictTexts(value)) io.note(text);
  }
}

/** The marked texts of a merge with conflicts. */
function conflictTexts(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap(({ path, reason, text }: { path: string; reason: string; text?: string }) => [
    `  ${path} (${reason})`,
    ...(text?.split("\n").map((line) => `    ${line}`) ?? []),
  ]);
}

function tellSupplied(io: Io, result: SupplyResult, done: string): number {
  const { changed, same, refused, batch } = result;
  io.answer(result, () => {
    for (const { name, path } of changed) io.line(`${io.colour.green(done)} ${name}  ${io.colour.dim(path)}`);
    if (same.length > 0) io.line(`${numberOf(same.length, "skill")} already there.`);
    tellRefused(io, result);
    if (changed.length === 0 && same.length === 0 && refused.length === 0) io.line("Nothing to do.");
    if (batch !== undefined) io.line(io.colour.dim(`Back: repertoire undo ${batch}`));
  });
  return refused.length > 0 ? EXIT.findings : EXIT.ok;
}
