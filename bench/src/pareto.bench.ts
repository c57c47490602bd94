/** What a sweep over three metrics costs beyond its trials: 66 weights, 100 finished trials. */

import process from "node:process";
import { CounterRandom, deriveKey } from "../../engine/src/compute/random.ts";
import { metricByName, toLoss } from "../../engine/src/metrics/index.ts";
import {
  type BagRows,
  keepFront,
  rangeOfFront,
  type Sweep,
  simplexLattice,
  sweepBlends,
  sweepWinners,
} from "../../engine/src/pareto/index.ts";
import { textTable } from "./text-table.ts";

const TRIALS = 100;
const DIVISIONS = 10;
const METRICS = ["log_loss", "roc_auc", "f1"].map(metricByName);
const MOST_MODELS = 24;

/** Trials of different sharpness and bias, so that the metrics disagree about them. */
function finishedTrials(rows: number): BagRows {
  const random = new CounterRandom(deriveKey(0, "pareto"));
  const target = Float64Array.from({ length: rows }, () => (random.nextFloat() < 0.3 ? 1 : 0));
  const candidates = Array.from({ length: TRIALS }, () => {
    const sharpness = 0.5 + 3 * random.nextFloat();
    const bias = 2 * (random.nextFloat() - 0.5);
    const noise = 1 + random.nextFloat();
    return target.map((y) => {
      const logit = sharpness * (2 * y - 1 + noise * random.nextGaussian()) + bias;
      return 1 / (1 + Math.exp(-logit));
    });
  });
  return { candidates, target, weights: null, outputs: 1, metrics: METRICS };
}

/** The choice of every weight, its losses over all rows, and the front of the choices. */
function sweep(
  trials: BagRows,
  losses: readonly (readonly number[])[],
  kind: "winner" | "ensemble",
): { found: Sweep; front: number } {
  const lossesOf = (predictions: Float64Array): number[] =>
    METRICS.map((metric) => toLoss(metric, metric.score({ ...trials, predictions })));
  const lattice = simplexLattice(METRICS.length, DIVISIONS);
  const found = kind === "winner" ? sweepWinners(losses, lattice) : sweepBlends(trials, lattice);
  const points = found.choices.map(({ blend }) => {
    const blended = new Float64Array(trials.target.length);
    for (const [candidate, weight] of blend.entries()) {
      const added = trials.candidates[candidate];
      if (weight > 0) for (let i = 0; i < blended.length; i++) blended[i] += weight * added[i];
    }
    return lossesOf(blended);
  });
  return { found, front: keepFront(points, rangeOfFront(points), MOST_MODELS).kept.length };
}

export function benchPareto(quick: boolean, print: (text: string) => void): void {
  const table = [];
  for (const rows of quick ? [1000] : [1000, 10_000, 50_000]) {
    const trials = finishedTrials(rows);
    // The search has these already: the mean scores of each trial's folds.
    const losses = trials.candidates.map((predictions) =>
      METRICS.map((metric) => toLoss(metric, metric.score({ ...trials, predictions }))),
    );
    for (const kind of ["winner", "ensemble"] as const) {
      let least = Number.POSITIVE_INFINITY;
      let result = sweep(trials, losses, kind);
      for (let repeat = 0; repeat < (quick ? 1 : 3); repeat++) {
        // One thread's time, so that what else runs on the machine does not count.
        const started = process.cpuUsage();
        result = sweep(trials, losses, kind);
        const { user, system } = process.cpuUsage(started);
        least = Math.min(least, (user + system) / 1e6);
      }
      const { found, front } = result;
      table.push([
        kind,
        rows.toLocaleString("en"),
        least.toFixed(3),
        String(found.choices.length),
        String(front),
      ]);
    }
  }
  print("\npareto: 3 metrics, 66 weights, 100 finished trials\n");
  print(`${textTable(["kind", "rows", "seconds", "choices", "on the front"], table)}\n`);
}
