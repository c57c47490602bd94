/** How intervals and sets of one run fare on rows that the run never saw. */

import { CounterRandom, deriveKey } from "../../../engine/src/compute/random.ts";
import type { UncertaintyCard } from "../../../engine/src/conformal/index.ts";
import { takeRows } from "../../../engine/src/data/table-rows.ts";
import { loadModel } from "../../../engine/src/model/load.ts";
import type { ModelPredictions } from "../../../engine/src/model/predictions.ts";
import { runConfigSchema } from "../../../engine/src/trainer/config/config.ts";
import { MemoryRunStore, readModelFile } from "../../../engine/src/trainer/log/store.ts";
import { prepareTable } from "../../../engine/src/trainer/plan/prepare.ts";
import { RunDriver } from "../../../engine/src/trainer/run.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import type { BenchData } from "../bench-data.ts";

export interface HeldOutRequest {
  readonly trainRows: number;
  readonly testRows: number;
  readonly seed: number;
  readonly ensemble: boolean;
  readonly trials: number;
  readonly coverage: number;
}

export interface HeldOut {
  readonly tested: number;
  readonly coverage: number;
  /** Intervals: mean width over the deviation of the target; sets: mean count of classes. */
  readonly size: number;
  /** Lowest and highest coverage of thirds of the rows, by what the model itself holds for hard. */
  readonly easy: number;
  readonly hard: number;
  /** Sets: the lowest coverage of a class with 20 rows or more; NaN for intervals. */
  readonly worstClass: number;
  readonly card: UncertaintyCard;
}

const LEAST_OF_CLASS = 20;

/** Trains on rows drawn by the seed and looks at others. */
export async function heldOut(data: BenchData, request: HeldOutRequest): Promise<HeldOut> {
  const { train, test } = draw(data, request);
  const features = data.schema.columns.map(({ name }) => name);
  const config = runConfigSchema.parse({
    task: { taskKind: data.task.kind, labelColumn: data.label },
    nTrials: request.trials,
    ensemble: request.ensemble,
    coverage: request.coverage,
    randomState: request.seed,
  });
  const run = prepareTable(takeRows(data.table, [...features, data.label], train), config);
  const pool = createPool(1);
  try {
    const store = new MemoryRunStore();
    await new RunDriver({ run, config, store, pool }).drive();
    const model = await loadModel((path) => readModelFile(store, path));
    const predicted = model.predict(takeRows(data.table, features, test));
    const { uncertainty } = model.document.card;
    if (!uncertainty) throw new Error("The model has no intervals and no sets.");
    const target = Float64Array.from(test, (row) => data.target[row]);
    // A small sample may lack a class of the table: labels by name, then.
    const places = model.document.task.classes.map((name) => data.task.classes.indexOf(name));
    return { ...measure(predicted, target, places), tested: test.length, card: uncertainty };
  } finally {
    await pool.close();
  }
}

function draw(data: BenchData, { trainRows, testRows, seed }: HeldOutRequest) {
  const rows = Uint32Array.from([...data.train, ...data.test]);
  new CounterRandom(deriveKey(seed, "bench", "conformal")).shuffle(rows);
  const split = Math.min(trainRows, Math.floor(rows.length * 0.6));
  return {
    train: rows.slice(0, split).sort(),
    test: rows.slice(split, split + testRows).sort(),
  };
}

function measure(
  { values, outputs, intervals, sets }: ModelPredictions,
  target: Float64Array,
  places: readonly number[],
): Omit<HeldOut, "card" | "tested"> {
  const size = new Float64Array(target.length);
  const held = new Uint8Array(target.length);
  let difficulty = size;
  let unit = 1;
  if (intervals?.bounds) {
    const { lower, upper } = intervals.bounds;
    for (let row = 0; row < target.length; row++) {
      size[row] = upper[row] - lower[row];
      held[row] = target[row] >= lower[row] && target[row] <= upper[row] ? 1 : 0;
    }
    const mean = target.reduce((sum, value) => sum + value, 0) / target.length;
    unit = Math.sqrt(target.reduce((sum, value) => sum + (value - mean) ** 2, 0) / target.length);
  } else if (sets) {
    const classes = places.length;
    difficulty = new Float64Array(target.length);
    for (let row = 0; row < target.length; row++) {
      const truth = places.indexOf(target[row]);
      held[row] = truth >= 0 ? sets.members[row * classes + truth] : 0;
      for (let k = 0; k < classes; k++) size[row] += sets.members[row * classes + k];
      difficulty[row] =
        outputs === 1
          ? Math.min(values[row], 1 - values[row])
          : 1 - Math.max(...values.subarray(row * outputs, (row + 1) * outputs));
    }
  }
  const order = [...held.keys()].sort((a, b) => difficulty[a] - difficulty[b]);
  const third = Math.floor(order.length / 3);
  const share = (rows: readonly number[]) =>
    rows.reduce((sum, row) => sum + held[row], 0) / rows.length;
  const classes = new Map<number, number[]>();
  for (const [row, truth] of target.entries()) {
    classes.set(truth, [...(sets ? (classes.get(truth) ?? []) : []), row]);
  }
  const byClass = [...classes.values()].filter((rows) => rows.length >= LEAST_OF_CLASS).map(share);
  return {
    coverage: share([...held.keys()]),
    size: size.reduce((sum, each) => sum + each, 0) / size.length / unit,
    easy: share(order.slice(0, third)),
    hard: share(order.slice(-third)),
    worstClass: sets && byClass.length > 0 ? Math.min(...byClass) : Number.NaN,
  };
}
