// Owns reading the arguments of a model's call, with messages that let it correct the call. Does not own the tools.

import { RepertoireError } from "./model/errors.ts";

interface ToolShape {
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** A model's arguments, read with messages that let it correct the call. */
export class Arguments {
  private readonly tool: string;
  private readonly given: Readonly<Record<string, unknown>>;

  constructor(tool: ToolShape, given: unknown) {
    const { name, properties } = tool;
    this.tool = name;
    this.given = asObject(name, given);
    const unknown = Object.keys(this.given).find((key) => !Object.hasOwn(properties, key));
    const accepted = Object.keys(properties).join(", ");
    if (unknown !== undefined)
      throw this.wrong(`has no argument "${unknown}"; it takes ${accepted}`, unknown);
  }

  text(key: string): string {
    const value = this.optionalText(key);
    if (value === undefined || value.trim() === "") throw this.wrong(`needs "${key}", a text`, value);
    return value;
  }

  optionalText(key: string): string | undefined {
    const value = this.given[key] ?? undefined;
    if (value === undefined || typeof value === "string") return value;
    throw this.wrong(`takes a text as "${key}"`, value);
  }

  number(key: string): number | undefined {
    const value = this.given[key] ?? undefined;
    if (value === undefined || (Number.isInteger(value) && (value as number) >= 0)) return value as number;
    throw this.wrong(`takes a whole number as "${key}"`, value);
  }

  texts(key: string): readonly string[] {
    const value = this.given[key] ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    throw this.wrong(`takes a list of texts as "${key}"`, value);
  }

  private wrong(what: string, value: unknown): RepertoireError {
    return new RepertoireError("invalid-arguments", `${this.tool} ${what}. Call it again like that.`, value);
  }
}

function asObject(tool: string, given: unknown): Readonly<Record<string, unknown>> {
  const value = given ?? {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new RepertoireError("invalid-arguments", `${tool} takes an object with its arguments.`, given);
}
