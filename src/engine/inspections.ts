// Where inspections are kept between runs.

import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { InspectionCache } from "../inspect/inspect.ts";
import { buildStamp } from "./package-root.ts";

const FILE = "inspections.json";

/** What inspection found before; undefined if nothing is kept on disk. */
export function openInspections({ cacheDir }: Pick<Config, "cacheDir">): InspectionCache | undefined {
  return cacheDir === undefined ? undefined : new InspectionCache(join(cacheDir, FILE), buildStamp());
}
