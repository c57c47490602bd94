import { expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { Table } from "../../data/table.ts";
import { ShuffledFeatures } from "../../explain/permutation-importance.ts";
import { FitLimits } from "../../families/fit-limits.ts";
import { familyById } from "../../families/index.ts";
import { runConfigSchema } from "../config/config.ts";
import { prepareTable } from "../plan/prepare.ts";
import { markRead } from "./read-features.ts";

const ROWS = 120;
const WIDTH = 40;

/** Numbers and categories, a few of which tell the label. */
function wideTable(): Table {
  const random = new CounterRandom(deriveKey(5, "wide"));
  const numbers = Array.from({ length: WIDTH }, () =>
    Float64Array.from({ length: ROWS }, () => random.nextGaussian()),
  );
  const codes = Array.from({ length: 3 }, () =>
    Int32Array.from({ length: ROWS }, () => random.nextInteger(6)),
  );
  const label = Float64Array.from(
    { length: ROWS },
    (_, row) => 3 * numbers[4][row] - numbers[7][row] + 2 * Number(codes[1][row] === 2),
  );
  return {
    rows: ROWS,
    columns: [
      ...numbers.map((values, i) => ({ kind: "numeric", name: `n${i}`, values }) as const),
      ...codes.map(
        (each, i) =>
          ({ kind: "categorical", name: `c${i}`, codes: each, categories: [..."uvwxyz"] }) as const,
      ),
      { kind: "numeric", name: "label", values: label },
    ],
  };
}

const config = runConfigSchema.parse({
  task: { taskKind: "regression", labelColumn: "label" },
  nCvSplits: 3,
});
const run = prepareTable(wideTable(), config);
const all = Uint32Array.from({ length: ROWS }, (_, row) => row);

function fitted(id: string, changes: Record<string, string | number | boolean>) {
  const family = familyById(id);
  if (!family) throw new Error(`There is no family ${id}.`);
  const shape = { rows: ROWS, task: run.task, features: run.data.features };
  const { train, valid } = run.folds[0];
  return family.fit(
    {
      ...{ task: run.task, data: run.data, target: run.target, softTarget: null, weights: null },
      ...{ trainRows: train, validRows: valid, monotone: {}, limits: new FitLimits() },
      key: deriveKey(1, "fit"),
    },
    { ...family.defaults(shape), ...changes },
  );
}

it.each([
  ["linear", { regularization: "elastic_net", l1_ratio: 1, penalty: 0.3 }],
  ["gbdt", { n_estimators: 3, num_leaves: 4 }],
  ["oblivious", { n_estimators: 3 }],
  ["extra_trees", { n_estimators: 3, max_features: 1, min_samples_leaf: 10 }],
  ["random_forest", { n_estimators: 3, max_features: 1, min_samples_leaf: 10, pruning: 0 }],
] as const)("%s depends on the features that are marked alone", (id, changes) => {
  const model = fitted(id, changes);
  const { features } = run.data;
  const read = new Uint8Array(features.length);
  markRead(model, features, read);
  const withMark = (mark: number) =>
    [...features.keys()].filter((feature) => read[feature] === mark);
  const unread = withMark(0);
  expect(unread.length).toBeGreaterThan(5);
  const before = model.predict(run.data, null);
  const turned = all.toReversed();
  ShuffledFeatures.over(run.data, all, (copy) => {
    copy.shuffle(unread, turned);
    expect(model.predict(copy.data, null)).toEqual(before);
  });
  ShuffledFeatures.over(
    run.data,
    all,
    ({ data }) => expect(model.predict(data, null)).toEqual(before),
    { reads: read },
  );
  ShuffledFeatures.over(run.data, all, (copy) => {
    copy.shuffle(withMark(1), turned);
    expect(model.predict(copy.data, null)).not.toEqual(before);
  });
});

it("takes models that do not say what they read to read everything", () => {
  const { features } = run.data;
  const read = new Uint8Array(features.length);
  markRead({}, features, read);
  expect(read.every((each) => each === 1)).toBe(true);
});
