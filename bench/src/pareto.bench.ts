/** What a sweep over three metrics costs beyond its trials: 66 weights, 100 finished trials. */

import process from "node:process";
import { CounterRandom, deriveKey } from "../../engine/src/compute/random.ts";
import type { Table } from "../../engine/src/data/table.ts";
import { runConfigSchema } from "../../engine/src/trainer/config/config.ts";
import { lossOf } from "../../engine/src/trainer/log/scores.ts";
import { prepareTable } from "../../engine/src/trainer/plan/prepare.ts";
import type { PreparedRun } from "../../engine/src/trainer/plan/prepared.ts";
import { scoreRows } from "../../engine/src/trainer/pool-tasks/fit-task.ts";
import {
  outOfFoldRows,
  type Selected,
  select,
} from "../../engine/src/trainer/pool-tasks/select.ts";
import { type Candidate, sweptWinners } from "../../engine/src/trainer/pool-tasks/winners.ts";
import { textTable } from "./text-table.ts";

const TRIALS = 100;
const DIVISIONS = 10;
const METRICS = ["log_loss", "roc_auc", "f1"];

const config = runConfigSchema.parse({
  task: { taskKind: "binclass", labelColumn: "y" },
  modelFamilies: ["linear"],
  metrics: METRICS,
  gridSize: DIVISIONS,
});

function preparedRun(rows: number): PreparedRun {
  const random = new CounterRandom(deriveKey(0, "pareto"));
  const x = Float64Array.from({ length: rows }, () => random.nextFloat());
  const y = x.map((value) => (value < 0.3 ? 1 : 0));
  const table: Table = {
    rows,
    columns: [
      { kind: "numeric", name: "x", values: x },
      { kind: "numeric", name: "y", values: y },
    ],
  };
  return prepareTable(table, config);
}

/** Trials of different sharpness and bias, so that the metrics disagree about them. */
function finishedTrials(run: PreparedRun): Candidate[] {
  const random = new CounterRandom(deriveKey(1, "pareto"));
  const target = Float64Array.from(outOfFoldRows(run), (row) => run.target[row]);
  return Array.from({ length: TRIALS }, (_, trial) => {
    const sharpness = 0.5 + 3 * random.nextFloat();
    const bias = 2 * (random.nextFloat() - 0.5);
    const noise = 1 + random.nextFloat();
    const predictions = target.map((y) => {
      const logit = sharpness * (2 * y - 1 + noise * random.nextGaussian()) + bias;
      return 1 / (1 + Math.exp(-logit));
    });
    return { trial, family: "made", repeats: [], predictions };
  });
}

/** Calibration and thresholds cost the same with one metric; they are not what is measured here. */
const settings = { ...config, calibration: false, tuneThreshold: false };

/** As the run's selecting phase does it. @param losses the trials' mean fold losses, which the log has */
function sweep(
  run: PreparedRun,
  candidates: readonly Candidate[],
  losses: readonly (readonly number[])[] | null,
): Selected {
  if (!losses) return select({ run, contest: { kind: "blends" }, candidates, settings });
  const trials = losses.map((each, trial) => ({ trial, losses: each }));
  // Without a fold the others choose as all do: what is chosen does not matter here, only its price.
  const without = run.folds.map(() => trials);
  const winners = sweptWinners(trials, run.plan, { divisions: DIVISIONS, weights: 66 }, without);
  return select({ run, contest: { kind: "winners", winners }, candidates, settings });
}

/** Seconds of one thread, so that what else runs on the machine does not count; the least of all. */
function timed(repeats: number, action: () => Selected): { seconds: number; selected: Selected } {
  let selected = action();
  let seconds = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < repeats; repeat++) {
    const started = process.cpuUsage();
    selected = action();
    const { user, system } = process.cpuUsage(started);
    seconds = Math.min(seconds, (user + system) / 1e6);
  }
  return { seconds, selected };
}

export function benchPareto(quick: boolean, print: (text: string) => void): void {
  const table: string[][] = [];
  for (const rows of quick ? [1000] : [1000, 10_000, 50_000]) {
    const run = preparedRun(rows);
    const candidates = finishedTrials(run);
    const all = outOfFoldRows(run);
    const losses = candidates.map(({ predictions }) => {
      const scores = scoreRows(run, predictions, all);
      return METRICS.map((metric) => lossOf(metric, scores[metric] ?? null));
    });
    for (const kind of ["winners", "ensembles"]) {
      const { seconds, selected } = timed(quick ? 1 : 3, () =>
        sweep(run, candidates, kind === "winners" ? losses : null),
      );
      table.push([
        kind,
        rows.toLocaleString("en"),
        seconds.toFixed(3),
        String(selected.selections.length),
        (selected.pareto?.hypervolume ?? 0).toFixed(3),
      ]);
    }
  }
  print("\npareto: 3 metrics, 66 weights, 100 finished trials, 5 folds\n");
  print(`${textTable(["models", "rows", "seconds", "kept", "hypervolume"], table)}\n`);
}
