import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FOUND_ON_DISK, lastChange, lastUndone, type Past } from "./undo-stack.ts";
import type { VersionRecord } from "./version-store.ts";

/** A past in memory that counts the versions that were read. */
class KnownPast implements Past {
  readonly versions: VersionRecord[] = [];
  read = 0;

  add(more: Partial<VersionRecord>): VersionRecord {
    const id = `v${this.versions.length}`;
    const version = {
      id,
      name: "a",
      action: "save",
      at: 0,
      author: "person",
      files: FILES,
      ...more,
    } as const;
    this.versions.push(version);
    return version;
  }

  async *newestFirst(name: string | undefined) {
    for (const version of this.versions.toReversed()) {
      this.read++;
      if (name === undefined || version.name === name) yield version;
    }
  }

  get(id: string) {
    this.read++;
    return this.versions.find((version) => version.id === id);
  }

  async batch(id: string) {
    const found = this.versions.filter(({ batch }) => batch === id).toReversed();
    this.read += found.length;
    return found;
  }
}

const FILES = [{ path: "SKILL.md", sha256: "0", size: 1 }];
const NAMES = ["a", "b", "c"];

/** The stack as lists that are kept from the first version on: what is made, and what was taken back. */
class Model {
  readonly past = new KnownPast();
  done: VersionRecord[] = [];
  undone: VersionRecord[][] = [];
  private batches = 0;

  change(names: readonly string[]) {
    const batch = `b${this.batches++}`;
    for (const name of names) this.done.push(this.past.add({ name, batch }));
    this.undone = [];
  }

  /** Below the changes of other skills that came after the last one of this skill. */
  edit(name: string) {
    const version = this.past.add({ name, reason: FOUND_ON_DISK });
    const last = this.done.findLastIndex((each) => each.name === name);
    if (last >= 0) this.done.splice(last + 1, 0, version);
  }

  next(name: string | undefined): VersionRecord[] {
    const mine = this.done.filter((each) => name === undefined || each.name === name);
    const last = mine.at(-1);
    return mine
      .filter(({ id, batch }) => id === last?.id || (batch !== undefined && batch === last?.batch))
      .sort((a, b) => this.past.versions.indexOf(b) - this.past.versions.indexOf(a));
  }

  undo(name: string | undefined) {
    const taken = this.next(name);
    if (taken.length === 0) return;
    this.mark("undo", taken);
    this.done = this.done.filter((each) => !taken.includes(each));
    this.undone.push(taken);
  }

  redo() {
    const taken = this.undone.pop();
    if (taken === undefined) return;
    this.mark("redo", taken);
    this.done.push(...taken);
  }

  private mark(action: "undo" | "redo", versions: readonly VersionRecord[]) {
    const batch = `b${this.batches++}`;
    for (const { id, name } of versions)
      this.past.add({ name, action, batch, data: { [action === "undo" ? "undoes" : "redoes"]: id } });
  }
}

const name = fc.constantFrom(...NAMES);
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("change" as const), names: fc.uniqueArray(name, { minLength: 1 }) }),
    fc.record({ do: fc.constant("edit" as const), name }),
    fc.record({ do: fc.constant("undo" as const), name: fc.option(name, { nil: undefined }) }),
    fc.record({ do: fc.constant("redo" as const) }),
  ),
  { maxLength: 25 },
);

const ids = (versions: readonly VersionRecord[]) => versions.map(({ id }) => id);
const orNone = (answer: Promise<VersionRecord[]>) => answer.then(ids, () => []);

describe("the stack of changes", () => {
  test("is read from its end as it would be kept from its beginning", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const model = new Model();
        for (const step of history) {
          if (step.do === "change") model.change(step.names);
          else if (step.do === "edit") model.edit(step.name);
          else if (step.do === "undo") model.undo(step.name);
          else model.redo();
          for (const each of [undefined, ...NAMES])
            expect(await orNone(lastChange(model.past, each))).toEqual(ids(model.next(each)));
          expect(await orNone(lastUndone(model.past))).toEqual(ids(model.undone.at(-1) ?? []));
        }
      }),
      { numRuns: 150 },
    );
  });

  test("costs the same however many versions came before", async () => {
    const cost = async (count: number) => {
      const model = new Model();
      for (let n = 0; n < count; n++) model.change([NAMES[n % NAMES.length]!]);
      model.undo(undefined);
      model.past.read = 0;
      await lastChange(model.past);
      await lastUndone(model.past);
      return model.past.read;
    };
    expect(await cost(400)).toBe(await cost(100));
  });

  test("takes an undo that was undone for a change that is made again", async () => {
    const past = new KnownPast();
    const first = past.add({});
    const undo = past.add({ action: "undo", data: { undoes: first.id } });
    const second = past.add({ action: "undo", data: { undoes: undo.id } });
    expect(ids(await lastChange(past))).toEqual([first.id]);
    past.add({ action: "undo", data: { undoes: second.id } });
    await expect(lastChange(past)).rejects.toMatchObject({ code: "nothing-to-undo" });
    expect(ids(await lastUndone(past))).toEqual([first.id]);
  });
});
