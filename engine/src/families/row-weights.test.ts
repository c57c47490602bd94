/**
 * Every family learns from a row of weight k as from k equal rows, and nothing from a row of weight
 * 0. Half of the rows here contradict the other half and weigh nothing, so that a family that does
 * not look at weights is far off.
 */

import { describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { fitBinning } from "../data/binning/fit-binning.ts";
import { encodeFeatures } from "../data/encode.ts";
import type { EncodedData } from "../data/encoded.ts";
import { featureColumns } from "../data/feature-columns.ts";
import { schemaFeatures } from "../data/feature-schema.ts";
import { fitFeatureSchema } from "../data/fit-feature-schema.ts";
import type { Table } from "../data/table.ts";
import type { Parameters } from "../search/space.ts";
import { hasClasses, outputCount, type Task } from "../tasks/index.ts";
import type { Family } from "./family.ts";
import { FAMILIES, serves } from "./index.ts";

const ROWS = 300;
/** A parameter that a family does not have is left out. */
const SMALL: Parameters = {
  n_estimators: 40,
  min_data_in_leaf: 1,
  min_samples_leaf: 1,
  bagging_fraction: 1,
  feature_fraction: 1,
  hidden_layers: 1,
  dropout: 0,
  pair_rounds: 5,
  // Of few drawn rows hardly any is there twice, which would say that there is no noise.
  learning_rows: 40,
};
/** Share of the distance to an unweighted fit; families that draw rows at random differ by that. */
const TOLERANCE: Readonly<Record<string, number>> = {
  gbdt: 0.02,
  oblivious: 0.02,
  linear: 0.02,
  random_forest: 0.35,
  extra_trees: 0.35,
  // Batches are other ones.
  mlp: 0.35,
  // A copy is left out while the other stays, which makes the margins of classes steeper.
  gaussian_process: 0.45,
  gam: 0.35,
};
/** Gradients of quantiles have two sizes: splits tie often, and rounding decides between them. */
const toleranceOf = (id: string, { quantiles }: Task): number =>
  (TOLERANCE[id] ?? 0) + (quantiles && (id === "gbdt" || id === "oblivious") ? 0.03 : 0);
const TASKS: readonly Task[] = [
  { kind: "regression", classes: [] },
  { kind: "binclass", classes: ["no", "yes"] },
  { kind: "multiclass", classes: ["a", "b", "c"] },
  { kind: "quantile_regression", classes: [], quantiles: [0.2, 0.5, 0.9] },
];

interface Scene {
  readonly data: EncodedData;
  readonly target: Float64Array;
  /** 0, 1 or 2 for the first half of the rows of `data`, whose second half repeats it. */
  readonly weights: Float64Array;
}

function sceneOf(task: Task): Scene {
  const random = new CounterRandom(deriveKey(5, "row weights"));
  const half = { x: new Float64Array(ROWS), z: new Float64Array(ROWS) };
  const label = new Float64Array(ROWS);
  const weights = new Float64Array(ROWS);
  for (let i = 0; i < ROWS; i++) {
    half.x[i] = random.nextGaussian();
    half.z[i] = random.nextGaussian();
    weights[i] = random.nextInteger(3);
    const level = half.x[i] + 0.3 * half.z[i] + 0.3 * random.nextGaussian();
    // Weight 2 and 1 disagree by a shift; weight 0 says the opposite.
    const said = weights[i] === 0 ? -level : level + (weights[i] === 2 ? 0.5 : -0.5);
    label[i] = !hasClasses(task)
      ? said
      : task.kind === "binclass"
        ? Number(said > 0)
        : Number(said > -0.5) + Number(said > 0.5);
  }
  const twice = (values: Float64Array): Float64Array => Float64Array.from([...values, ...values]);
  const table: Table = {
    rows: 2 * ROWS,
    columns: [
      { kind: "numeric", name: "x", values: twice(half.x) },
      { kind: "numeric", name: "z", values: twice(half.z) },
    ],
  };
  const schema = fitFeatureSchema(table);
  const bins = fitBinning(featureColumns(schema, table, null), { key: deriveKey(5, "bins") });
  const data = encodeFeatures(schema, table, Arena.create(), { bins, values: true, rows: null });
  expect(schemaFeatures(schema.columns).length).toBe(2);
  return { data, target: twice(label), weights: twice(weights) };
}

function fitAndPredict(
  family: Family,
  task: Task,
  { data, target }: Scene,
  weights: Float64Array | null,
  trainRows: Uint32Array,
): Float64Array {
  const shape = { rows: ROWS, task, features: data.features };
  const known = family.parameters();
  const small = Object.entries(SMALL).filter(([name]) => name in known);
  const model = family.fit(
    {
      task,
      data,
      target,
      softTarget: null,
      weights,
      trainRows,
      validRows: null,
      key: deriveKey(7, "fit"),
      monotone: {},
    },
    family.refitParameters({ ...family.defaults(shape), ...Object.fromEntries(small) }, []),
  );
  return model.predict(data, firstHalf);
}

const firstHalf = Uint32Array.from({ length: ROWS }, (_, row) => row);

function distance(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0) / a.length;
}

const pairs = FAMILIES.flatMap((family) =>
  TASKS.filter(({ kind }) => serves(family, kind)).map((task) => ({
    id: family.id,
    kind: task.kind,
    family,
    task,
  })),
);

describe.each(pairs)("$id, $kind", ({ id, family, task }) => {
  it("takes a weight of k for k rows", () => {
    const scene = sceneOf(task);
    const copies = [...firstHalf].filter((row) => scene.weights[row] > 0);
    const seconds = [...firstHalf]
      .filter((row) => scene.weights[row] === 2)
      .map((row) => row + ROWS);
    const weighted = fitAndPredict(family, task, scene, scene.weights, firstHalf);
    const copied = fitAndPredict(
      family,
      task,
      scene,
      null,
      Uint32Array.from([...copies, ...seconds]),
    );
    const unweighted = fitAndPredict(family, task, scene, null, firstHalf);
    expect(weighted.length).toBe(ROWS * outputCount(task));
    expect(distance(weighted, copied)).toBeLessThan(
      toleranceOf(id, task) * distance(weighted, unweighted),
    );
  });

  it("learns nothing from rows of weight 0, but for rounding", () => {
    const scene = sceneOf(task);
    const spoilt = scene.target.map((value, row) =>
      scene.weights[row] > 0 ? value : hasClasses(task) ? 0 : -50,
    );
    const before = fitAndPredict(family, task, scene, scene.weights, firstHalf);
    const after = fitAndPredict(
      family,
      task,
      { ...scene, target: spoilt },
      scene.weights,
      firstHalf,
    );
    expect(distance(after, before)).toBeLessThan(1e-13);
  });
});
