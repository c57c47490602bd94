/**
 * Where labels are shuffled there is nothing to learn, and no score may say otherwise: whatever is
 * fitted on held-out rows (when boosting stops, calibration, blends, layers, thresholds, the choice
 * among trials) must not be scored on them.
 *
 * One run's score is above chance or below it by luck, so many runs are asked, each with labels of
 * its own: the mean of their lifts over chance must not stand out from its standard error. The area
 * under the curve swings most; there, chance is what a trial that no held-out row had a say in has.
 */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ComputePool } from "../compute/pool.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { lowerQuantile } from "../data/weighted-quantile.ts";
import type { Teacher } from "../distill/teacher.ts";
import { toLoss } from "../metrics/index.ts";
import { metricByName, metricOf } from "../tasks/fitting-metrics.ts";
import { outputCount, TASK_KINDS, type TaskKind, taskType } from "../tasks/index.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { type RunConfigInput, runConfigSchema, studentConfig } from "./config/config.ts";
import type { RunState } from "./log/state.ts";
import { MemoryRunStore } from "./log/store.ts";
import { prepareRun } from "./plan/prepare.ts";
import type { PreparedRun } from "./plan/prepared.ts";
import { outOfFoldRows } from "./pool-tasks/select.ts";
import { RunDriver } from "./run.ts";

/** Every setting for every kind of task, with a holdout and with folds, and more runs: four times the work. */
const ALL = process.env["DISTILLERY_LONG"] === "1";

const SEEDS = ALL ? 16 : 8;
const ROWS = 80;
/** Standard errors that luck may bring; before scores were cross-fitted, it was 5 to 10 of 16 runs. */
const MOST_ERRORS = 3;

/** Of kinds whose rows stand by themselves. */
const METRICS: Readonly<Record<string, readonly string[]>> = {
  regression: ["rmse", "mae"],
  binclass: ["roc_auc", "log_loss"],
  multiclass: ["log_loss", "accuracy"],
  quantile_regression: ["pinball", "coverage_error"],
};

let folder: string;
let pool: ComputePool;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "chance-"));
  pool = sharedPool(2);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Three features and a label that has nothing to do with them. */
function noise(kind: TaskKind, seed: number): number[][] {
  const random = new CounterRandom(deriveKey(100 + seed, "table"));
  const label = (): number => {
    if (taskType(kind).target === "value") return random.nextGaussian();
    return kind === "binclass" ? Number(random.nextFloat() < 0.35) : random.nextInteger(3);
  };
  const feature = (): number => Number(random.nextGaussian().toFixed(6));
  return Array.from({ length: ROWS }, () => [feature(), feature(), feature(), label()]);
}

async function runOn(
  kind: TaskKind,
  seed: number,
  more: Partial<RunConfigInput>,
  teacherOf?: (rows: number[][]) => Teacher,
): Promise<{ readonly run: PreparedRun; readonly state: RunState }> {
  const asked: RunConfigInput = {
    task: { taskKind: kind, labelColumn: "y" },
    hpoSpace: {
      models: [
        { family: "linear" },
        { family: "gbdt", fixed: { n_estimators: 30, min_data_in_leaf: 5 } },
      ],
    },
    metrics: [...METRICS[kind]],
    nTrials: 4,
    randomState: seed,
    importanceRows: 1,
    ...more,
  };
  const rows = noise(kind, seed);
  const teacher = teacherOf?.(rows);
  const config = runConfigSchema.parse(teacher ? studentConfig(asked) : asked);
  const store = new MemoryRunStore();
  const file = { path: join(folder, "rows.csv"), format: "csv" as const };
  await writeFile(file.path, `a,b,c,y\n${rows.map((cells) => cells.join(",")).join("\n")}\n`);
  const teaching = teacher && { teacher, store };
  const run = await prepareRun({ file, config }, pool, undefined, teaching);
  return { run, state: await new RunDriver({ run, config, store, pool }).drive() };
}

/** What the best constant scores on the very rows that are scored: no honest score beats it. */
function chance(run: PreparedRun, state: RunState, name: string): number {
  if (name === "roc_auc") return state.trials[0].scores?.[name] ?? Number.NaN;
  const target = Float64Array.from(outOfFoldRows(run), (row) => run.target[row]);
  const { task } = run;
  const outputs = outputCount(task);
  const sorted = target.toSorted();
  const mean = target.reduce((sum, y) => sum + y, 0) / target.length;
  const share = (k: number): number => target.filter((y) => y === k).length / target.length;
  const constant = task.quantiles
    ? task.quantiles.map((level) => lowerQuantile(target.slice(), null, level))
    : outputs > 1
      ? task.classes.map((_, k) => share(k))
      : [name === "mae" ? sorted[sorted.length >> 1] : mean];
  const predictions = Float64Array.from(
    { length: target.length * outputs },
    (_, i) => constant[i % outputs],
  );
  return metricOf(task, name).score({ target, predictions, outputs, weights: null });
}

