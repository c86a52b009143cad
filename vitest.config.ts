import { defineConfig } from "vitest/config";

// Tests beside the source that open an engine, a store or a program, or that take long.
const composed = [
  "src/*.test.ts",
  "src/{adapters,agent,engine,stores,telemetry,tools}/**/*.test.ts",
  "src/**/*.contract.test.ts",
];

export default defineConfig({
  test: {
    // These end a test that hangs. They are far above what a test needs, so that a busy machine fails none.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ["default"],
    // Toolsets run in a program that is bundled, also when the rest runs from the sources.
    globalSetup: "test/toolset-program.ts",
    // Encoding the skills of every test's library would take minutes; the tests of the encoder switch it on.
    env: { REPERTOIRE_ENCODER: "off" },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts"],
          exclude: composed,
          // One process loads each module once. A unit test leaves nothing behind that another could see.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "contract",
          include: [...composed, "test/*.test.ts", "test/contracts/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/*/**/*.test.ts", "evals/**/*.test.ts"],
          exclude: ["test/{ai-7,contracts}/**"],
        },
      },
    ],
  },
});
