/** Calibration, stacking and threshold through a whole run: what is logged, kept, said and explained. */

import { beforeAll, describe, expect, it } from "vitest";
import type { ComputePool } from "../compute/pool.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { Column, Table } from "../data/table.ts";
import { loadModel } from "../model/load.ts";
import { metricByName } from "../tasks/fitting-metrics.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { type RunConfig, type RunConfigInput, runConfigSchema } from "./config/config.ts";
import { MemoryRunStore, readModelFile } from "./log/store.ts";
import { prepareTable } from "./plan/prepare.ts";
import { selectionArtifact, unpackPredictions } from "./pool-tasks/fold-artifact.ts";
import { outOfFoldRows } from "./pool-tasks/select.ts";
import { RunDriver } from "./run.ts";

let pool: ComputePool;
beforeAll(() => {
  pool = sharedPool(2);
});

/** A rare class, by a sum that a linear model sees and a product that trees see. */
function rareClass(rows: number, classes: readonly string[]): Table {
  const random = new CounterRandom(deriveKey(11, "table"));
  const inputs = ["a", "b", "c"].map((name): Column & { kind: "numeric" } => ({
    kind: "numeric",
    name,
    values: Float64Array.from({ length: rows }, () => random.nextGaussian()),
  }));
  const [a, b, c] = inputs.map(({ values }) => values);
  const codes = Int32Array.from(a, (_, i) => {
    const margin = 1.2 * a[i] + 1.5 * b[i] * c[i] - 2 + random.nextGaussian();
    return margin > 0 ? (classes.length > 2 && a[i] > 0.5 ? 2 : 1) : 0;
  });
  return {
    rows,
    columns: [...inputs, { kind: "categorical", name: "y", codes, categories: [...classes] }],
  };
}

async function trained(table: Table, input: Partial<RunConfigInput>) {
  const config: RunConfig = runConfigSchema.parse({
    task: { taskKind: "binclass", labelColumn: "y" },
    hpoSpace: {
      models: [
        { family: "gbdt", fixed: { n_estimators: 25 } },
        { family: "linear" },
        { family: "extra_trees", fixed: { n_estimators: 20 } },
      ],
    },
    nTrials: 1,
    nCvSplits: 3,
    ...input,
  });
  const store = new MemoryRunStore();
  const run = prepareTable(table, config);
  const state = await new RunDriver({ run, config, store, pool }).drive();
  const model = await loadModel((path) => readModelFile(store, path));
  const name = selectionArtifact(0);
  const predictions = unpackPredictions(await store.getArtifact(name), name);
  return { run, state, model, predictions, selection: state.selections[0] };
}

const cases: [string, Partial<RunConfigInput>, string[]][] = [
  ["an ensemble with a layer", { stacking: true }, ["no", "yes"]],
  ["an ensemble", {}, ["no", "yes"]],
  ["a winner", { ensemble: false }, ["no", "yes"]],
  [
    "a layer over three classes",
    { stacking: true, task: { taskKind: "multiclass", labelColumn: "y" }, metrics: ["log_loss"] },
    ["no", "yes", "zoo"],
  ],
];

describe.each(cases)("%s", (kind, input, classes) => {
  const table = rareClass(400, classes);
  let result: Awaited<ReturnType<typeof trained>>;
  beforeAll(async () => {
    result = await trained(table, { metrics: ["f1", "log_loss"], ...input });
  });

  it("keeps what was selected in the document", () => {
    const { selection, model } = result;
    expect(model.document.threshold).toBe(selection.threshold);
    expect(model.document.layer).toEqual(selection.layer);
    for (const { trial, calibration } of model.document.members) {
      expect(calibration).toEqual(
        selection.members.find((member) => member.trial === trial)?.calibration,
      );
    }
    if (classes.length === 2) {
      expect(selection.threshold).toBeLessThan(0.5);
      expect(selection.notes.join()).toMatch(/threshold/);
    } else expect(selection.threshold).toBeNull();
    if (kind.includes("layer")) expect(selection.notes[0]).toMatch(/stacking layer is/);
    else expect(selection.layer).toBeNull();
  });

  it("keeps the predictions that its scores are of", () => {
    const { run, selection, predictions } = result;
    const rows = outOfFoldRows(run);
    const target = Float64Array.from(rows, (row) => run.target[row]);
    const outputs = classes.length === 2 ? 1 : 3;
    const logLoss = metricByName("log_loss").score({ target, predictions, outputs, weights: null });
    expect(selection.scores["log_loss"]).toBe(logLoss);
  });

  it("says labels by its threshold", () => {
    const { model } = result;
    const predictions = model.predict(table);
    const labels = model.decide(predictions);
    if (classes.length === 2) {
      const threshold = model.document.threshold ?? Number.NaN;
      expect([...labels]).toEqual([...predictions.values].map((p) => (p >= threshold ? 1 : 0)));
    } else expect(new Set(labels)).toEqual(new Set([0, 1, 2]));
  });

  it("explains what it predicts", () => {
    const { model } = result;
    const few = { ...table, rows: 20, columns: table.columns.map((column) => first(column, 20)) };
    const { values, outputs } = model.predict(few);
    const { space, baseValues, contributions } = model.explain(few);
    for (let row = 0; row < 20; row++) {
      const sums = baseValues.map((base, k) =>
        contributions[row][k].reduce((sum, part) => sum + part, base),
      );
      const powers = sums.map(Math.exp);
      const total = powers.reduce((sum, power) => sum + power, 0);
      for (let k = 0; k < outputs; k++) {
        const said =
          space === "logit"
            ? 1 / (1 + Math.exp(-sums[k]))
            : space === "log_softmax"
              ? powers[k] / total
              : sums[k];
        expect(Math.abs(said - values[row * outputs + k])).toBeLessThan(1e-6);
      }
    }
  });
});

function first(column: Column, rows: number): Column {
  if (column.kind === "categorical") return { ...column, codes: column.codes.slice(0, rows) };
  if (column.kind === "numeric") return { ...column, values: column.values.slice(0, rows) };
  throw new Error(`No ${column.kind} column is used here.`);
}

it("without calibration and threshold the parts are as they were", async () => {
  const { selection, model } = await trained(rareClass(300, ["no", "yes"]), {
    metrics: ["f1"],
    calibration: false,
    tuneThreshold: false,
  });
  expect(selection.members.every(({ calibration }) => calibration === null)).toBe(true);
  expect(model.document.threshold).toBe(0.5);
  expect(selection.notes).toEqual([]);
});
