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
