/** The engine's standard search on the training rows of a comparison, within a wall time. */

import { takeRows } from "../../../engine/src/data/table-rows.ts";
import { loadModel } from "../../../engine/src/model/load.ts";
import { SYSTEM_CLOCK } from "../../../engine/src/trainer/budget.ts";
import { runConfigSchema } from "../../../engine/src/trainer/config.ts";
import { prepareTable } from "../../../engine/src/trainer/prepare.ts";
import { RunDriver } from "../../../engine/src/trainer/run.ts";
import { MemoryRunStore, readModelFile } from "../../../engine/src/trainer/store.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import type { BenchData } from "../bench-data.ts";
import type { TunedPredictions, TuneRequest } from "../peer-process.ts";

/** More than fit into any of the times. */
const TRIALS = 10_000;

export async function searchWithin(
  data: BenchData,
  { seconds, threads, seed }: TuneRequest,
): Promise<TunedPredictions> {
  const started = performance.now();
  const startedAt = SYSTEM_CLOCK.now();
  const features = data.schema.columns.map(({ name }) => name);
  const { label } = data;
  const config = runConfigSchema.parse({
    task: { taskKind: data.task.kind, labelColumn: label },
    nTrials: TRIALS,
    timeBudgetS: seconds,
    randomState: seed,
  });
  const run = prepareTable(takeRows(data.table, [...features, label], data.train), config);
  const pool = createPool(threads);
  try {
    const store = new MemoryRunStore();
    const state = await new RunDriver({ run, config, store, pool, startedAt }).drive();
    const model = await loadModel((path) => readModelFile(store, path));
    const { values } = model.predict(takeRows(data.table, features, data.test));
    return {
      predictions: values,
      trials: state.trials.filter((trial) => trial.state === "finished").length,
      seconds: (performance.now() - started) / 1000,
    };
  } finally {
    await pool.close();
  }
}
