import { defineConfig } from "vitest/config";

// One host at a time: each is a heavy program.
export default defineConfig({
  test: {
    include: ["test/hosts/*.hosts.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
