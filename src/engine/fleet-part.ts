// Wires a node to the library that it shares with others: the store in the database, the mirrors that the library reads, and
// the follower that keeps them.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Exchange,
  Follower,
  type FollowerState,
  type HomeImportReport,
  type IndexFiles,
  importHome,
  keepIndex,
  keptIndex,
  Mirror,
  Outbox,
  sharedVectors,
  unlessAway,
} from "../fleet/fleet.ts";
import type { LearnedSkills, VersionRecord } from "../learn/learn.ts";
import { messageOf } from "../model/errors.ts";
import type { SharedVectors } from "../recall/recall.ts";
import {
  type Caller,
  nodeStore,
  overridden,
  postgresLibrary,
  processLock,
  type Store,
  sqliteStore,
} from "../stores/stores.ts";
import type { TurnEngine } from "./turn-engine.ts";

/** Gets what the follower reports. */
interface FollowListener {
  /** Called before skills change on disk. */
  readonly onWriting?: (() => void) | undefined;
  /** Called with the folders of skills that have changed on disk. */
  readonly onChanges?: ((folders: readonly string[]) => Promise<unknown>) | undefined;
  readonly onProblem?: ((problem: string) => void) | undefined;
}

const NUMBERS = {
  /** A process that begins waits this long for what is new: a look at a database that is near, and no burden if it is away. */
  lookMs: 300,
  /** A machine that has nothing yet waits for its first skills, unless the database is away. */
  firstMs: 10 * 60_000,
  /** How often a node looks whether the index that new nodes begin with has become old. */
  keepMs: 10 * 60_000,
} as const;

export interface SharedExchange extends Pick<Exchange, "run"> {
  /** Takes the learned skills of another home folder over, with their versions, and its journal. */
  importHome(home: string, options?: { readonly dryRun?: boolean | undefined }): Promise<HomeImportReport>;
}

export interface FleetCallers {
  /** Whether the database has confirmed the token before. */
  knows(token: string): boolean;
  /** Fails with `token-refused` for a token that is not one of this node's scope. */
  admit(token: string): Promise<Caller>;
  /** Does the work in the name of the token's owner: the database allows what its role allows. */
  as<T>(token: string, work: () => T): T;
}

export interface Fleet {
  /** Changes of skills find the mirror up to date, and leave it as the database has it. */
  readonly store: Store;
  /** Keeps the mirrors up to date from now on, until the fleet is closed. Waits a moment for what is new. */
  follow(): Promise<void>;
  listen(listener: FollowListener): void;
  /** Whether this machine had nothing of the shared library when this process began. */
  readonly isNew: boolean;
  /** What another node has indexed, for a new one. */
  keptIndex(format: string): Promise<IndexFiles | undefined>;
  /** Keeps for new nodes what this one has indexed, now and then from now on. */
  keepIndex(format: string, files: () => Promise<IndexFiles | undefined>): Promise<void>;
  /** Vectors of skills that nodes have made. */
  readonly vectors: SharedVectors;
  /** Runs the work now, and again each time that the database is back. If it is away, the work waits for it. */
  whenConnected(work: () => Promise<void>): Promise<void>;
  /** Carries skills between folders and the shared library, as versions that `learned` makes. */
  exchange(learned: Pick<LearnedSkills, "place">): SharedExchange;
  /** Who may ask this node with a token of the database, and in whose name it then asks. */
  readonly callers: FleetCallers;
  /** Undefined as long as nobody follows. */
  state(): FollowerState | undefined;
  /** Ends the following. The store is closed by whoever uses it. */
  close(): Promise<void>;
}

