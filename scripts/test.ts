/** Runs every test and ends with one plain line of counts. */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

if (process.argv.includes("--help")) {
  console.log(
    "pnpm test [vitest arguments]: runs every test; e.g. `pnpm test engine/src/metrics` runs some.",
  );
  process.exit(0);
}

interface Counts {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

const folder = mkdtempSync(join(tmpdir(), "distillery-test-"));
const report = join(folder, "report.json");
const vitest = spawn(
  "vitest",
  [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { stdio: "inherit" },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => vitest.kill(signal));
vitest.on("error", (error) => {
  throw error;
});
vitest.on("exit", (code) => {
  const counts: Counts = JSON.parse(readFileSync(report, "utf8"));
  rmSync(folder, { recursive: true });
  const skipped = counts.numPendingTests + counts.numTodoTests;
  console.log(
    `${counts.numPassedTests} passed, ${counts.numFailedTests} failed, ${skipped} skipped`,
  );
  process.exit(code ?? 1);
});
