/** A whole search by a GPU, whose fits share dispatches, and by two threads of the CPU. */

import { availableParallelism } from "node:os";
import type { Parameters, SearchSpace } from "../../../engine/src/search/space.ts";
import { syntheticData } from "../bench-data.ts";
import { ourTrials } from "../trials/our-trials.ts";
import type { Check } from "./gpu.bench.ts";

const COLUMNS = 30;
const FOLDS = 5;
/** Fits side by side: a device that they share has more of them under way than there are cores. */
const FITS_A_CORE = 2;

export interface SearchSize {
  readonly rows: number;
  readonly trials: number;
  readonly rounds: number;
  readonly leaves: number;
}

/** The device took part, and equal are the best loss and the rounds of all fits. */
export async function checkSearch({ rows, trials, rounds, leaves }: SearchSize): Promise<Check> {
  const data = syntheticData(rows, COLUMNS);
  const space: SearchSpace = {
    learning_rate: { type: "float", low: 0.05, high: 0.3, log: true },
    num_leaves: { type: "int", low: 4, high: leaves, log: true },
    min_data_in_leaf: { type: "int", low: 1, high: 100, log: true },
    lambda_l1: { type: "float", low: 1e-4, high: 10, log: true },
    lambda_l2: { type: "float", low: 1e-4, high: 10, log: true },
  };
  const fixed: Parameters = {
    ...{ n_estimators: rounds, early_stopping_rounds: 50, extra_trees: false },
    ...{ bagging_fraction: 1, feature_fraction: 1 },
  };
  const request = { space, fixed, trials, folds: FOLDS, pruning: false, seed: 0 };
  const threads = FITS_A_CORE * availableParallelism();
  const onDevice = await ourTrials(data, { ...request, threads, device: "webgpu" });
  const hasTakenPart = /[1-9]\d* requests of /.test(onDevice.device ?? "");
  const expected = await ourTrials(data, { ...request, threads: 2, device: "wasm" });
  return {
    name: `a search of gbdt, ${trials} × ${FOLDS} folds, ${rows} × ${COLUMNS} (CPU: two threads)`,
    equal: hasTakenPart && onDevice.loss === expected.loss && onDevice.rounds === expected.rounds,
    cpu_s: expected.seconds,
    gpu_s: onDevice.seconds,
  };
}
