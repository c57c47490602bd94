/** Known columns whose squares are no numbers, and rows that lie far from those of training. */

import { expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { NumericColumn } from "../../data/table.ts";
import { runConfigSchema } from "../../trainer/config/config.ts";
import { prepareTable } from "../../trainer/plan/prepare.ts";
import type { PreparedRun } from "../../trainer/plan/prepared.ts";
import type { FittedModel } from "../family.ts";
import { dynamicRegression } from "./family.ts";

const HORIZON = 7;
const DAYS = 127;
const random = new CounterRandom(deriveKey(4, "large columns"));
const promoted = Array.from({ length: DAYS }, () => Number(random.nextFloat() < 0.3));
const sold = promoted.map((promo) => 100 + 40 * promo + random.nextGaussian());

const numeric = (name: string, values: readonly number[]): NumericColumn => ({
  kind: "numeric",
  name,
  values: Float64Array.from(values),
});

function prepared(promo: readonly number[]): PreparedRun {
  const columns = [numeric("t", [...sold.keys()]), numeric("y", sold), numeric("promo", promo)];
  const task = {
    ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t", horizon: HORIZON },
    ...{ seasonLength: 1, windowStep: HORIZON, knownColumns: ["promo"] },
  };
  return prepareTable({ rows: DAYS, columns }, runConfigSchema.parse({ task, nCvSplits: 2 }));
}

const fitted = (run: PreparedRun): FittedModel =>
  dynamicRegression.fit(
    {
      ...{ task: run.task, data: run.data, target: run.target, softTarget: null },
      ...{ weights: run.weights, trainRows: run.folds[1].train, validRows: run.folds[1].valid },
      ...{ key: deriveKey(1, "fit"), monotone: {} },
    },
    { rest: "theta", changes: "step" },
  );

const run = prepared(promoted);
const { valid } = run.folds[1];
const expected = fitted(run).predict(run.data, valid);

it.each([1e300, 1e160, 1e-160, 1e-300])("are weighed in units of their own: %d", (unit) => {
  const large = prepared(promoted.map((promo) => unit * promo));
  const model = fitted(large);
  const found = model.predict(large.data, valid);
  for (const [i, value] of found.entries()) {
    expect(Math.abs(value - expected[i])).toBeLessThan(0.01);
    expect(Math.abs(value - sold[valid[i]])).toBeLessThan(5);
  }
  const shares = model.importance?.() ?? new Float64Array();
  expect(shares.every(Number.isFinite)).toBe(true);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
});

it.each([1e308, -1e308, 1.7e308])("a row of %d has a forecast that is a number", (value) => {
  const far = prepared(promoted.map((promo, day) => (day === valid[0] ? value : promo)));
  const [first, ...others] = fitted(run).predict(far.data, valid);
  expect(Number.isFinite(first)).toBe(true);
  expect(Math.sign(first)).toBe(Math.sign(value));
  for (const [i, each] of others.entries()) expect(each).toBeCloseTo(expected[i + 1], 6);
});
