import fc from "fast-check";
import { expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { assignBins } from "../data/binning/assign-bins.ts";
import { binsToFit } from "../data/binning/column-binner.ts";
import { encodeFeatures, freeEncoded } from "../data/encode.ts";
import { fitFeatureSchema } from "../data/fit-feature-schema.ts";
import type { Table } from "../data/table.ts";
import {
  binsBetween,
  checkDerived,
  DERIVED_BINS,
  type EdgesColumn,
  ofFeatures,
  overDerived,
  type TableColumn,
} from "./derived-columns.ts";

const CATEGORIES = 300;
const key = deriveKey(2, "derived-columns-test");

/** A column of 300 categories, with missing cells, beside one of numbers. */
function tableOf(rows: number): Table {
  const random = new CounterRandom(key);
  const codes = Int32Array.from({ length: rows }, () => random.nextInteger(CATEGORIES + 1) - 1);
  return {
    rows,
    columns: [
      {
        ...{ kind: "numeric", name: "x" },
        values: Float64Array.from(codes, (_, i) => (i % 7 === 5 ? Number.NaN : i % 7)),
      },
      {
        ...{ kind: "categorical", name: "c", codes },
        categories: Array.from({ length: CATEGORIES }, (_, code) => `c${code}`),
      },
    ],
  };
}

const rows = 70_000;
const table = tableOf(rows);
const arena = Arena.create();
// Categories that the schema does not have are those of the last rows alone.
const seen = Uint32Array.from({ length: 2000 }, (_, i) => i);
const schema = fitFeatureSchema(table, { rows: seen });
const data = encodeFeatures(schema, table, arena, { bins: binsToFit({ key }, rows), values: true });
const [, feature] = data.features;
const count = feature.kind === "categorical" ? feature.categories.length : 0;
const known = new Map(
  feature.kind === "categorical" ? feature.categories.map((name, code) => [name, code]) : [],
);

it("keeps the code of every category, of unknown and of missing ones", () => {
  const [wide, ...others] = data.binned?.wide ?? [];
  expect([wide.feature, others]).toEqual([1, []]);
  expect(count).toBeGreaterThan(256);
  const codes = arena.u16(wide.codes, rows);
  const column = table.columns[1];
  if (column.kind !== "categorical") throw new Error("It is no categorical column.");
  const expected = Uint16Array.from(column.codes, (code) =>
    code < 0 ? count + 1 : (known.get(column.categories[code]) ?? count),
  );
  expect(codes).toEqual(expected);
});

it("lays rows out with the columns behind their features, in blocks", () => {
  const random = new CounterRandom(key);
  const tables = [0, 1].map(
    (seed): TableColumn => ({
      feature: 1,
      table: Uint8Array.from({ length: count + 2 }, () => random.nextInteger(DERIVED_BINS - seed)),
    }),
  );
  const cut: EdgesColumn = { feature: 0, edges: Float64Array.of(0.5, 2, 3.5) };
  const derived = [...tables, cut];
  checkDerived(derived, data.features);
  const { binned } = data;
  if (binned === null) throw new Error("There are no bins.");
  const codes = arena.u16(binned.wide?.[0].codes ?? 0, rows);
  const cutBins = new Uint8Array(rows);
  const [x] = table.columns;
  if (x.kind !== "numeric") throw new Error("It is no numeric column.");
  assignBins(x.values, binsBetween(cut.edges), 0, cutBins);
  expect([...cutBins.subarray(0, 7)]).toEqual([0, 1, 1, 2, 3, 4, 3]);
  const expectedOf = (row: number): number[] => [
    ...[0, 1].map((f) => arena.u8(binned.columnMajor + f * binned.columnStride + row, 1)[0]),
    ...tables.map((column) => column.table[codes[row]]),
    cutBins[row],
  ];
  const list = fc.array(fc.nat(rows - 1), { maxLength: 40 });
  fc.assert(
    fc.property(fc.option(list, { freq: 20 }), fc.boolean(), (given, byRow) => {
      const asked = given && Uint32Array.from(given);
      const found: number[][] = [];
      overDerived(data, derived, asked, byRow, (extended) => {
        const { rowMajor, rowStride, columnMajor, columnStride, bins } = extended.binned!;
        expect([bins.length, extended.features.length]).toEqual([5, 5]);
        for (let row = 0; row < extended.rows; row++) {
          const cells = [0, 1, 2, 3, 4].map(
            (f) => arena.u8(columnMajor + f * columnStride + row, 1)[0],
          );
          if (rowMajor !== null) {
            expect([...arena.u8(rowMajor + row * rowStride, 5)]).toEqual(cells);
          }
          // Not each of all rows: that takes long.
          if (asked !== null || row % 97 === 0) found.push(cells);
        }
      });
      const all = Array.from({ length: Math.ceil(rows / 65_536) }, (_, block) =>
        Array.from(
          { length: Math.min(65_536, rows - block * 65_536) },
          (_, i) => block * 65_536 + i,
        ),
      );
      const rowsOf = asked ?? all.flatMap((block) => block.filter((_, i) => i % 97 === 0));
      expect(found).toEqual(Array.from(rowsOf, expectedOf));
    }),
    { numRuns: 30 },
  );
});

it("gives what is said of the columns to their features", () => {
  const derived = [0, 2, 2].map((of) => ({ feature: of, table: new Uint8Array(0) }));
  const said = Float64Array.of(1, 2, 3, 10, 100, 1000, 4, 5, 6, 20, 200, 2000);
  expect([...ofFeatures(derived, 3, 1, said)]).toEqual([11, 2, 1103, 24, 5, 2206]);
  expect([...ofFeatures(derived, 3, 2, said)]).toEqual([5, 7, 3, 10, 306, 3020]);
});

it("refuses edges of other features, and such as cut nothing", () => {
  const isSound = (feature: number, edges: readonly number[]): boolean => {
    try {
      checkDerived([{ feature, edges: Float64Array.from(edges) }], data.features);
      return true;
    } catch {
      return false;
    }
  };
  const many = Array.from({ length: 255 }, (_, i) => i);
  expect([isSound(0, [1, 2]), isSound(0, many.slice(1)), isSound(0, [-Infinity])]).toEqual([
    ...[true, true, true],
  ]);
  for (const edges of [[], many, [2, 1], [1, 1], [Number.NaN], [1, Number.NaN]]) {
    expect(isSound(0, edges)).toBe(false);
  }
  expect([isSound(1, [1]), isSound(2, [1]), isSound(-1, [1])]).toEqual([false, false, false]);
});

it("refuses tables of other features, and frees the codes with the bins", () => {
  for (const [of, length] of [
    [0, count + 2],
    [1, count + 1],
    [2, count + 2],
    [-1, count + 2],
  ]) {
    const derived = [{ feature: of, table: new Uint8Array(length) }];
    expect(() => checkDerived(derived, data.features)).toThrow(/derived column/);
  }
  const before = arena.liveBytes;
  freeEncoded(
    encodeFeatures(schema, table, arena, { bins: binsToFit({ key }, rows), values: false }),
  );
  expect(arena.liveBytes).toBe(before);
});
