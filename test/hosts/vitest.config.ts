import { defineConfig } from "vitest/config";

// One host at a time: each is a heavy program.
export default defineConfig({
  test: {
    include: ["test/hosts/*.hosts.ts"],
    globalSetup: "test/hosts/report.ts",
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
