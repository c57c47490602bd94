/**
 * A front of models whose predictions are noise scores no better than noise: which models are kept, as
 * better than others in some metric, must not be decided by the rows that they are then scored on.
 */

import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { Table } from "../data/table.ts";
import { runConfigSchema } from "./config/config.ts";
import { lossOf } from "./log/scores.ts";
import { prepareTable } from "./plan/prepare.ts";
import { scoreRows } from "./pool-tasks/fit-task.ts";
import { type Contest, outOfFoldRows, type SelectInput, select } from "./pool-tasks/select.ts";

const SEEDS = 60;
const ROWS = 60;
const CANDIDATES = 10;
/** Both are 0.5 for predictions that know nothing, whatever the labels. */
const METRICS = ["roc_auc", "balanced_accuracy"];
const MOST_ERRORS = 3;

const random = (seed: number, what: string): CounterRandom =>
  new CounterRandom(deriveKey(seed, what));

function noise(seed: number): Table {
  const numbers = random(seed, "table");
  return {
    rows: ROWS,
    columns: [
      {
        kind: "numeric",
        name: "x",
        values: Float64Array.from({ length: ROWS }, () => numbers.nextGaussian()),
      },
      {
        kind: "boolean",
        name: "y",
        values: Uint8Array.from({ length: ROWS }, (_, row) => row % 2),
      },
    ],
  };
}

/** By metric: the mean of the kept models' lifts over chance, in standard errors over the seeds. */
function lifts(kind: "blends" | "contenders", nCvSplits: number | null): number[] {
  const seen: number[][] = METRICS.map(() => []);
  for (let seed = 0; seed < SEEDS; seed++) {
    const config = runConfigSchema.parse({
      task: { taskKind: "binclass", labelColumn: "y" },
      modelFamilies: ["linear"],
      metrics: METRICS,
      gridSize: 4,
      nCvSplits,
      randomState: seed,
    });
    const run = prepareTable(noise(seed), config);
    const rows = outOfFoldRows(run);
    const numbers = random(seed, "predictions");
    const candidates = Array.from({ length: CANDIDATES }, (_, trial) => ({
      trial,
      family: "made",
      repeats: [],
      predictions: Float64Array.from(rows, () => numbers.nextFloat()),
    }));
    const trials = candidates.map(({ trial, predictions }) => {
      const scores = scoreRows(run, predictions, rows);
      return { trial, losses: METRICS.map((name) => lossOf(name, scores[name])) };
    });
    const contest: Contest = kind === "blends" ? { kind } : { kind, trials };
    const settings: SelectInput["settings"] = {
      calibration: false,
      stacking: false,
      tuneThreshold: false,
    };
    const { selections } = select({ run, contest, candidates, settings });
    for (const [at, name] of METRICS.entries()) {
      const own = selections.map(({ scores }) => Number(scores[name]) - 0.5);
      seen[at].push(own.reduce((sum, each) => sum + each, 0) / own.length);
    }
  }
  return seen.map((values) => {
    const mean = values.reduce((sum, each) => sum + each, 0) / SEEDS;
    const variance = values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (SEEDS - 1);
    return mean / Math.sqrt(variance / SEEDS);
  });
}

describe.each(["blends", "contenders"] as const)("a front of %s of noise", (kind) => {
  it.each([3, null])("scores no better than chance: %s folds", (nCvSplits) => {
    for (const errors of lifts(kind, nCvSplits)) expect(errors).toBeLessThan(MOST_ERRORS);
  });
});
