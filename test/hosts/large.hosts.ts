// Hosts with a library of 5,000 skills that was never indexed: the first message is answered with the right skill, what the
// model reads keeps to its budget and is never a piece of the alphabet, and the processor time of the start is printed.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CATALOG_CHARS } from "../../src/adapters/hooks/catalog.ts";
import { type FakeModel, startFakeModel } from "./fake-model.ts";
import { chosenHosts } from "./hosts.ts";
import { type Place, placeWith, startedIn, timeHost, writeAll } from "./run.ts";
import { HEADS, namesIn, paragraphsFrom } from "./section.ts";
import { note, readTable } from "./table.ts";

const MESSAGE = "please tune the old violin of my aunt";
const RIGHT = "tune-old-violin";
const ANSWER = "It is in tune.";

const VERBS =
  "archive brew calibrate draft enlarge forge glaze harvest inspect join knit label measure narrate order plan quote repair sew tune";
const LOOKS = "small old red tall wet thin loud cold new broken";
const THINGS =
  "apron basket clock door engine fence garden hammock invoice jacket kettle lamp mirror notebook oven piano quilt roof saddle table umbrella violin wagon xylophone zipper";

/** A message's skills: ten descriptions of these at most. */
const HINT_CHARS = 1_500;

const words = (list: string) => list.split(" ");

/** Each verb with each thing: every word of the message is in hundreds of skills. */
const LIBRARY = Object.fromEntries(
  words(VERBS).flatMap((verb) =>
    words(LOOKS).flatMap((look) =>
      words(THINGS).map((thing) => {
        const name = `${verb}-${look}-${thing}`;
        const description = `How to ${verb} a ${look} ${thing}. Use when somebody wants to ${verb} one.`;
        return [
          `.repertoire/skills/${name}/SKILL.md`,
          `---\nname: ${name}\ndescription: ${description}\n---\n\n1. Look at the ${thing}.\n2. Then ${verb} it.\n`,
        ];
      }),
    ),
  ),
);

/** Nobody is there to tell the host that the project is trusted. */
const SETTINGS = { sources: { bundled: false }, trust: { projects: "all" } };

const hasSection = (id: string) => readTable().find(({ host }) => host === id)?.section === "once";
const hosts = chosenHosts().filter(({ id }) => hasSection(id));

/** Our plugins for them add to messages only. */
const NO_CATALOG = ["opencode", "pi"];

let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
});
afterAll(() => model.close());

const places = [
  ["the home", (place: Place) => place.home],
  ["the project", (place: Place) => place.project],
] as const;

describe.each(
  hosts.flatMap((host) => places.map(([where, folder]) => [host.title, where, host, folder] as const)),
)("%s with 5,000 skills in %s", (title, where, host, folder) => {
  let place: Place;
  let texts: string;
  beforeAll(async () => {
    place = placeWith({ ".repertoire/repertoire.config.json": JSON.stringify(SETTINGS) });
    const started = startedIn(place, model, MESSAGE);
    writeAll(folder(place), LIBRARY);
    writeAll(place.home, host.files?.(started) ?? {});
    const seconds: number[] = [];
    const run = async () => {
      model.begin([{ say: ANSWER }]);
      const timed = await timeHost(host, place, started);
      expect(timed.output).toContain(ANSWER);
      seconds.push(timed.seconds);
      return model.sent[0]!.texts.join("\n");
    };
    await run();
    place.repertoire("setup", host.id);
    texts = await run();
    place.repertoire("index");
    await run();
    const [alone, first, later] = seconds.map((each) => each.toFixed(1));
    process.stdout.write(
      `${title} with 5,000 skills in ${where}, seconds of processor time: ${alone} alone, ${first} with us the first time, ${later} with an index\n`,
    );
  });
  afterAll(() => place.remove());

  const part = (head: string) => paragraphsFrom(head, texts);

  it("answers the first message with the right skill first", () => {
    expect(namesIn(part(HEADS.message))[0]).toBe(RIGHT);
    expect(part(HEADS.message).length).toBeLessThanOrEqual(HINT_CHARS);
    note(host.id, { large: "right skill first" });
  });

  it.skipIf(NO_CATALOG.includes(host.id))(
    "keeps the catalog to its budget, says how many skills there are, and lists no piece of the alphabet",
    () => {
      const catalog = part(HEADS.catalog);
      expect(catalog).toMatch(/\b50\d\d (?:more )?skills\b/);
      expect(catalog.length).toBeLessThanOrEqual(CATALOG_CHARS.complement);
      expect(namesIn(catalog).filter((name) => `.repertoire/skills/${name}/SKILL.md` in LIBRARY)).toEqual([]);
    },
  );
});

it.each(chosenHosts().filter(({ id }) => !hasSection(id)))("has no hook in $title", ({ id }) =>
  note(id, { large: "no hook" }),
);
