// Which folders of skills each host lists by itself, without us: our catalog leaves out what the host shows.

import { execFileSync } from "node:child_process";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostsReading, readsDeeply } from "../../src/adapters/hooks/catalog.ts";
import { HOOK_HOSTS } from "../../src/adapters/hooks/event.ts";
import { hostFolders } from "../../src/discover/discover.ts";
import { type FakeModel, startFakeModel } from "./fake-model.ts";
import { chosenHosts } from "./hosts.ts";
import { type Place, placeWith, runHost, startedIn, writeAll } from "./run.ts";

const ANSWER = "Hello.";

/** Folders of earlier days that no agent has as its first one, and neighbours of those that are read. */
const MORE = [".agent/skills", ".opencode/skill", ".config/opencode/skill", ".copilot/skills", "skills"];

interface Root {
  readonly root: string;
  readonly scope: "user" | "project";
}

let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
});
afterAll(() => model.close());

const hosts = chosenHosts().flatMap((host) => {
  const id = HOOK_HOSTS.find((known) => known === host.id);
  return id === undefined ? [] : [[host.title, host, id] as const];
});

describe.each(hosts)("%s", (_, host, id) => {
  let place: Place;
  let roots: Root[];
  beforeAll(async () => {
    place = placeWith({});
    execFileSync("git", ["init", "--quiet"], { cwd: place.project });
    roots = rootsIn(place);
    roots.forEach(({ root }, at) => {
      writeAll(root, {
        [`direct-${at}/SKILL.md`]: skillText(`direct-${at}`),
        [`group/deep-${at}/SKILL.md`]: skillText(`deep-${at}`),
      });
    });
    const started = startedIn(place, model, "hello there");
    writeAll(place.home, host.files?.(started) ?? {});
    model.begin([{ say: ANSWER }]);
    expect(await runHost(host, place, started)).toContain(ANSWER);
  });
  afterAll(() => place.remove());

  it("lists the skills of the folders that we take for its own, and of no other", () => {
    const { request } = model.sent[0]!;
    const listed = (kind: string) => named(roots.filter((_, at) => request.includes(`Says ${kind}-${at}.`)));
    const own = named(roots.filter((root) => hostsReading(root).includes(id)));
    expect({ direct: listed("direct"), deep: listed("deep") }).toEqual({
      direct: own,
      deep: readsDeeply(id) ? own : [],
    });
  });

  const named = (some: readonly Root[]) =>
    some.map(
      ({ root, scope }) => `${scope} ${relative(scope === "user" ? place.home : place.project, root)}`,
    );
});

/** Every folder that some agent reads, in the home and in the project. */
function rootsIn({ home, project }: Place): Root[] {
  const folders = new Set([
    ...hostFolders({ home, project }).flatMap(({ user, project: inProject }) => [
      ...(user ? [relative(home, user)] : []),
      ...(inProject ? [relative(project, inProject)] : []),
    ]),
    ...MORE,
  ]);
  return [...folders].flatMap((folder) => [
    { root: join(home, folder), scope: "user" as const },
    { root: join(project, folder), scope: "project" as const },
  ]);
}

function skillText(name: string): string {
  return `---\nname: ${name}\ndescription: Says ${name}.\n---\n\nSlowly.\n`;
}
