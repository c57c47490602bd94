import { expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { linear } from "./family.ts";
import { contextOf, encodeColumns } from "./testing/data.ts";

const TASK = { kind: "multiclass", classes: ["x", "y", "z"] } as const;
const ROWS = 120;

/** Columns of a fit on so many features of eight different whole numbers, the last of categories. */
function columnsOf(features: number): number {
  const random = new CounterRandom(deriveKey(1, "levels"));
  const draw = (most: number) =>
    Float64Array.from({ length: ROWS }, () => random.nextInteger(most));
  const data = encodeColumns([
    ...Array.from({ length: features }, (_, j) => ({ name: `x${j}`, cells: draw(8) })),
    { name: "c", cells: draw(3), categories: ["a", "b", "c"] },
  ]);
  const context = contextOf(TASK, data, draw(3));
  const shape = { rows: ROWS, task: TASK, features: data.features };
  const parameters = { ...linear.defaults(shape), numeric_transform: "clip" };
  return Number(linear.fit(context, parameters).facts["columns"]);
}

it("of few features are columns each, and of a picture's pixels none are", () => {
  expect(columnsOf(20)).toBe(20 + 20 * 8 + 3);
  expect(columnsOf(187)).toBe(187 + 187 * 8 + 3);
  expect(columnsOf(188)).toBe(188 + 3);
});

it("of cases that have a few rows each are columns where that is tried, second", () => {
  const [rows, cases] = [903, 301];
  const random = new CounterRandom(deriveKey(2, "cases"));
  const size = Float64Array.from({ length: cases }, () => 2 * random.nextGaussian());
  const of = Float64Array.from({ length: rows }, (_, row) => row % cases);
  const year = Float64Array.from({ length: rows }, (_, row) => Math.floor(row / cases));
  // Who was asked in which year is not by chance: a level's mean has the year in it.
  const target = of.map((case_, row) => size[case_] + 5 * year[row] + 0.1 * random.nextGaussian());
  const data = encodeColumns([
    { name: "year", cells: year },
    { name: "case", cells: of, categories: Array.from({ length: cases }, (_, i) => `c${i}`) },
  ]);
  const task = { kind: "regression", classes: [] } as const;
  const shape = { rows, task, features: data.features };
  const [defaults, levels] = linear.portfolio(shape);
  expect(linear.searchSpace(shape)).toHaveProperty(["one_hot_max_categories"]);
  const all = [...of.keys()];
  const [train, held] = [0, 1].map((side) =>
    Uint32Array.from(all.filter((row) => Number((row + of[row]) % 3 === 2) === side)),
  );
  const errorOf = (parameters: typeof levels): number => {
    const model = linear.fit(contextOf(task, data, target, { trainRows: train }), parameters);
    const said = model.predict(data, held);
    return Math.sqrt(
      held.reduce((sum, row, i) => sum + (said[i] - target[row]) ** 2, 0) / held.length,
    );
  };
  expect(errorOf(levels)).toBeLessThan(0.7 * errorOf(defaults));
  const few = { ...shape, features: [data.features[0]] };
  expect(linear.searchSpace(few)).not.toHaveProperty(["one_hot_max_categories"]);
  expect(linear.portfolio(few)[1]).toMatchObject({ regularization: "l2_gcv" });
});