export function openFleet(turns: TurnEngine): Fleet {
  const { config, clock, shared, dataDirectory } = turns;
  const { url, token, scope } = config.database;
  const now = () => clock.now().getTime();
  const options = { url: url!, token, scope };
  const store = nodeStore({
    ...options,
    directory: dataDirectory,
    clock,
    keep: config.retention,
    onBack: () => follower?.look(),
    onSpooled: () =>
      process.emitWarning(
        "The shared database is away. What happens is kept on this machine and brought there later, once.",
        { code: "write-spooled" },
      ),
  });
  const library = postgresLibrary(options);
  const alone = processLock(join(dataDirectory, "shared", "lock"));
  let opened: Promise<readonly Mirror[]> | undefined;
  /** The organisation's, and the one of our own scope last. */
  const mirrors = (): Promise<readonly Mirror[]> => {
    opened ??= library.scopes().then((scopes) =>
      scopes.map((each) => {
        const { folder } = shared.find(({ isOwn }) => isOwn === each.isOwn)!;
        const send = each.isOwn ? () => outbox.send() : undefined;
        const onWriting = () => {
          for (const listener of listeners) listener.onWriting?.();
        };
        return new Mirror({ folder, library, scope: each, alone, now, send, onWriting });
      }),
    );
    const opening = opened;
    opening.catch(() => {
      if (opened === opening) opened = undefined;
    });
    return opening;
  };
  const own = async () => (await mirrors()).at(-1)!;
  const isNew = !existsSync(turns.mirror!);
  let follower: Follower | undefined;
  let keeping: NodeJS.Timeout | undefined;
  const returning: (() => Promise<void>)[] = [];
  const outbox = new Outbox({
    folder: shared.find(({ isOwn }) => isOwn)!.folder,
    // A change begins with a mirror that equals the database, and nobody else writes to it meanwhile.
    shared: overridden<Store>(store, {
      exclusive: (work) => store.exclusive(async () => (await own()).whenCurrent(async () => work())),
    }),
    open: (directory) => sqliteStore({ directory, clock }),
    alone,
    arrive: (change) => store.arrive(change),
    requireRight: () => store.requireRole("writer"),
    onConflict: ({ ours, theirs }) => tell(lateConflict(ours, theirs)),
  });
  const changing = overridden<Store>(store, outbox.store());
  const listeners: FollowListener[] = [];
  const tell = (problem: string) => {
    for (const { onProblem } of listeners) onProblem?.(problem);
  };
  return {
    store: changing,
    async follow() {
      follower ??= new Follower({
        library,
        mirrors,
        now,
        onProblem: tell,
        async onReturn() {
          for (const work of returning) await work();
        },
        async onChanges({ folders, kept }) {
          for (const folder of kept)
            tell(`A skill was edited here and elsewhere. The edit of this machine is in ${folder}.`);
          for (const { onChanges } of listeners) await onChanges?.(folders);
        },
      });
      follower.start();
      const limit = sleep(isNew ? NUMBERS.firstMs : NUMBERS.lookMs, undefined, { ref: false });
      await Promise.race([follower.current, limit]);
    },
    listen: (listener) => void listeners.push(listener),
    isNew,
    keptIndex: (format) => keptIndex(library, format),
    async keepIndex(format, files) {
      const keep = () =>
        unlessAway(async () => keepIndex(library, { format, seq: (await own()).seq, files }));
      clearInterval(keeping);
      keeping = setInterval(
        () => void keep().catch((error) => tell(messageOf(error))),
        NUMBERS.keepMs,
      ).unref();
      await keep();
    },
    vectors: sharedVectors(library, (error) => tell(messageOf(error))),
    async whenConnected(work) {
      returning.push(work);
      await unlessAway(work);
    },
    exchange(learned) {
      const place: ConstructorParameters<typeof Exchange>[0]["place"] = (plan, reason) =>
        learned.place(plan, { reason });
      const exchange = new Exchange({
        library,
        scope: async () => (await library.scopes()).at(-1)!,
        root: turns.mirror!,
        place,
      });
      return {
        run: (asked) => exchange.run({ ...asked, folder: resolve(config.dir, asked.folder) }),
        async importHome(home, asked) {
          const from = sqliteStore({ directory: join(resolve(config.dir, home), ".repertoire"), clock });
          try {
            const report = await importHome(from, changing, asked);
            await (await own()).catchUp();
            return report;
          } finally {
            await from.close();
          }
        },
      };
    },
    callers: {
      knows: (token) => store.callers.knows(token),
      admit: (token) => store.callers.admit(token),
      as: (token, work) => store.as(token, work),
    },
    state: () => follower?.state,
    async close() {
      clearInterval(keeping);
      await follower?.stop();
      await library.close();
    },
  };
}

function lateConflict({ name, id }: VersionRecord, theirs: VersionRecord): string {
  return `"${name}" was changed here while the database was away, and elsewhere by ${theirs.author}. Theirs is used (${theirs.id}); yours is version ${id}: repertoire history ${name}, repertoire restore ${name} ${id}.`;
}
