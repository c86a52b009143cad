// Changes of skills while the database is away. They are made in the mirror as ever, and wait in a store on this machine until
// the database is back; then each arrives once, in their order. A skill that somebody else has changed meanwhile keeps both
// versions, and theirs is used.

import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type {
  BlobStore,
  ChangeStore,
  PendingChange,
  RedirectStore,
  VersionRecord,
  VersionStore,
} from "../learn/learn.ts";
import type { Awaitable } from "../model/awaitable.ts";
import { codeOf, isRepertoireError, RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { PackageFile } from "../package/package.ts";
import { isDatabaseAway, unlessAway } from "./shared-library.ts";
import { UnsettledSkills } from "./unsettled.ts";

/** In the folder of the mirror. */
export const OUTBOX_FOLDER = "outbox";

/** Versions that were made together while the database was away. */
export interface WaitingChange {
  readonly versions: readonly VersionRecord[];
  /** What the files of a skill were before its first change, by the id that its version names as parent. */
  readonly found: ReadonlyMap<string, VersionRecord>;
  /** The bytes of their files by SHA-256; undefined if they are lost. */
  readonly bytes: (sha256: string) => Awaitable<Uint8Array | undefined>;
}

/** A skill that was changed here and elsewhere. */
export interface LateConflict {
  /** The version of this machine, which is in the history. */
  readonly ours: VersionRecord;
  /** The version that is used. */
  readonly theirs: VersionRecord;
}

/** A skill whose change the database does not take from us. */
export interface RefusedSkill {
  readonly name: SkillName;
  readonly files: readonly PackageFile[];
}

interface WaitingStore extends Omit<ChangeStore, "exclusive"> {
  close(): Awaitable<void>;
}

interface OutboxNeeds {
  /** The folder of the mirror. */
  readonly folder: string;
  /** The store in the database. Its changes begin with a mirror that is up to date. */
  readonly shared: ChangeStore;
  /** Opens a store on this machine. */
  readonly open: (folder: string) => WaitingStore;
  /** Runs one work at a time over all processes of this machine. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Brings a change into the database, unless it is there already. */
  readonly arrive: (change: WaitingChange) => Promise<readonly LateConflict[]>;
  /** Fails for who may not change skills, as far as that is known. */
  readonly requireRight: () => void;
  readonly onConflict: (conflict: LateConflict) => void;
}

/** One exclusive work: where its changes go. */
interface Work {
  /** Set from the moment on at which the database is away. */
  waiting?: WaitingStore | undefined;
  /** What the work has put into the database: the outbox needs it if the database goes away before the end. */
  readonly bytes: Map<string, Uint8Array>;
  readonly begun: Map<string, PendingChange>;
}

/** These end by themselves, or with a new token: what waits goes on waiting. */
const PASSING: ReadonlySet<string> = new Set([
  "commit-uncertain",
  "database-away",
  "database-refused",
  "token-refused",
]);

export class Outbox {
  private readonly needs: OutboxNeeds;
  private readonly unsettled: UnsettledSkills;
  private readonly folder: string;
  private readonly works = new AsyncLocalStorage<Work>();

  constructor(needs: OutboxNeeds) {
    this.needs = needs;
    this.unsettled = new UnsettledSkills(needs.folder);
    this.folder = join(needs.folder, OUTBOX_FOLDER);
  }

  /** The store that skills are changed through, whether the database is there or not. */
  store(): Required<Pick<ChangeStore, "exclusive" | "versions" | "blobs" | "redirects">> {
    return {
      exclusive: (work) => this.exclusive(work),
      versions: this.versions(),
      blobs: this.blobs(),
      redirects: this.redirects(),
    };
  }

  /**
   * Brings what waits into the database. Returns the skills that it refuses. Only while nobody else on this machine changes
   * skills, and before the mirror follows.
   */
  async send(): Promise<readonly RefusedSkill[]> {
    if (!existsSync(this.folder)) return [];
    const refused = await this.opened(async (waiting) => {
      const oldestFirst = [...(await waiting.versions.list({}))].reverse();
      // What was found on disk is no change of ours: it says what the change after it was based on.
      const found = new Map(oldestFirst.filter(isFound).map((version) => [version.id, version]));
      const skills: RefusedSkill[] = [];
      for (const versions of inBatches(oldestFirst.filter((version) => !isFound(version))))
        skills.push(...(await this.bring({ versions, found, bytes: (mark) => waiting.blobs.get(mark) })));
      return skills;
    });
    rmSync(this.folder, { recursive: true, force: true });
    return refused;
  }

  private async bring(change: WaitingChange): Promise<readonly RefusedSkill[]> {
    try {
      for (const conflict of await this.needs.arrive(change)) this.needs.onConflict(conflict);
      return [];
    } catch (error) {
      if (!isRepertoireError(error) || PASSING.has(error.code)) throw error;
      return Promise.all(change.versions.map((version) => refusedSkill(version, change)));
    }
  }

  private async exclusive<T>(work: () => Awaitable<T>): Promise<T> {
    const own: Work = { bytes: new Map(), begun: new Map() };
    const run = () => this.works.run(own, async () => work());
    try {
      return await this.needs.shared.exclusive(run);
    } catch (error) {
      // The work has changed nothing yet, and can be done again.
      if (!isDatabaseAway(error) || own.begun.size > 0) throw error;
    } finally {
      await own.waiting?.close();
    }
    this.needs.requireRight();
    return this.needs.alone(() =>
      this.opened((waiting) => this.works.run({ ...own, waiting }, async () => work())),
    );
  }

  /** Opens the outbox, and leaves none behind that is empty. */
  private async opened<T>(work: (waiting: WaitingStore) => Promise<T>): Promise<T> {
    const waiting = this.needs.open(this.folder);
    let isEmpty = false;
    try {
      const result = await work(waiting);
      isEmpty =
        (await waiting.versions.list({ limit: 1 })).length + (await waiting.versions.pending()).length === 0;
      return result;
    } finally {
      await waiting.close();
      if (isEmpty) rmSync(this.folder, { recursive: true, force: true });
    }
  }

  private versions(): VersionStore {
    const { shared } = this.needs;
    /** Where the current work reads and writes versions. */
    const here = () => this.works.getStore()?.waiting?.versions ?? shared.versions;
    const awayInWork = () => {
      if (this.works.getStore()?.waiting) throw away();
    };
    return {
      begin: async (change) => {
        this.unsettled.add(change.versions.map(({ name }) => name));
        await this.orWaiting(change, () => here().begin(change));
      },
      commit: async (id) => {
        const begun = this.works.getStore()?.begun.get(id);
        if (begun === undefined) await here().commit(id);
        else if (await this.orWaiting(begun, () => here().commit(id))) await here().commit(id);
        this.unsettled.clear();
      },
      abandon: async (id) => {
        await here().abandon(id);
        this.unsettled.clear();
      },
      pending: () => here().pending(),
      add: (version) => here().add(version),
      get: async (id) => {
        const known = await this.knownHere(id);
        if (known !== undefined) return known;
        awayInWork();
        return this.works.getStore()
          ? shared.versions.get(id)
          : unlessAway(async () => shared.versions.get(id));
      },
      list: async (filter) => {
        awayInWork();
        return shared.versions.list(filter);
      },
      heads: async (name) => {
        awayInWork();
        return shared.versions.heads(name);
      },
      head: (place) => here().head(place),
      headsAt: async (places) =>
        (await here().headsAt?.(places)) ?? Promise.all(places.map((place) => here().head(place))),
      waits: async (id) => (await this.knownHere(id)) !== undefined,
    };
  }

  private blobs(): BlobStore {
    const { shared } = this.needs;
    return {
      put: async (bytes) => (await this.putAll([bytes]))[0]!,
      putAll: (contents) => this.putAll(contents),
      get: async (sha256) =>
        (await this.works.getStore()?.waiting?.blobs.get(sha256)) ?? shared.blobs.get(sha256),
    };
  }

  private async putAll(contents: readonly Uint8Array[]): Promise<readonly string[]> {
    const work = this.works.getStore();
    const marks = await (work?.waiting ?? this.needs.shared).blobs.putAll(contents);
    for (const [at, mark] of marks.entries()) work?.bytes.set(mark, contents[at]!);
    return marks;
  }

  private redirects(): RedirectStore {
    const { shared } = this.needs;
    return {
      // An old name that was not asked for before leads nowhere while the database is away.
      resolve: async (name) => {
        const { waiting } = this.works.getStore() ?? {};
        if (waiting) return waiting.redirects.resolve(name);
        return (await unlessAway(async () => shared.redirects.resolve(name))) ?? name;
      },
      list: () => shared.redirects.list(),
    };
  }

  /**
   * Begins or commits a change in the database; if that cannot be said to have happened, the change goes on in the outbox.
   * Its versions keep their ids, so it counts once even if it did happen. Returns whether it has moved.
   */
  private async orWaiting(change: PendingChange, work: () => Awaitable<unknown>): Promise<boolean> {
    const own = this.works.getStore();
    try {
      await work();
      own?.begun.set(change.id, change);
      return false;
    } catch (error) {
      const isLost = isDatabaseAway(error) || codeOf(error) === "commit-uncertain";
      if (own === undefined || own.waiting !== undefined || !isLost) throw error;
      own.waiting = this.needs.open(this.folder);
      await own.waiting.blobs.putAll([...own.bytes.values()]);
      await own.waiting.versions.begin(change);
      own.begun.set(change.id, change);
      return true;
    }
  }

  /** A version that waits here. */
  private async knownHere(id: string): Promise<VersionRecord | undefined> {
    const { waiting } = this.works.getStore() ?? {};
    if (waiting) return waiting.versions.get(id);
    if (!existsSync(this.folder)) return undefined;
    const store = this.needs.open(this.folder);
    try {
      return await store.versions.get(id);
    } finally {
      await store.close();
    }
  }
}

/** Versions of changes have a batch; those of files that were found on disk have none. */
function isFound({ batch }: VersionRecord): boolean {
  return batch === undefined;
}

function* inBatches(versions: readonly VersionRecord[]): Generator<readonly VersionRecord[]> {
  for (let at = 0; at < versions.length; ) {
    const end = versions.findIndex(({ batch }, index) => index > at && batch !== versions[at]!.batch);
    yield versions.slice(at, end === -1 ? versions.length : end);
    at = end === -1 ? versions.length : end;
  }
}

async function refusedSkill({ name, files }: VersionRecord, { bytes }: WaitingChange): Promise<RefusedSkill> {
  const found: PackageFile[] = [];
  for (const { path, sha256, executable } of files) {
    const content = await bytes(sha256);
    if (content) found.push({ path, bytes: content, executable });
  }
  return { name, files: found };
}

function away(): RepertoireError {
  return new RepertoireError(
    "database-away",
    "The shared database is away. Skills can be saved, renamed, pinned and deleted meanwhile; earlier versions are there when it is back.",
  );
}
