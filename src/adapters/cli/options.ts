// Owns how option values are read from text; a wrong one is a usage error that names the accepted values.

import { InvalidArgumentError } from "commander";

export function oneOf(accepted: readonly string[]): (text: string) => string {
  return (text) => {
    if (!accepted.includes(text)) throw new InvalidArgumentError(`Accepted: ${accepted.join(", ")}.`);
    return text;
  };
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0)
    throw new InvalidArgumentError("Accepted: a whole number above 0.");
  return value;
}
