/** One standard search on a sample of a data set, with or without pruning: its cost and its score. */

import process from "node:process";
import type { ComputePool } from "../../../engine/src/compute/pool.ts";
import { CounterRandom, deriveKey } from "../../../engine/src/compute/random.ts";
import { takeRows } from "../../../engine/src/data/table-rows.ts";
import { toLoss } from "../../../engine/src/metrics/index.ts";
import { loadModel } from "../../../engine/src/model/load.ts";
import { defaultMetric } from "../../../engine/src/tasks/fitting-metrics.ts";
import { outputCount } from "../../../engine/src/tasks/index.ts";
import { runConfigSchema } from "../../../engine/src/trainer/config/config.ts";
import { MemoryRunStore, readModelFile } from "../../../engine/src/trainer/log/store.ts";
import { prepareTable } from "../../../engine/src/trainer/plan/prepare.ts";
import { RunDriver } from "../../../engine/src/trainer/run.ts";
import type { BenchData } from "../bench-data.ts";

/** Many held-out rows: differences between two searches are small. */
const HELD_OUT = 4000;
const TRAINING_SHARE = 0.7;

export interface Sample {
  readonly train: Uint32Array;
  readonly test: Uint32Array;
}

/** Rows drawn by the seed, at most so many to learn from and many times as many held out. */
export function sampleOf(data: BenchData, most: number, seed: number): Sample {
  const rows = data.table.rows;
  const random = new CounterRandom(deriveKey(seed, "bench", "pruning"));
  const order = random.shuffle(Uint32Array.from({ length: rows }, (_, row) => row));
  const train = Math.min(most, Math.floor(rows * TRAINING_SHARE));
  return {
    train: order.slice(0, train).sort(),
    test: order.slice(train, train + HELD_OUT).sort(),
  };
}

export interface Searched {
  /** Processor seconds of the search, whatever else the machine does. */
  readonly seconds: number;
  readonly folds: number;
  /** On the held-out rows, of the model that the run ends with. */
  readonly loss: number;
}

export async function searchWith(
  data: BenchData,
  { train, test }: Sample,
  settings: { readonly pruning: boolean; readonly seed: number; readonly trials: number },
  pool: ComputePool,
): Promise<Searched> {
  const features = data.schema.columns.map(({ name }) => name);
  const config = runConfigSchema.parse({
    task: { taskKind: data.task.kind, labelColumn: data.label },
    nTrials: settings.trials,
    pruning: settings.pruning,
    randomState: settings.seed,
  });
  const run = prepareTable(takeRows(data.table, [...features, data.label], train), config);
  const store = new MemoryRunStore();
  const before = process.cpuUsage();
  let used = before;
  const state = await new RunDriver({
    run,
    config,
    store,
    pool,
    onEvent: ({ type }) => {
      if (type.startsWith("trial_") || type.startsWith("fold_")) used = process.cpuUsage(before);
    },
  }).drive();
  const model = await loadModel((path) => readModelFile(store, path));
  const { values } = model.predict(takeRows(data.table, features, test));
  const metric = defaultMetric(data.task.kind);
  // The sample's classes may be fewer than the table's, and are then in an order of their own.
  const target =
    data.task.kind === "regression"
      ? Float64Array.from(test, (row) => data.target[row])
      : Float64Array.from(test, (row) =>
          run.task.classes.indexOf(data.task.classes[data.target[row]]),
        );
  const score = metric.score({
    target,
    predictions: values,
    outputs: outputCount(run.task),
    weights: null,
  });
  return {
    seconds: (used.user + used.system) / 1e6,
    folds: state.trials.flatMap(({ folds }) => folds.filter((fold) => fold !== undefined)).length,
    loss: toLoss(metric, score),
  };
}