/** By metric: the mean lift over chance in its standard errors. */
async function lifts(
  kind: TaskKind,
  more: Partial<RunConfigInput>,
  teacherOf?: (rows: number[][]) => Teacher,
): Promise<Record<string, number>> {
  const metrics = more.metrics ?? METRICS[kind];
  const found = new Map<string, number[]>(metrics.map((name) => [name, []]));
  for (let seed = 0; seed < SEEDS; seed++) {
    const { run, state } = await runOn(kind, seed, more, teacherOf);
    for (const [name, seen] of found) {
      const metric = metricByName(name);
      const level = toLoss(metric, chance(run, state, name));
      const own = state.selections.map(
        ({ scores }) => level - toLoss(metric, scores[name] ?? Number.NaN),
      );
      seen.push(own.reduce((sum, each) => sum + each, 0) / own.length);
    }
  }
  return Object.fromEntries(
    Array.from(found, ([name, values]) => {
      const mean = values.reduce((sum, each) => sum + each, 0) / SEEDS;
      const variance = values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (SEEDS - 1);
      return [name, variance > 0 ? mean / Math.sqrt(variance / SEEDS) : 0];
    }),
  );
}

const settings: readonly [string, Partial<RunConfigInput>][] = [
  ["a winner as it is", { ensemble: false, calibration: false, tuneThreshold: false }],
  ["a calibrated winner", { ensemble: false }],
  ["an ensemble", { ensemble: true }],
  ["a stacking layer", { ensemble: true, stacking: true }],
  ["a sweep's winners", { ensemble: false, gridSize: 2 }],
  ["a sweep's ensembles", { ensemble: true, gridSize: 2 }],
];

const cases = TASK_KINDS.filter((kind) => kind in METRICS).flatMap((kind) =>
  settings.flatMap(([name, more], index) =>
    [null, 3]
      // What the settings do differently shows with two classes most: all of them, one way each, and the other way
      // those of other tasks that are more than these.
      .filter(
        (folds) =>
          ALL ||
          (kind === "binclass"
            ? (folds === 3) === (index % 2 === 0)
            : index >= 3 && (folds === 3) === (index % 2 === 1)),
      )
      .map((nCvSplits) => ({
        name: `${kind}, ${name}, ${nCvSplits === null ? "holdout" : `${nCvSplits} folds`}`,
        kind,
        more: { ...more, nCvSplits },
      })),
  ),
);

describe("shuffled labels score no better than chance", () => {
  it.each(cases)("$name", async ({ kind, more }) => {
    for (const [metric, errors] of Object.entries(await lifts(kind, more))) {
      expect(errors, metric).toBeLessThan(MOST_ERRORS);
    }
  });
});

describe("shuffled labels", () => {
  it.each([null, 3])("tune no threshold to a score above chance: %s folds", async (nCvSplits) => {
    const more = { nCvSplits, metrics: ["mcc"] };
    const { mcc } = await lifts("binclass", { ...more, ensemble: false });
    expect(mcc).toBeLessThan(MOST_ERRORS);
    expect((await lifts("binclass", { ...more, ensemble: true }))["mcc"]).toBeLessThan(MOST_ERRORS);
  });

  it.each([null, 3])("do not reach a student by its teacher: %s folds", async (nCvSplits) => {
    for (const kind of ["regression", "binclass"] as const) {
      // It has learned the shuffled labels by heart, and says the nearest row's.
      const teacherOf = (known: number[][]): Teacher => ({
        name: "a good memory",
        predict: async ({ rows }) =>
          Float64Array.from(rows, ([a, b, c]) => {
            const distance = (row: number[]): number =>
              (row[0] - Number(a)) ** 2 + (row[1] - Number(b)) ** 2 + (row[2] - Number(c)) ** 2;
            const label = known.reduce((near, row) =>
              distance(row) < distance(near) ? row : near,
            )[3];
            return kind === "regression" ? label : 0.1 + 0.8 * label;
          }),
      });
      const more = { nCvSplits, distill: { augmentedRows: 100 }, nTrials: 2 };
      for (const [metric, errors] of Object.entries(await lifts(kind, more, teacherOf))) {
        expect(errors, metric).toBeLessThan(MOST_ERRORS);
      }
    }
  });
});
