/** One run under a time budget, as `train` makes it with a folder, and where its time went. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeReport } from "../../../engine/src/report/write-report.ts";
import { SYSTEM_CLOCK } from "../../../engine/src/trainer/clock/budget.ts";
import { type RunConfigInput, runConfigSchema } from "../../../engine/src/trainer/config/config.ts";
import type { RunState } from "../../../engine/src/trainer/log/state.ts";
import { FolderRunStore } from "../../../engine/src/trainer/log/store.ts";
import { prepareRun } from "../../../engine/src/trainer/plan/prepare.ts";
import type { TableFile } from "../../../engine/src/trainer/plan/run-table.ts";
import { RunDriver } from "../../../engine/src/trainer/run.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";

export interface BudgetedRun {
  /** Of wall time, from before the first byte is read until the report is written. */
  readonly seconds: number;
  /** Seconds from the start until each phase was over. */
  readonly ends: Readonly<Record<"prepare" | "search" | "select" | "fit" | "save", number>>;
  readonly state: RunState;
}

export async function runUnderBudget(file: TableFile, input: RunConfigInput): Promise<BudgetedRun> {
  const startedAt = SYSTEM_CLOCK.now();
  const since = (): number => (SYSTEM_CLOCK.now() - startedAt) / 1000;
  const folder = mkdtempSync(join(tmpdir(), "distillery-budget-"));
  const pool = createPool();
  const ends = { prepare: 0, search: 0, select: 0, fit: 0, save: 0 };
  try {
    const config = runConfigSchema.parse(input);
    const run = await prepareRun(
      { file, config, spent: { seconds: since(), threads: pool.threads } },
      pool,
    );
    ends.prepare = since();
    const driver = new RunDriver({
      run,
      config,
      store: new FolderRunStore(folder),
      pool,
      startedAt,
      onEvent: ({ type }) => {
        if (type === "selected") ends.select = since();
        else if (type === "fitted") ends.fit = since();
        else if (type === "done") ends.save = since();
        else ends.search = since();
      },
    });
    const state = await driver.drive();
    await writeReport(driver);
    return { seconds: since(), ends, state };
  } finally {
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
