// Owns the configuration keys of the language model. A project never sets them: they decide what leaves the machine
// and what costs money.

import { MODEL_KINDS } from "../models/models.ts";
import type { ConfigKey } from "./keys.ts";

interface Row {
  readonly accepted: string;
  readonly accepts: (value: unknown) => boolean;
  readonly about: string;
  readonly env?: string;
  readonly default?: unknown;
  readonly number?: boolean;
}

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isAtLeast = (least: number) => (value: unknown) => typeof value === "number" && value >= least;

const ROWS: Readonly<Record<string, Row>> = {
  kind: {
    accepted: MODEL_KINDS.join(", "),
    accepts: (value) => MODEL_KINDS.includes(value as (typeof MODEL_KINDS)[number]),
    about: "The language model for summaries, dreams and chat; none needs nothing and sends nothing.",
    env: "REPERTOIRE_MODEL_KIND",
    default: "none",
  },
  endpoint: {
    accepted: "an address such as http://localhost:11434/v1",
    accepts: isText,
    about: "Address of the server, up to /v1; openai and anthropic have their own.",
    env: "REPERTOIRE_MODEL_ENDPOINT",
  },
  name: {
    accepted: "the name of a model",
    accepts: isText,
    about: "The model that the server offers.",
    env: "REPERTOIRE_MODEL",
  },
  apiKeyEnv: {
    accepted: "the name of an environment variable",
    accepts: isText,
    about:
      "Where the key is read from (OPENAI_API_KEY, ANTHROPIC_API_KEY); the key itself is never written into a file.",
  },
  timeoutMs: {
    accepted: "milliseconds, at least 1",
    accepts: isAtLeast(1),
    about:
      "How long one answer may take, retries included (60000); in a chat, how long the model may be silent.",
    number: true,
  },
  retries: {
    accepted: "a whole number from 0",
    accepts: (value) => Number.isInteger(value) && isAtLeast(0)(value),
    about: "How often a busy server is asked again (2).",
    number: true,
  },
  priceIn: {
    accepted: "US dollars for a million tokens",
    accepts: isAtLeast(0),
    about: "What reading costs, so that the journal can count it.",
    number: true,
  },
  priceOut: {
    accepted: "US dollars for a million tokens",
    accepts: isAtLeast(0),
    about: "What writing costs, so that the journal can count it.",
    number: true,
  },
};

export const MODEL_KEYS: readonly ConfigKey[] = Object.entries(ROWS).map(([key, row]) => ({
  key: `model.${key}`,
  accepted: row.accepted,
  accepts: row.accepts,
  default: row.default,
  ...(row.env !== undefined && { env: row.env }),
  fromText: row.number ? Number : (text: string) => text,
  projectMaySet: false,
  about: row.about,
}));
