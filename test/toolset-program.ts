// Bundles the program in which toolsets run, before the tests.

import { bundleToolsetProgram } from "../scripts/bundle.mjs";

export default function setup(): Promise<void> {
  return bundleToolsetProgram("dist");
}
