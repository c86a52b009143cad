// `repertoire setup [HOST]`: shows the changes to a host's configuration and makes them; --undo reverts them.

import { resolve } from "node:path";
import { packageRoot, type Repertoire } from "../../../engine/engine.ts";
import { isRepertoireError, RepertoireError } from "../../../model/errors.ts";
import { unifiedDiff } from "../../../text/diff.ts";
import {
  HOST_TABLE,
  SETUP_HOSTS,
  SETUP_MODES,
  type SetupHost,
  type SetupMode,
  type SetupPlaces,
} from "../../hooks/setup/hosts.ts";
import { type HostReport, hostReports, isInstalled } from "../../hooks/setup/installed.ts";
import { programWords } from "../../hooks/setup/program.ts";
import { applySetup, applyUndo, type FileChange, planSetup, planUndo } from "../../hooks/setup/setup.ts";
import { accepting, EXIT, type Verb } from "../command.ts";
import { confirmed } from "../consent-prompt.ts";
import type { Io } from "../io.ts";

interface SetupFlags {
  readonly dryRun?: boolean;
  readonly undo?: boolean;
  readonly list?: boolean;
  readonly yes?: boolean;
  readonly mode?: SetupMode;
}

export const setupVerb: Verb = {
  use: "setup",
  about: "connect hosts to Repertoire: their hooks and MCP server; without a host, those that are installed",
  arguments: [["[host]", SETUP_HOSTS.join(", "), accepting(SETUP_HOSTS)]],
  options: [
    ["--list", "list the hosts, which of them are here and how they are connected; change nothing"],
    [
      "--mode <mode>",
      "complement (the host's own list of skills stays), replace (ours instead) or off (tools only)",
      accepting(SETUP_MODES),
    ],
    ["--dry-run", "show what would be written, and write nothing"],
    ["--undo", "undo what setup wrote"],
    ["--yes", "without a host: set up every host that is here, without being asked"],
  ],
  async run({ io, engine }, host: SetupHost | undefined, flags: SetupFlags) {
    const places = placesOf(engine, { writes: !flags.list && !flags.undo });
    if (flags.list) return listHosts(io, await hostReports(places));
    if (host !== undefined) return setUpOne(io, places, { host, flags });
    return setUpInstalled(io, places, flags);
  },
};

/** Where the files of the hosts are, and how they start our program, which only matters if it is written. */
export function placesOf(
  { config }: Pick<Repertoire, "config">,
  { writes }: { readonly writes: boolean },
): SetupPlaces {
  const { env } = process;
  const program = writes ? programWords({ env, root: packageRoot() }) : ["repertoire"];
  return { home: resolve(config.home), dir: resolve(config.dir), env, program };
}

/** The files that a run would write; applied by `apply`. */
interface Plan {
  readonly host: SetupHost;
  readonly changes: readonly FileChange[];
  apply(): void;
}

function planFor(host: SetupHost, places: SetupPlaces, { undo, mode }: SetupFlags): Plan {
  if (mode === "replace" && HOST_TABLE[host].replaces === undefined)
    throw new RepertoireError(
      "setup-mode",
      `${HOST_TABLE[host].title} cannot switch its own list of skills off. Modes: complement, off.`,
      mode,
    );
  const changes = undo ? planUndo(host, places) : planSetup(host, places, mode);
  return {
    host,
    changes,
    apply: () => (undo ? applyUndo(host, places, { changes }) : applySetup(host, places, { changes, mode })),
  };
}

/** A host whose files cannot be edited does not keep the others from being set up. */
function planUnlessUnfit(
  io: Io,
  places: SetupPlaces,
  { host, flags }: { readonly host: SetupHost; readonly flags: SetupFlags },
): Plan | undefined {
  try {
    const plan = planFor(host, places, flags);
    return plan.changes.length > 0 ? plan : undefined;
  } catch (thrown) {
    if (!isRepertoireError(thrown)) throw thrown;
    io.note(`${io.colour.yellow(host)} ${thrown.message}`);
    return undefined;
  }
}

