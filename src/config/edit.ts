// Owns changes that a command makes to the person's own configuration file. Does not validate values: `config.ts` does on reading.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, messageOf, RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import { CONFIG_FILE } from "./config.ts";

/** Puts a skill on the list that switches it on or off, takes it from the other one, and returns the file. */
export function switchSkill(home: string, name: SkillName, on: boolean): string {
  return editUserConfig(home, (config) => {
    const [to, from] = on ? ["enable", "disable"] : ["disable", "enable"];
    const list = (key: string) =>
      Array.isArray(config[key]) ? (config[key] as unknown[]).filter((entry) => entry !== name) : [];
    return { ...config, [from!]: list(from!), [to!]: [...list(to!), name] };
  });
}

function editUserConfig(
  home: string,
  change: (config: Record<string, unknown>) => Record<string, unknown>,
): string {
  const path = join(home, ".repertoire", CONFIG_FILE);
  const config = change(readJson(path));
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, `${JSON.stringify(config, null, 2)}\n`);
    renameSync(temporary, path);
  } catch (thrown) {
    throw new RepertoireError("config-unwritable", `${path} cannot be written: ${messageOf(thrown)}.`, path);
  }
  return path;
}

function readJson(path: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return {};
    throw new RepertoireError(
      "config-not-json",
      `${path} cannot be read as JSON: ${messageOf(thrown)}. Correct it first.`,
      path,
    );
  }
}
