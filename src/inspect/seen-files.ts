// Remembers the files in which nothing matched, so that a copy of one in another package is not inspected again.

import { createHash } from "node:crypto";

/** A collection has hundreds of copies, a library some thousands. */
const MAX_FILES = 10_000;

/** What a package says about itself weighs matches; where there are none, path and content decide alone. */
export class SeenFiles {
  readonly #hosts = new Map<string, readonly string[]>();

  static keyOf(path: string, content: string): string {
    return createHash("sha256").update(`${path}\0${content}`).digest("base64");
  }

  /** The hosts that such a file names; undefined if it was not seen. */
  hostsOf(key: string): readonly string[] | undefined {
    return this.#hosts.get(key);
  }

  add(key: string, hosts: Iterable<string>): void {
    if (this.#hosts.size >= MAX_FILES) this.#hosts.clear();
    this.#hosts.set(key, [...hosts]);
  }
}
