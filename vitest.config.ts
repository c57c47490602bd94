import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // All cores: most tests wait for a server half of their time.
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          name: "unit",
          setupFiles: ["./scripts/property-seed.ts"],
          include: [
            "engine/src/**/*.test.ts",
            "server/src/**/*.test.ts",
            "bench/src/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", "engine/src/kernels/assembly/**"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "blackbox",
          include: ["test/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
