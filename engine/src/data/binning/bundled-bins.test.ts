import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import { type BinColumn, encodeBins } from "../../trees/testing/random-bins.ts";
import type { BinnedData } from "../encoded.ts";
import { bundleBins, membersOf } from "./bundled-bins.ts";

const ROWS = 300;

function bundle(columns: readonly BinColumn[]) {
  const arena = Arena.create();
  const { binned } = encodeBins(columns, arena);
  if (binned === null) throw new Error("There are no bins.");
  const bundled = bundleBins(arena, ROWS, binned);
  return {
    bundled,
    cells: bundled && arena.u8(bundled.rowMajor, ROWS * bundled.rowStride),
    binned,
  };
}

const numeric = (valueBins: number, binOf: (row: number) => number): BinColumn => ({
  kind: "numeric",
  valueBins,
  bins: Array.from({ length: ROWS }, (_, row) => binOf(row)),
});

/** Of a one-hot column of `levels`. */
const level = (levels: number, one: number): BinColumn =>
  numeric(2, (row) => (row % levels === one ? 1 : 0));

describe("bundles", () => {
  it("give each row's bins back, whatever the columns", () => {
    const cell = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.boolean());
    const table = fc.array(fc.array(cell, { minLength: ROWS, maxLength: ROWS }), {
      minLength: 16,
      maxLength: 24,
    });
    fc.assert(
      fc.property(table, fc.integer({ min: 2, max: 60 }), (given, sparsity) => {
        const columns = given.map((cells, f) =>
          numeric(3, (row) =>
            (row * 7 + f) % sparsity === 0 || cells[row][1] ? cells[row][0] : 1,
          ),
        );
        const sparse = columns.map((column, f) =>
          numeric(3, (row) => (row % 24 === f || f === 9 ? Number(column.bins[row]) : 2)),
        );
        const { bundled, cells, binned } = bundle(sparse);
        expect(bundled).not.toBeNull();
        if (bundled && cells)
          expect(binsBehind(bundled, cells, binned)).toEqual(sparse.map(({ bins }) => bins));
        const dense = bundle(columns);
        if (dense.bundled && dense.cells) {
          const bins = binsBehind(dense.bundled, dense.cells, dense.binned);
          expect(bins).toEqual(columns.map((column) => column.bins));
        }
      }),
      { numRuns: 20, seed: 1 },
    );
  });

  it("are of features that no row has two of, and of no more entries than a byte tells apart", () => {
    const { bundled } = bundle([
      ...Array.from({ length: 20 }, (_, one) => level(20, one)),
      ...Array.from({ length: 10 }, (_, one) => level(10, one)),
      numeric(200, (row) => row % 200),
      ...Array.from({ length: 100 }, (_, one) => level(100, one)),
    ]);
    // Each level has entries for two bins and for missing cells.
    expect(bundled?.firsts).toEqual([0, 20, 30, 31, 116]);
    expect(bundled?.usualBins[30]).toBe(-1);
    expect(bundled?.usualBins[29]).toBe(0);
  });

  it("are not made where they would save little", () => {
    const few = Array.from({ length: 15 }, (_, one) => level(15, one));
    expect(bundle(few).bundled).toBeNull();
    expect(
      bundle([
        ...few,
        ...few.map(() => numeric(9, (row) => row % 9)),
        ...few.slice(8).map(() => numeric(9, (row) => row % 9)),
        ...Array.from({ length: 40 }, () => numeric(9, (row) => row % 9)),
      ]).bundled,
    ).toBeNull();
  });
});

/** By the definition of a cell: the entry of the one feature that is away from its usual bin. */
function binsBehind(
  { firsts, usualBins, rowStride }: NonNullable<ReturnType<typeof bundleBins>>,
  cells: Uint8Array,
  { bins }: BinnedData,
): number[][] {
  const columns: number[][] = bins.map((_, f) => new Array<number>(ROWS).fill(usualBins[f]));
  for (const [column, first] of firsts.entries()) {
    const members = membersOf(firsts, column, bins.length);
    for (let row = 0; row < ROWS; row++) {
      let entry = cells[row * rowStride + column];
      for (let f = first; f < first + members; f++) {
        if (entry <= bins[f].valueBins) {
          columns[f][row] = entry;
          break;
        }
        entry -= bins[f].valueBins + 1;
      }
    }
  }
  return columns;
}
