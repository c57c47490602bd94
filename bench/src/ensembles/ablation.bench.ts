/**
 * What each family brings to blends on rows that nothing learned from: one search a data set, whose
 * trials are blended with all families and without each.
 */

import {
  Combiner,
  type FittedCalibration,
  fitCalibration,
  weighGreedily,
  weighingMetric,
} from "../../../engine/src/ensemble/index.ts";
import type { Metric } from "../../../engine/src/metrics/metric.ts";
import { metricByName } from "../../../engine/src/tasks/fitting-metrics.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import { listDatasets, VARIED_DATASETS } from "../bench-data.ts";
import { type Findings, geometricMean } from "../findings/findings.ts";
import { shortNumber, textTable } from "../text-table.ts";
import { type PooledTrial, poolOfTrials, type TrialPool } from "./trial-pool.ts";

export interface AblationOptions {
  readonly folder: string;
  /** Data sets to take; empty = `VARIED_DATASETS`. */
  readonly only: readonly string[];
  readonly families: readonly string[];
  readonly seeds: number;
  /** To learn from, at most. */
  readonly rows: number;
  /** Trials a family. */
  readonly trials: number;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

export async function benchAblation(options: AblationOptions): Promise<void> {
  const { folder, only, families, seeds, rows, trials, findings, print } = options;
  const wanted = only.length > 0 ? only : VARIED_DATASETS;
  const table: string[][] = [];
  const brought: number[][] = families.map(() => []);
  const pool = createPool();
  try {
    for (const { name } of listDatasets(folder).filter((each) => wanted.includes(each.name))) {
      for (let seed = 0; seed < seeds; seed++) {
        const trialsOf = await poolOfTrials({ folder, name, rows, trials, seed, pool, families });
        const { cells, without } = rowOf(trialsOf, families);
        for (const [index, ratio] of without.entries()) {
          if (Number.isFinite(ratio)) brought[index].push(ratio);
        }
        table.push([name, ...cells]);
        print(`${table.at(-1)?.join("  ")}\n`);
      }
    }
  } finally {
    await pool.close();
  }
  print(
    `\nHeld-out log-loss or rmse of each family's best of ${trials} trials, at most ${rows} rows; of the blend of all; and by how many percent it is worse without a family\n`,
  );
  for (const [index, family] of families.entries()) {
    if (brought[index].length === 0) continue;
    findings.compare({
      ...{ what: "held-out loss of the blend of all families", unit: "relative" },
      ...{ better: "smaller", ours: 1, against: `without ${family}` },
      theirs: geometricMean(brought[index]),
    });
  }
  const without = families.map((family) => `-${family}`);
  print(`${textTable(["", ...families, "blend", ...without], table)}\n`);
}

function rowOf(
  pool: TrialPool,
  families: readonly string[],
): { readonly cells: string[]; readonly without: number[] } {
  const metric = metricByName(pool.task.classes.length > 0 ? "log_loss" : "rmse");
  const own = families.map((family) => {
    const trials = pool.trials.filter((trial) => trial.family === family);
    const scores = trials.map(({ outOfFold: predictions }) =>
      metric.score({ ...pool.learned, predictions }),
    );
    const best = trials[scores.indexOf(Math.min(...scores))];
    return best ? blendLoss(pool, [best], metric) : Number.NaN;
  });
  const all = blendLoss(pool, pool.trials, metric);
  const losses = families.map((family) => {
    const left = pool.trials.filter((trial) => trial.family !== family);
    return left.length > 0 ? blendLoss(pool, left, metric) : Number.NaN;
  });
  const without = losses.map((loss) => loss / all);
  const cells = [
    ...own.map((loss) => shortNumber(loss)),
    shortNumber(all),
    ...without.map((ratio) => `${(100 * (ratio - 1)).toFixed(2)} %`),
  ];
  return { cells, without };
}

function blendLoss(pool: TrialPool, trials: readonly PooledTrial[], metric: Metric): number {
  const candidates = trials.map(
    ({ outOfFold }): FittedCalibration =>
      pool.task.classes.length > 0
        ? fitCalibration(outOfFold, pool.learned, pool.folds)
        : { calibration: null, crossFitted: outOfFold },
  );
  const { weights } = weighGreedily(candidates, pool.learned, pool.folds, weighingMetric(metric), {
    families: [],
    familyShares: null,
  });
  const combiner = new Combiner(pool.task, null, pool.heldOut.target.length);
  for (const [member, { heldOut: fits }] of trials.entries()) {
    if (weights[member] === 0) continue;
    const { calibration } = candidates[member];
    for (const fit of fits) combiner.add(weights[member] / fits.length, calibration, fit);
  }
  return metric.score({ ...pool.heldOut, predictions: combiner.result() });
}
