/** Quantile regression against statsmodels' and scikit-learn's. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { pinballLoss } from "../../metrics/quantile-rows.ts";
import type { Task } from "../../tasks/index.ts";
import { linear } from "./family.ts";
import { allRows, contextOf, encodeColumns } from "./testing/data.ts";

const numbers = z.array(z.number());
const exact = z.object({ coefficients: numbers, loss: z.number() });
const figures = z
  .object({
    x: z.array(numbers),
    y: numbers,
    weights: numbers,
    levels: z.record(
      z.string(),
      z.object({ statsmodels: numbers, sklearn: exact, weighted: exact }),
    ),
  })
  .parse(
    JSON.parse(readFileSync(new URL("fixtures/quantile_figures.json", import.meta.url), "utf8")),
  );

const { x, y } = figures;
const names = x.map((_, j) => `x${j}`);
/** Rows of zeros and unit vectors below the data read coefficients off the predictions. */
const probes = [x.map(() => 0), ...x.map((_, j) => x.map((_, k) => Number(j === k)))];
const data = encodeColumns(
  x.map((cells, j) => ({ name: names[j], cells: [...cells, ...probes.map((probe) => probe[j])] })),
);
const target = [...y, ...probes.map(() => 0)];
const levels = Object.keys(figures.levels);
const task: Task = { kind: "quantile_regression", classes: [], quantiles: levels.map(Number) };

function predicted(
  changes: object,
  weights: Float64Array | null,
  monotone: Readonly<Record<string, 1 | -1>> = {},
): Float64Array {
  const context = contextOf(task, data, target, {
    trainRows: allRows(y.length),
    weights,
    monotone,
  });
  const shape = { rows: y.length, task, features: data.features };
  const model = linear.fit(context, {
    ...linear.defaults(shape),
    penalty: 1e-10,
    numeric_transform: "none",
    one_hot_small_integers: false,
    ...changes,
  });
  return model.predict(data, null);
}

const meanLoss = (values: Float64Array, place: number, weights: readonly number[]): number => {
  const level = Number(levels[place]);
  const sum = y.reduce(
    (all, value, i) =>
      all + weights[i] * pinballLoss(value, values[i * levels.length + place], level),
    0,
  );
  return sum / weights.reduce((all, weight) => all + weight, 0);
};

describe.each([
  ["plain", "sklearn"],
  ["weighted", "weighted"],
] as const)("linear quantiles, %s", (name, key) => {
  const weights = name === "plain" ? y.map(() => 1) : figures.weights;
  const given = Float64Array.from([...weights, ...probes.map(() => 0)]);
  const values = predicted({}, name === "plain" ? null : given);

  it.each([...levels.entries()])("are scikit-learn's: %i, level %s", (place, level) => {
    const { coefficients, loss } = figures.levels[level][key];
    expect(meanLoss(values, place, weights)).toBeLessThan(loss * 1.0001);
    const at = (probe: number): number => values[(y.length + probe) * levels.length + place];
    const found = [...x.map((_, j) => at(j + 1) - at(0)), at(0)];
    const peers =
      name === "plain" ? [coefficients, figures.levels[level].statsmodels] : [coefficients];
    for (const peer of peers) {
      for (const [j, coefficient] of peer.entries()) {
        expect(Math.abs(found[j] - coefficient), `${j}`).toBeLessThan(0.02);
      }
    }
  });
});

const slope = (values: Float64Array, column: number, place: number): number => {
  const at = (probe: number): number => values[(y.length + probe) * levels.length + place];
  return at(column + 1) - at(0);
};
const MIDDLE = levels.indexOf("0.5");

it("an L1 penalty leaves columns out", () => {
  const values = predicted({ penalty: 0.05, regularization: "elastic_net", l1_ratio: 1 }, null);
  // The third column has no effect, the first has the largest.
  expect(slope(values, 2, MIDDLE)).toBe(0);
  expect(slope(values, 0, MIDDLE)).toBeGreaterThan(0.5);
});

it("monotone constraints are kept", () => {
  const values = predicted({}, null, { x0: -1, x1: -1 });
  expect(slope(values, 0, MIDDLE)).toBe(0);
  expect(slope(values, 1, MIDDLE)).toBeLessThan(-0.3);
});
