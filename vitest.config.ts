import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { bundledThreads } from "./scripts/bundled-threads.ts";

/** They change the environment or the global objects of their process, which therefore ends with each. */
const ALONE = [
  "server/src/platform/objects/object-store.test.ts",
  "server/src/query/sources/object-source.test.ts",
  "server/src/query/sources/s3-source.test.ts",
  "server/src/sweeping.test.ts",
];

/**
 * They end what hangs, and prove nothing: a machine that others use takes several times as long. No test
 * has one of its own, which `pnpm check` holds them to.
 */
const LIMITS = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 180_000 } },
};

export default defineConfig({
  test: {
    // Two more than cores: many tests wait for a server part of their time.
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        plugins: [bundledThreads()],
        test: {
          name: "engine",
          setupFiles: ["./scripts/property-seed.ts"],
          include: ["engine/src/**/*.test.ts", "engine/predict/src/**/*.test.ts"],
          exclude: ["**/node_modules/**", "engine/src/kernels/assembly/**"],
          // They change nothing but what they make, so that a process loads the engine once for all.
          isolate: false,
          ...LIMITS,
        },
      },
      {
        plugins: [bundledThreads()],
        test: {
          name: "unit",
          setupFiles: ["./scripts/property-seed.ts"],
          include: [
            "server/src/**/*.test.ts",
            "server/console/src/**/*.test.ts",
            "bench/src/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", ...ALONE],
          // Half of their time would go into loading the service anew for each file.
          isolate: false,
          ...LIMITS,
        },
      },
      {
        plugins: [bundledThreads()],
        test: {
          name: "alone",
          setupFiles: ["./scripts/property-seed.ts"],
          include: ALONE,
          ...LIMITS,
        },
      },
      {
        plugins: [bundledThreads()],
        test: {
          name: "blackbox",
          globalSetup: ["./test/support/start-shared-server.ts"],
          include: ["test/**/*.test.ts"],
          // Most of them ask servers; what asks is loaded once for all.
          isolate: false,
          ...LIMITS,
        },
      },
    ],
  },
});
