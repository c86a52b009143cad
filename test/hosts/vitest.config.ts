import { defineConfig } from "vitest/config";

// One host at a time: each is a heavy program.
export default defineConfig({
  test: {
    include: ["test/hosts/*.hosts.ts"],
    globalSetup: "test/hosts/report.ts",
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    // Continue writes no settings by a command, Cline has no hook: a file may have no test for the hosts that were asked for.
    passWithNoTests: true,
  },
});
