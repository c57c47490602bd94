/** A search of a number of trials by this engine, binning included: what it found, and the time until its last trial. */

import process from "node:process";
import type { DeviceName } from "../../../engine/src/compute/gpu/device-settings.ts";
import type { Parameters, SearchSpace } from "../../../engine/src/search/space.ts";
import { runConfigSchema } from "../../../engine/src/trainer/config/config.ts";
import { MemoryRunStore } from "../../../engine/src/trainer/log/store.ts";
import { prepareTable } from "../../../engine/src/trainer/plan/prepare.ts";
import type { PreparedRun } from "../../../engine/src/trainer/plan/prepared.ts";
import { RunDriver } from "../../../engine/src/trainer/run.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import type { BenchData } from "../bench-data.ts";

export interface TrialsRequest {
  readonly space: SearchSpace;
  readonly fixed: Parameters;
  readonly trials: number;
  readonly folds: number;
  readonly threads: number;
  readonly pruning: boolean;
  readonly seed: number;
  /** Default: the CPU. */
  readonly device?: DeviceName;
}

export interface SearchedTrials {
  readonly seconds: number;
  /** Of the processor, of all threads: what else runs changes it little. */
  readonly cpu: number;
  /**
   * Mean over the folds, of the best trial, each at the round that its own validation rows choose: what LightGBM
   * tells. Our trials are chosen by a loss that is free of that choice, and a little higher.
   */
  readonly loss: number;
  readonly trials: number;
  readonly pruned: number;
  /** Fits of folds that were run to their end. */
  readonly folds: number;
  /** Boosting rounds of all fits. */
  readonly rounds: number;
  /** What devices did, as the run says it. */
  readonly device: string | null;
}

/** As the run of `ourTrials` splits them: by row, the fold in which it is validated. */
export function foldsOf({ folds }: PreparedRun, rows: number): Uint8Array {
  const foldOf = new Uint8Array(rows);
  for (const [fold, { valid }] of folds.entries()) for (const row of valid) foldOf[row] = fold;
  return foldOf;
}

/** @param onPrepared called with the run, whose folds others can take */
export async function ourTrials(
  { table, target, task, train }: BenchData,
  request: TrialsRequest,
  onPrepared: (run: PreparedRun) => void = () => undefined,
): Promise<SearchedTrials> {
  const { space, fixed, trials, folds, threads, pruning, seed, device = "wasm" } = request;
  const config = runConfigSchema.parse({
    task: { taskKind: task.kind, labelColumn: "y" },
    nTrials: trials,
    nCvSplits: folds,
    pruning,
    randomState: seed,
    device,
    hpoSpace: { models: [{ family: "gbdt", search: space, fixed }] },
  });
  const pool = createPool(threads);
  try {
    const begun = performance.now();
    const before = process.cpuUsage();
    const columns = table.columns.map((column) =>
      column.kind === "numeric"
        ? { ...column, values: column.values.subarray(0, train.length) }
        : column,
    );
    const label = { kind: "numeric", name: "y", values: target.subarray(0, train.length) } as const;
    const run = prepareTable({ rows: train.length, columns: [...columns, label] }, config);
    onPrepared(run);
    let ended = { at: begun, used: before };
    const driver = new RunDriver({
      ...{ run, config, pool, store: new MemoryRunStore(), reports: false },
      onEvent({ type }) {
        if (!type.startsWith("trial_") && !type.startsWith("fold_")) return;
        ended = { at: performance.now(), used: process.cpuUsage(before) };
      },
    });
    const state = await driver.drive();
    const fits = state.trials.flatMap(({ folds }) =>
      folds.flatMap((fold) => (fold?.state === "finished" ? [fold] : [])),
    );
    const finished = state.trials.filter((trial) => trial.state === "finished");
    const losses = finished.map(({ folds }) => {
      const stopped = folds.map((fold) =>
        fold?.state === "finished" ? Number(fold.facts["validation_loss"]) : Number.NaN,
      );
      return stopped.reduce((sum, loss) => sum + loss, 0) / stopped.length;
    });
    return {
      seconds: (ended.at - begun) / 1000,
      cpu: (ended.used.user + ended.used.system) / 1e6,
      loss: Math.min(...losses),
      trials: state.trials.length,
      pruned: state.trials.filter((trial) => trial.state === "pruned").length,
      folds: fits.length,
      rounds: fits.reduce((sum, { facts }) => sum + Number(facts["rounds"] ?? 0), 0),
      device: state.device,
    };
  } finally {
    await pool.close();
  }
}
