// Makes real git repositories for tests.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { temporaryTree } from "./skill-tree.ts";

const IDENTITY = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

export class TestRepository {
  readonly path: string;

  constructor(files: Readonly<Record<string, string | Uint8Array>>) {
    this.path = temporaryTree(files);
    this.git("init", "--quiet", "--initial-branch=main");
    this.commit();
  }

  get url(): string {
    return pathToFileURL(this.path).href;
  }

  /** Runs git in the repository and returns what it prints. */
  git(...args: string[]): string {
    return this.gitWith("", ...args);
  }

  gitWith(input: string, ...args: string[]): string {
    const env = { ...process.env, ...IDENTITY };
    return execFileSync("git", args, { cwd: this.path, input, env, encoding: "utf8" }).trim();
  }

  /** Commits everything, after these changes; a file without content is removed. Returns the commit. */
  commit(changes: Readonly<Record<string, string | undefined>> = {}): string {
    for (const [path, content] of Object.entries(changes)) {
      const full = join(this.path, path);
      mkdirSync(dirname(full), { recursive: true });
      if (content === undefined) rmSync(full);
      else writeFileSync(full, content);
    }
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "--message", "change");
    return this.git("rev-parse", "HEAD");
  }

  /** Makes a commit of a tree that no working folder could hold: lines of `mode type id<TAB>name`. */
  commitTree(lines: readonly string[]): string {
    const tree = this.gitWith(`${lines.join("\n")}\n`, "mktree", "--missing");
    const commit = this.git("commit-tree", tree, "-m", "hostile");
    this.git("update-ref", "refs/heads/main", commit);
    return commit;
  }

  /** The id of a blob with this content. */
  blob(content: string): string {
    return this.gitWith(content, "hash-object", "-w", "--stdin");
  }

  tree(lines: readonly string[]): string {
    return this.gitWith(`${lines.join("\n")}\n`, "mktree", "--missing");
  }
}