async function showPlan(io: Io, { changes }: Plan): Promise<void> {
  for (const { path, before, after } of io.json ? [] : changes) {
    const what = before === undefined ? "new" : after === undefined ? "removed" : "changed";
    io.line(io.colour.bold(`${path} (${what})`));
    io.line(await unifiedDiff(before ?? "", after ?? ""));
  }
}

async function setUpOne(
  io: Io,
  places: SetupPlaces,
  { host, flags }: { readonly host: SetupHost; readonly flags: SetupFlags },
): Promise<void> {
  const { dryRun, undo } = flags;
  const plan = planFor(host, places, flags);
  await showPlan(io, plan);
  if (!dryRun && plan.changes.length > 0) plan.apply();
  const files = plan.changes.map(({ path }) => path);
  const written = dryRun ? [] : files;
  io.answer({ host, undo: undo === true, written, changes: plan.changes }, () => {
    if (files.length === 0) io.line(`${host} is ${undo ? "not" : "already"} set up; nothing to do.`);
    else if (dryRun) io.line("Nothing was written (--dry-run).");
    else if (undo) io.line(`${host}: undone.`);
    else io.line(`${host} is set up. ${HOST_TABLE[host].next} Undo: repertoire setup ${host} --undo`);
  });
}

/** Shows what each installed host would get, and asks once for each. */
async function setUpInstalled(io: Io, places: SetupPlaces, flags: SetupFlags): Promise<number> {
  const hosts = SETUP_HOSTS.filter((host) => isInstalled(host, places));
  const plans = hosts.flatMap((host) => planUnlessUnfit(io, places, { host, flags }) ?? []);
  const written: string[] = [];
  let wasAsked = true;
  for (const plan of plans) {
    const { title, next } = HOST_TABLE[plan.host];
    if (!io.json) io.line(io.colour.bold(`\n${title}`));
    await showPlan(io, plan);
    const question = flags.undo ? `Undo the setup of ${title}?` : `Set ${title} up?`;
    const agreed = flags.dryRun ? false : await confirmed(io, question, { yes: flags.yes });
    if (agreed === undefined) wasAsked = false;
    if (!agreed) continue;
    plan.apply();
    written.push(...plan.changes.map(({ path }) => path));
    if (!io.json) io.line(flags.undo ? `${plan.host}: undone.` : next);
  }
  io.answer(
    { hosts, undo: flags.undo === true, written, changes: plans.flatMap(({ changes }) => changes) },
    () => {
      if (hosts.length === 0) io.line(`No host was found here. Hosts: ${SETUP_HOSTS.join(", ")}.`);
      else if (plans.length === 0) io.line(`Nothing to do for ${hosts.join(", ")}.`);
      else if (flags.dryRun) io.line("Nothing was written (--dry-run).");
      else if (!wasAsked)
        io.note("Nobody can be asked here. Name a host, or add --yes to set up all of them.");
    },
  );
  return wasAsked ? EXIT.ok : EXIT.findings;
}

function listHosts(io: Io, reports: readonly HostReport[]): void {
  io.answer({ hosts: reports }, () => {
    io.table([HOST_COLUMNS, ...reports.map((report) => [...hostCells(io, report), report.evidence])]);
    tellMissing(io, reports);
  });
}

const HOST_COLUMNS = ["HOST", "INSTALLED", "CONNECTED", "HOOK RAN", "KNOWN FROM"];

function hostCells(io: Io, { host, installed, version, connected, mode, heardAt }: HostReport): string[] {
  return [
    host,
    installed ? (version ?? "yes") : "-",
    connected ? (mode === "complement" ? io.colour.green("yes") : io.colour.green(mode)) : "-",
    heardAt === undefined ? "-" : new Date(heardAt).toISOString().slice(0, 16).replace("T", " "),
  ];
}

function tellMissing(io: Io, reports: readonly HostReport[]): void {
  for (const { host, missing } of reports)
    for (const what of missing) io.line(`${io.colour.yellow(host)} ${what}`);
}

/** The part of `doctor`: the hosts that are here or connected. */
export function tellHosts(io: Io, reports: readonly HostReport[]): void {
  const here = reports.filter(({ installed, connected }) => installed || connected);
  if (here.length === 0) return;
  io.table([HOST_COLUMNS.slice(0, -1), ...here.map((report) => hostCells(io, report))]);
  tellMissing(io, here);
}
