import { describe, expect, it } from "vitest";
import type { CategoricalColumn, Column } from "../table.ts";
import { differing, MOST_SPELLINGS, mayDiffer } from "./written-cells.ts";

const numeric = (values: readonly number[]): Column => ({
  name: "c",
  kind: "numeric",
  values: Float64Array.from(values),
});

/** Cells as they stand in a file; null is missing. */
function written(cells: readonly (string | null)[]): CategoricalColumn {
  const categories = [...new Set(cells.filter((cell) => cell !== null))];
  return {
    name: "c",
    kind: "categorical",
    codes: Int32Array.from(cells, (cell) => (cell === null ? -1 : categories.indexOf(cell))),
    categories,
  };
}

describe("cells as they were written", () => {
  it.each<[string, Column, readonly (string | null)[]]>([
    ["a leading zero", numeric([1, 2]), ["1", "02"]],
    ["an exponent", numeric([100, 3]), ["1e2", "3"]],
    ["two spellings of one value", numeric([1, 1, 1]), ["1", "1", "1.0"]],
    ["a sign", numeric([1]), ["+1"]],
    ["a word of another case", { name: "c", kind: "boolean", values: Uint8Array.of(1) }, ["TRUE"]],
    ["the last one, after missing ones", numeric([Number.NaN, 1, 2]), [null, "1", "2.0"]],
  ])("are kept where they tell more than their values: %s", (_, column, cells) => {
    const own = written(cells);
    expect(differing(column, own)).toBe(own);
  });

  it.each<[string, Column, readonly (string | null)[]]>([
    ["whole numbers", numeric([1, -2, 1]), ["1", "-2", "1"]],
    ["fractions", numeric([0.5, 1e21]), ["0.5", "1e+21"]],
    ["missing cells alone", numeric([Number.NaN]), [null]],
    ["words", { name: "c", kind: "boolean", values: Uint8Array.of(1, 0) }, ["true", "false"]],
  ])("are not kept where they are as their values are shown: %s", (_, column, cells) => {
    expect(differing(column, written(cells))).toBeUndefined();
  });

  it("are not kept where they are too many to be classes", () => {
    const cells = (count: number): string[] => Array.from({ length: count }, (_, i) => `0${i}`);
    const values = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
    const most = written(cells(MOST_SPELLINGS));
    expect(differing(numeric(values(MOST_SPELLINGS)), most)).toBe(most);
    const more = MOST_SPELLINGS + 1;
    expect(differing(numeric(values(more)), written(cells(more)))).toBeUndefined();
  });

  it("may differ from numbers and booleans alone", () => {
    expect(mayDiffer(numeric([1]))).toBe(true);
    expect(mayDiffer({ name: "c", kind: "boolean", values: Uint8Array.of(1) })).toBe(true);
    expect(mayDiffer(written(["a"]))).toBe(false);
    expect(mayDiffer({ name: "c", kind: "timestamp", values: Float64Array.of(0) })).toBe(false);
  });
});
