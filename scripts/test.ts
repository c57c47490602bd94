/**
 * Runs every test and ends with one plain line of counts. After a whole run it also holds the
 * answers that the black-box tests have seen against those that the service's document names.
 */

import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { SHARED_VARIABLE } from "../server/src/testing/shared-folder.ts";
import {
  coverageSummary,
  coverageTable,
  readCoverage,
} from "../test/support/operation-coverage.ts";
import { REQUESTS_VARIABLE } from "../test/support/request-log.ts";

const selection = process.argv.slice(2);
if (selection.includes("--help")) {
  console.log(
    "pnpm test [vitest arguments]: runs every test; e.g. `pnpm test engine/src/metrics` runs some.\n" +
      `A run without arguments writes ${coverageFile()}: which answers of which operations were seen.`,
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
// PostgreSQL may run as another user, who has to get to what lies in it.
chmodSync(folder, 0o711);
const report = join(folder, "report.json");
const vitest = spawn(
  "vitest",
  ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...selection],
  {
    stdio: "inherit",
    env: {
      ...process.env,
      [REQUESTS_VARIABLE]: folder,
      [SHARED_VARIABLE]: folder,
      // The tests start dozens of servers: what the first has compiled, the others load.
      NODE_COMPILE_CACHE: join(folder, "compiled"),
    },
  },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => vitest.kill(signal));
vitest.on("error", (error) => {
  throw error;
});
vitest.on("exit", (code) => {
  const counts: Counts = JSON.parse(readFileSync(report, "utf8"));
  const isCovered = selection.length > 0 || reportCoverage();
  rmSync(folder, { recursive: true });
  const passed = counts.numPassedTests + (selection.length === 0 && isCovered ? 1 : 0);
  const failed = counts.numFailedTests + (isCovered ? 0 : 1);
  const skipped = counts.numPendingTests + counts.numTodoTests;
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exit(code || (isCovered ? 0 : 1));
});

function coverageFile(): string {
  return join("coverage", "operations.md");
}

/** The table of a whole run. @returns whether nothing that is required is missing from it */
function reportCoverage(): boolean {
  const coverage = readCoverage(folder);
  if (coverage === null) {
    console.log("Operations: no test has started a server.");
    return false;
  }
  mkdirSync("coverage", { recursive: true });
  writeFileSync(coverageFile(), coverageTable(coverage));
  console.log(`Operations: ${coverageSummary(coverage)} (${coverageFile()})`);
  for (const cell of coverage.missing) console.log(`  not seen: ${cell}`);
  return coverage.missing.length === 0;
}
