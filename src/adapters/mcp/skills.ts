// Serves the library through the protocol's Skills extension: entries with digests, and their files, read fresh.
// Only what the model may see is listed, and only what a person agreed to in the task, or for good, can be read.

import { isUtf8 } from "node:buffer";
import { ProtocolError, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import {
  SkillCatalogError,
  type Skill as SkillEntry,
  type SkillSource,
  SkillsExtension,
  skillEntry,
} from "@modelcontextprotocol/server/ext/skills";
import { isRepertoireError, messageOf } from "../../model/errors.ts";
import type { Skill } from "../../model/skill.ts";
import type { McpParts } from "./parts.ts";
import { pageStart } from "./parts.ts";

/** Each entry costs the reading of a whole package. */
const PAGE = 50;
const BASE = "skill://";

interface ExtensionOptions {
  /** What the client of a request works with. */
  readonly partsOf: (ctx: ServerContext) => McpParts;
  /** The task whose consents count for a request. */
  readonly taskOf: (ctx: ServerContext) => string;
  readonly onWarning: (text: string) => void;
}

export function skillsExtension({ partsOf, taskOf, onWarning }: ExtensionOptions): SkillsExtension {
  /** Without the words of a dangerous skill, and of any other no more front matter than a catalog shows. */
  const entryOf = async (skill: Skill, parts: McpParts): Promise<SkillEntry | undefined> => {
    if (skill.withheld) return undefined;
    try {
      const { snapshot } = await parts.engine.consents.offer(skill.name, {});
      const files = [...snapshot.files].map(([path, { bytes }]) => [path, bytes]);
      const entry = await skillEntry(skill.name, Object.fromEntries(files));
      const { name, description } = entry.frontmatter;
      return { ...entry, frontmatter: { name, description } };
    } catch (thrown) {
      // The extension is stricter than we are; such a skill is still recalled and activated.
      if (!(thrown instanceof SkillCatalogError) && !isRepertoireError(thrown)) throw thrown;
      parts.warnOnce(`"${skill.name}" is not listed as a protocol skill: ${messageOf(thrown)}`, onWarning);
      return undefined;
    }
  };
  /** The skill whose folder the address is in: the longest name, because skills nest. */
  const locate = async (uri: string, { engine }: McpParts) => {
    const path = uri.startsWith(BASE) ? decoded(uri.slice(BASE.length)) : "";
    const view = await engine.library.view();
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const skill = view.active(path.slice(0, at));
      if (skill) return { skill, path: path.slice(at + 1) };
    }
    return undefined;
  };
  const source: SkillSource = {
    async list({ cursor }, ctx) {
      const from = pageStart(cursor);
      const parts = partsOf(ctx);
      const all = (await parts.engine.library.view()).visible();
      const entries = await Promise.all(all.slice(from, from + PAGE).map((skill) => entryOf(skill, parts)));
      const skills = entries.filter((entry) => entry !== undefined);
      return { skills, ...(from + PAGE < all.length && { nextCursor: String(from + PAGE) }) };
    },
    async get(uri, ctx) {
      const parts = partsOf(ctx);
      const found = await locate(uri, parts);
      return found?.path === "SKILL.md" ? entryOf(found.skill, parts) : undefined;
    },
    async read(uri, ctx) {
      const parts = partsOf(ctx);
      const found = await locate(uri, parts);
      if (!found) return undefined;
      const offer = await parts.engine.gate.agreed(found.skill.name, { task: taskOf(ctx) });
      if (!offer) throw notAgreed(found.skill);
      const file = offer.snapshot.files.get(found.path);
      if (!file) return undefined;
      const type = /\.md$/i.test(found.path) && { mimeType: "text/markdown" };
      return { ...asContent(file.bytes), ...type };
    },
  };
  return new SkillsExtension({ source, onWarning: ({ path, message }) => onWarning(`${path}: ${message}`) });
}

function notAgreed({ name }: Skill): ProtocolError {
  const message = `"${name}" needs a person's consent before its files can be read. Load the skill with its tool first, which asks for consent.`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** Text as text, so that every client can show it; byte for byte what the digest is of. */
function asContent(bytes: Uint8Array): { text: string } | { bytes: Uint8Array } {
  if (!isUtf8(bytes) || bytes.includes(0)) return { bytes };
  return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) };
}

/** An address that cannot be decoded names nothing. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (thrown) {
    if (thrown instanceof URIError) return "";
    throw thrown;
  }
}
