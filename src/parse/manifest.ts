// Makes the manifest from a front matter of any dialect. The keys are in `dialects.ts`.

import { isFrame } from "../model/frame.ts";
import type { SkillManifest } from "../model/skill.ts";
import { type Report, shown } from "./codes.ts";
import { toFlag, toList, toText } from "./coerce.ts";
import {
  type FlagField,
  type KeyRow,
  type ListField,
  type Place,
  rowFor,
  TEXT_FIELDS,
  type TextField,
} from "./dialects.ts";
import { LIMITS } from "./limits.ts";
import { briefOf, clipped } from "./prose.ts";
import { isMap, type YamlMap, type YamlValue } from "./yaml.ts";

/** What the front matter said, by field, before defaults. */
export interface Draft {
  readonly text: { [field in TextField]?: string };
  readonly lists: { [field in ListField]?: string[] };
  readonly flags: { [field in FlagField]?: boolean };
  metadata: YamlMap;
  readonly unknown: YamlMap;
}

interface Reading {
  readonly draft: Draft;
  readonly report: Report;
  readonly lineOf: (key: string) => number | undefined;
}

export function readDraft(raw: YamlMap, report: Report, lineOf: (key: string) => number | undefined): Draft {
  const draft: Draft = {
    text: {},
    lists: {},
    flags: {},
    metadata: Object.create(null),
    unknown: Object.create(null),
  };
  readPlace(raw, "top", { draft, report, lineOf });
  checkLists(draft, report);
  return draft;
}

/** Plain keys before maps, so that a key at the top counts before the same one below `metadata`. */
function readPlace(map: YamlMap, place: Place, reading: Reading): void {
  const maps: [KeyRow, YamlValue, string][] = [];
  for (const key in map) {
    const value = map[key] as YamlValue;
    const row = rowFor(place, key);
    if (row === undefined) {
      if (place === "top") reading.draft.unknown[key] = value;
    } else if (row.kind === "map") maps.push([row, value, key]);
    else readValue(row, value, key, reading);
  }
  for (const [row, value, key] of maps) {
    if (isMap(value)) {
      if (row.field === "metadata") reading.draft.metadata = value;
      readPlace(value, row.opens as Place, reading);
    } else if (row.field === undefined) refuse(reading, key, "a map");
    else if (row.field !== "metadata")
      addList(row.field as ListField, toList(value, "phrases") ?? [], reading);
  }
}

function readValue(row: KeyRow, value: YamlValue, key: string, reading: Reading): void {
  const { text, flags } = reading.draft;
  if (row.kind === "flag") {
    const flag = toFlag(value);
    const field = row.field as FlagField;
    if (flag === undefined) refuse(reading, key, "true or false", value);
    // Two keys can say that only a person may invoke a skill; either one is enough.
    else flags[field] = field === "userOnly" ? flag || flags[field] === true : (flags[field] ?? flag);
  } else if (row.kind === "text" || row.kind === "hint") {
    const written = toText(value, row.kind);
    if (written === undefined) refuse(reading, key, "text");
    else if (written !== "") text[row.field as TextField] ??= written;
  } else {
    const list = toList(value, row.kind);
    if (list === undefined) refuse(reading, key, "a list");
    else addList(row.field as ListField, list, reading);
  }
}

function refuse({ report, lineOf }: Reading, key: string, wanted: string, value?: YamlValue): void {
  const found =
    typeof value === "string" ? shown(value) : value === null ? "nothing" : "another kind of value";
  report.add("field-type", `\`${key}\` should be ${wanted}; found ${found}, which is not read.`, lineOf(key));
}

function addList(field: ListField, items: string[], { draft, report }: Reading): void {
  const before = draft.lists[field];
  const all = before === undefined ? items : [...new Set([...before, ...items])];
  const kept = all.length > LIMITS.listItems ? all.slice(0, LIMITS.listItems) : all;
  if (kept !== all)
    report.add("list-truncated", `\`${field}\` has ${all.length} entries; ${LIMITS.listItems} are kept.`);
  draft.lists[field] = kept.some((item) => item.length > LIMITS.itemChars)
    ? kept.map((item) => clipped(item, LIMITS.itemChars))
    : kept;
}

function checkLists({ lists }: Draft, report: Report): void {
  const { frames, "requires.env": env } = lists;
  if (frames) {
    lists.frames = frames.map((frame) => frame.toLowerCase());
    for (const frame of lists.frames) {
      if (!isFrame(frame))
        report.add("frame-unknown", `${shown(frame)} is not a frame that a turn can be in.`);
    }
  }
  const strange = env?.filter((name) => !/^[A-Za-z_]\w*$/.test(name)) ?? [];
  if (env && strange.length > 0) {
    lists["requires.env"] = env.filter((name) => !strange.includes(name));
    report.add(
      "requirement-not-env",
      `Not names of environment variables, so not checked: ${strange.slice(0, 10).map(shown).join(", ")}.`,
    );
  }
}

const NONE: readonly string[] = Object.freeze([]);

export function toManifest(draft: Draft, description: string): SkillManifest {
  const { text, lists, flags } = draft;
  const manifest: { -readonly [key in keyof SkillManifest]: SkillManifest[key] } = {
    description,
    brief:
      text.brief === undefined
        ? briefOf(description)
        : clipped(text.brief.replace(/\s+/g, " "), LIMITS.briefChars),
    frames: lists.frames ?? NONE,
    triggers: {
      keywords: lists["triggers.keywords"] ?? NONE,
      verbs: lists["triggers.verbs"] ?? NONE,
      patterns: lists["triggers.patterns"] ?? NONE,
    },
    tags: lists.tags ?? NONE,
    tools: lists.tools ?? NONE,
    allowedTools: lists.allowedTools ?? NONE,
    requires: {
      env: lists["requires.env"] ?? NONE,
      bins: lists["requires.bins"] ?? NONE,
      anyBins: lists["requires.anyBins"] ?? NONE,
    },
    toolsets: lists.toolsets ?? NONE,
    scripts: lists.scripts ?? NONE,
    seeAlso: lists.seeAlso ?? NONE,
    knowledge: lists.knowledge ?? NONE,
    paths: lists.paths ?? NONE,
    always: flags.always ?? false,
    defaultEnabled: flags.defaultEnabled ?? true,
    userOnly: flags.userOnly ?? false,
    userInvocable: flags.userInvocable ?? true,
    metadata: draft.metadata,
    unknown: draft.unknown,
  };
  for (const field of TEXT_FIELDS) {
    const value = text[field];
    if (value !== undefined) manifest[field] ??= value;
  }
  return manifest;
}
