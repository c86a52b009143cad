import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "evals/**/*.test.ts"],
    testTimeout: 30_000,
    // Some build a program first.
    hookTimeout: 120_000,
    // A condition is waited for as long as the test may take: a busy machine is no failure.
    expect: { poll: { timeout: 20_000 } },
    reporters: ["default"],
  },
});
