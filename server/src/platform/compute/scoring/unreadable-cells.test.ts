/** Cells that a column of a model cannot have. */

import type { Column } from "@distillery/engine";
import { expect, it } from "vitest";
import { readableColumn } from "./unreadable-cells.ts";

const texts: Column = {
  kind: "categorical",
  name: "age",
  codes: Int32Array.of(0, 1, -1, 2, 1),
  categories: ["41", "old", " 7 "],
};

it.each([
  ["categories", texts],
  ["texts", { kind: "text", name: "age", values: ["41", "old", null, " 7 ", "old"] } as const],
])("are missing in what is read of %s, and told by row", (_what, column) => {
  const { column: readable, faults } = readableColumn(column, "numeric");
  expect([...faults.keys()]).toEqual([1, 4]);
  expect(faults.get(4)).toBe('Column "age" should be numeric, but row 1 holds "old".');
  expect(readable.kind === "categorical" && [...readable.codes].map((code) => code < 0)).toEqual([
    false,
    true,
    true,
    false,
    true,
  ]);
});

it("are numbers where a truth is wanted", () => {
  const numbers = {
    kind: "numeric",
    name: "is",
    values: Float64Array.of(0, 2, Number.NaN, 1),
  } as const;
  const { column, faults } = readableColumn(numbers, "boolean");
  expect([...faults.keys()]).toEqual([1]);
  expect(column.kind === "numeric" && [...column.values]).toEqual([0, Number.NaN, Number.NaN, 1]);
});

it("are none where the column is of the kind, or can be", () => {
  expect(readableColumn(texts, "text")).toEqual({ column: texts, faults: new Map() });
});
