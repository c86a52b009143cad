// A folder that equals one scope of the shared library, so that everything else reads skills as ever, also while the
// database is away. The database has the truth: a mirror can be removed, and comes back.

import { readFileSync, renameSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import {
  DISK,
  type Files,
  makeFolder,
  PRIVATE_FOLDER,
  sweepLeftovers,
  unlessMissing,
  writeFileAtomically,
} from "../disk/disk.ts";
import type { VersionRecord } from "../learn/learn.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import { type PackageFile, readPackage, replacePackages, sha256Of } from "../package/package.ts";
import { jsonIn } from "../text/json.ts";
import { OUTBOX_FOLDER, type RefusedSkill } from "./outbox.ts";
import type { SharedLibrary, SharedScope } from "./shared-library.ts";
import { UnsettledSkills } from "./unsettled.ts";

/** What was done to a mirror. */
export interface MirrorChanges {
  /** Skills whose files are others now. */
  readonly changed: readonly SkillName[];
  /** Their folders. */
  readonly folders: readonly string[];
  /** Folders with what somebody had edited in a mirror while the skill was changed elsewhere. */
  readonly kept: readonly string[];
}

interface MirrorNeeds {
  /** The folder of the mirror and of what is known about it. */
  readonly folder: string;
  readonly library: SharedLibrary;
  readonly scope: SharedScope;
  /** Runs one work at a time over all processes of this machine. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Brings what was changed while the database was away; returns the skills that the database refuses. */
  readonly send?: (() => Promise<readonly RefusedSkill[]>) | undefined;
  /** Called before files of skills are written. */
  readonly onWriting?: (() => void) | undefined;
}

/** How far a mirror has come. */
interface Mark {
  readonly server: string;
  readonly scope: string;
  /** The last change that the mirror has. */
  readonly seq: number;
  /** What runs was started then; a power cut may have torn files that were written before. */
  readonly boot: string;
}

/** Changes read, and skills written, at a time. */
const AT_ONCE = 200;
/** Bytes read at a time, so that large packages do not fill the memory. */
const BYTES_AT_ONCE = 16 * 1024 * 1024;

/** Mirrors are not synced: they are compared with the database when the machine has started anew. */
const UNSYNCED: Files = {
  ...DISK,
  fsyncSync: () => undefined,
  fsync: Object.assign((_: number, done: (error: null) => void) => done(null), {
    __promisify__: async () => undefined,
  }),
};

export class Mirror {
  /** The source that the library reads. */
  readonly root: string;
  private readonly needs: MirrorNeeds;
  private readonly unsettled: UnsettledSkills;

  constructor(needs: MirrorNeeds) {
    this.needs = needs;
    this.unsettled = new UnsettledSkills(needs.folder);
    this.root = join(needs.folder, "skills");
  }

  /** The last change that the mirror has; 0 before the first. */
  get seq(): number {
    return this.mark()?.seq ?? 0;
  }

  /** Brings the mirror to the state of the database. */
  catchUp(): Promise<MirrorChanges> {
    return this.needs.alone(() => this.follow());
  }

  /** Runs the work when the mirror has the newest state, while nobody else on this machine writes to it. */
  whenCurrent<T>(work: () => Promise<T>): Promise<T> {
    return this.needs.alone(async () => {
      await this.follow();
      return work();
    });
  }

  private async follow(): Promise<MirrorChanges> {
    this.leaveOther();
    const refused = await this.send();
    const unsettled = this.unsettled.names();
    const { changed, kept } = (await this.followLog(unsettled)) ?? (await this.compareAll(unsettled));
    return this.made(changed, [...refused, ...kept]);
  }

  /** Undefined if the mirror has to be compared with the whole library. */
  private async followLog(unsettled: Set<SkillName>): Promise<MirrorChanges | undefined> {
    const { library, scope } = this.needs;
    const mark = this.mark();
    if (mark === undefined) return undefined;
    const changed: SkillName[] = [];
    const kept: string[] = [];
    for (let seq = mark.seq; ; ) {
      const changes = await library.changes(scope.id, seq, AT_ONCE);
      // Numbers go back when a backup was restored.
      if (changes.length === 0 && (await library.lastChange(scope.id)) < seq) return undefined;
      const names = new Set([...unsettled, ...changes.flatMap(({ version }) => version?.name ?? [])]);
      // What a skill is now counts, not what it was in between.
      const heads = names.size === 0 ? [] : await library.heads(scope.id, [...names]);
      const made = await this.bring(names, heads, unsettled);
      changed.push(...made.changed);
      kept.push(...made.kept);
      seq = changes.at(-1)?.seq ?? seq;
      if (seq !== mark.seq) this.setMark(seq);
      if (unsettled.size > 0) this.unsettled.clear();
      unsettled.clear();
      if (changes.length < AT_ONCE) return this.made(changed, kept);
    }
  }

  /** Before anything is followed: the files of what was changed here are still as they were saved. */
  private async send(): Promise<string[]> {
    const kept: string[] = [];
    const refused = (await this.needs.send?.()) ?? [];
    for (const { name, files } of refused) if (files.length > 0) kept.push(await this.keep(name, files));
    // The database decides what they are.
    if (refused.length > 0) this.unsettled.add(refused.map(({ name }) => name));
    return kept;
  }

  /** For a mirror that is new, of another or an older library, or written before the machine started. */
  private async compareAll(unsettled: ReadonlySet<SkillName>): Promise<MirrorChanges> {
    const { library, scope, folder } = this.needs;
    makeFolder(folder, PRIVATE_FOLDER);
    makeFolder(this.root, PRIVATE_FOLDER);
    sweepLeftovers(DISK, this.root);
    // Before the heads: what is changed meanwhile is followed afterwards.
    const seq = await library.lastChange(scope.id);
    const heads = await library.heads(scope.id);
    const names = new Set([...unsettled, ...heads.map(({ name }) => name)]);
    const made = await this.bring(names, heads, unsettled);
    this.setMark(seq);
    this.unsettled.clear();
    return made;
  }

  /** Writes what the newest versions of these skills say. */
  private async bring(
    names: ReadonlySet<SkillName>,
    heads: readonly VersionRecord[],
    unsettled: ReadonlySet<SkillName>,
  ): Promise<MirrorChanges> {
    const changed: SkillName[] = [];
    const kept: string[] = [];
    const byName = new Map(heads.map((head) => [head.name, head]));
    const wanted: { name: SkillName; head: VersionRecord | undefined }[] = [];
    for (const name of names) {
      const head = byName.get(name);
      const disk = this.onDisk(name);
      if (isSame(disk, head)) continue;
      if (disk.length > 0 && !unsettled.has(name) && !(await this.wasShared(name, disk)))
        kept.push(await this.keep(name, disk));
      wanted.push({ name, head });
    }
    for (const part of inParts(wanted)) {
      const digests = part.flatMap(({ head }) => head?.files.map(({ sha256 }) => sha256) ?? []);
      const bytes = digests.length === 0 ? new Map() : await this.needs.library.bytes([...new Set(digests)]);
      const packages = part.map(({ name, head }) => {
        const next = (head?.files ?? []).map(({ path, sha256, executable }): PackageFile => {
          const found = bytes.get(sha256);
          if (found === undefined) throw missingBytes(name, path);
          return { path, bytes: found, executable };
        });
        return { directory: this.directory(name), root: this.root, next };
      });
      this.needs.onWriting?.();
      await replacePackages(UNSYNCED, packages);
      changed.push(...part.map(({ name }) => name));
    }
    return this.made(changed, kept);
  }

  private made(changed: readonly SkillName[], kept: readonly string[]): MirrorChanges {
    return { changed, folders: changed.map((name) => this.directory(name)), kept };
  }

  /** Whether the files are those of some version: then they are old, and not somebody's edit. */
  private async wasShared(name: SkillName, disk: readonly PackageFile[]): Promise<boolean> {
    const versions = await this.needs.library.history(this.needs.scope.id, name);
    return versions.some((version) => isSame(disk, version));
  }

  /** Keeps an edit of the mirror aside. */
  private async keep(name: SkillName, disk: readonly PackageFile[]): Promise<string> {
    const directory = join(this.needs.folder, "edited", `${name.replaceAll("/", "-")}-${this.needs.now()}`);
    await replacePackages(DISK, [{ directory, root: this.needs.folder, next: disk }]);
    return directory;
  }

  /** What is of another library goes aside, also what waited to be brought there. */
  private leaveOther(): void {
    const mark = this.storedMark();
    const { scope, library, folder, now } = this.needs;
    if (mark === undefined || (mark.scope === scope.name && mark.server === library.server)) return;
    for (const name of ["skills", OUTBOX_FOLDER])
      unlessMissing(() => renameSync(join(folder, name), join(folder, `${name}-${now()}`)));
    this.unsettled.clear();
  }

  private onDisk(name: SkillName): PackageFile[] {
    return readPackage(DISK, this.directory(name));
  }

  private directory(name: SkillName): string {
    return join(this.root, ...name.split("/"));
  }

  /** Undefined unless the mirror is known to have been written whole. */
  private mark(): Mark | undefined {
    const mark = this.storedMark();
    const isOurs = mark?.scope === this.needs.scope.name && mark.server === this.needs.library.server;
    return isOurs && mark.boot === bootId() ? mark : undefined;
  }

  private storedMark(): Mark | undefined {
    return this.stored(this.markPath) as Mark | undefined;
  }

  private setMark(seq: number): void {
    const { scope, library } = this.needs;
    const mark: Mark = { server: library.server, scope: scope.name, seq, boot: bootId() };
    writeFileAtomically(this.markPath, JSON.stringify(mark), { sync: false });
  }

  /** What is in a file of ours; undefined if it is missing, torn or edited. */
  private stored(path: string): unknown {
    return jsonIn(unlessMissing(() => readFileSync(path, "utf8"), ["ENOENT", "ENOTDIR"]) ?? "") ?? undefined;
  }

  /** In the folder of the skills, so that both go together. */
  private get markPath(): string {
    return join(this.root, ".mirror.json");
  }
}

function isSame(disk: readonly PackageFile[], version: VersionRecord | undefined): boolean {
  const files = version?.files ?? [];
  return (
    files.length === disk.length &&
    files.every(({ path, sha256, size, executable }) => {
      const own = disk.find((file) => file.path === path);
      return (
        own?.bytes.length === size &&
        Boolean(own.executable) === Boolean(executable) &&
        sha256Of(own.bytes) === sha256
      );
    })
  );
}

function* inParts<T extends { readonly head: VersionRecord | undefined }>(all: readonly T[]): Generator<T[]> {
  let part: T[] = [];
  let bytes = 0;
  for (const one of all) {
    part.push(one);
    bytes += one.head?.files.reduce((sum, { size }) => sum + size, 0) ?? 0;
    if (part.length < AT_ONCE && bytes < BYTES_AT_ONCE) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}

/** The same until the machine starts anew. */
function bootId(): string {
  const known = unlessMissing(
    () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"),
    ["ENOENT", "EACCES"],
  );
  // Elsewhere by the time of the start, to ten minutes: clocks are corrected now and then.
  return known?.trim() ?? String(Math.round((Date.now() / 1000 - uptime()) / 600));
}

function missingBytes(name: SkillName, path: string): RepertoireError {
  return new RepertoireError(
    "version-damaged",
    `${path} of "${name}" is missing from the shared library. Restore an earlier version: repertoire history ${name}.`,
    name,
  );
}
