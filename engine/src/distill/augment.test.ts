import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import type { Column, Table } from "../data/table.ts";
import { stackTables, takeRows } from "../data/table-rows.ts";
import { type AugmentOptions, augment } from "./augment.ts";
import { nearestRows } from "./neighbours.ts";

const DAY = 86_400_000;

/** Every kind of column, with missing cells. */
function mixedTable(seed: number, rows: number): Table {
  const random = new CounterRandom(deriveKey(seed, "augment-test"));
  const gap = (): boolean => random.nextFloat() < 0.15;
  const numbers = (make: () => number): Float64Array =>
    Float64Array.from({ length: rows }, () => (gap() ? Number.NaN : make()));
  const columns: Column[] = [
    { kind: "numeric", name: "real", values: numbers(() => random.nextGaussian() * 10) },
    { kind: "numeric", name: "whole", values: numbers(() => random.nextInteger(5000) - 100) },
    { kind: "numeric", name: "price", values: numbers(() => random.nextInteger(99_999) / 100) },
    { kind: "numeric", name: "grade", values: numbers(() => random.nextInteger(4) * 2) },
    {
      kind: "numeric",
      name: "endless",
      values: numbers(() => (random.nextFloat() < 0.1 ? Infinity : random.nextFloat())),
    },
    { kind: "timestamp", name: "day", values: numbers(() => random.nextInteger(900) * DAY) },
    { kind: "timestamp", name: "moment", values: numbers(() => random.nextInteger(9e8) * 1000) },
    {
      kind: "boolean",
      name: "flag",
      values: Uint8Array.from({ length: rows }, () => (gap() ? 255 : random.nextInteger(2))),
    },
    {
      kind: "categorical",
      name: "colour",
      categories: ["red", "green", "blue"],
      codes: Int32Array.from({ length: rows }, () => (gap() ? -1 : random.nextInteger(3))),
    },
    {
      kind: "text",
      name: "note",
      values: Array.from({ length: rows }, () => (gap() ? null : `note ${random.nextInteger(9)}`)),
    },
  ];
  return { rows, columns };
}

const options = fc.record({
  rows: fc.integer({ min: 0, max: 90 }),
  augmentation: fc.constantFrom("munge" as const, "spunge" as const),
  swapProbability: fc.constantFrom(0, 0.3, 1),
  localVariance: fc.constantFrom(0.5, 5),
});

const settings: Omit<AugmentOptions, "rows"> = {
  augmentation: "munge",
  swapProbability: 0.5,
  localVariance: 5,
  key: deriveKey(1, "augment"),
};

function cellsOf(column: Column): ArrayLike<unknown> {
  return column.kind === "categorical" ? column.codes : column.values;
}

function rangeOf(column: Column): readonly [number, number] {
  const finite = Array.from(cellsOf(column), Number).filter(Number.isFinite);
  return [Math.min(...finite), Math.max(...finite)];
}

describe("augment", () => {
  it("makes legal cells, each of its row's two parents or between the column's bounds", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 40 }), options, (seed, size, each) => {
        const table = mixedTable(seed, size);
        const { table: made, parents } = augment(table, { ...each, key: deriveKey(seed, "a") });
        expect(made.rows).toBe(each.rows);
        expect(parents.length).toBe(2 * each.rows);
        for (const parent of parents) expect(parent).toBeLessThan(size);
        for (const [index, column] of made.columns.entries()) {
          const source = table.columns[index];
          expect(column.kind).toBe(source.kind);
          expect(column.name).toBe(source.name);
          const [cells, from] = [cellsOf(column), cellsOf(source)];
          expect(cells.length).toBe(each.rows);
          const [low, high] = rangeOf(source);
          for (let row = 0; row < each.rows; row++) {
            const own = [from[parents[2 * row]], from[parents[2 * row + 1]]];
            if (own.some((cell) => Object.is(cell, cells[row]))) continue;
            // Another value than both parents': a number, jittered.
            expect(source.kind === "numeric" || source.kind === "timestamp").toBe(true);
            const value = Number(cells[row]);
            expect(own.every((cell) => Number.isFinite(cell))).toBe(true);
            expect(value).toBeGreaterThanOrEqual(low);
            expect(value).toBeLessThanOrEqual(high);
            if (column.name === "whole") expect(Number.isInteger(value)).toBe(true);
            if (column.name === "price") expect(Math.round(value * 100) / 100).toBe(value);
            if (column.name === "day") expect(value % DAY).toBe(0);
            if (column.name === "moment") expect(value % 1000).toBe(0);
            expect(column.name).not.toBe("grade");
          }
        }
      }),
      { numRuns: 60, seed: 4 },
    );
  });

  it("begins equally often with every row, and is the same for equal keys", () => {
    const table = mixedTable(3, 20);
    const a = augment(table, { ...settings, rows: 50 });
    expect(augment(table, { ...settings, rows: 50 })).toEqual(a);
    expect(augment(table, { ...settings, rows: 50, key: deriveKey(2, "augment") })).not.toEqual(a);
    const counts = new Array<number>(20).fill(0);
    for (let i = 0; i < a.parents.length; i += 2) counts[a.parents[i]]++;
    expect(Math.max(...counts) - Math.min(...counts)).toBe(1);
  });

  it("swaps as often as it is asked to, and stays near where its parents are alike", () => {
    const rows = 400;
    const x = Float64Array.from({ length: rows }, (_, i) => i + 0.0001 * i);
    const table: Table = { rows, columns: [{ kind: "numeric", name: "x", values: x }] };
    const { table: made, parents } = augment(table, {
      ...settings,
      swapProbability: 0.25,
      rows: 2000,
    });
    const [column] = made.columns;
    const cells = cellsOf(column);
    let swapped = 0;
    for (let row = 0; row < 2000; row++) {
      const [own, other] = [x[parents[2 * row]], x[parents[2 * row + 1]]];
      // Among the five nearest: at most five steps away, but at the ends.
      expect(Math.abs(own - other)).toBeLessThan(6);
      expect(Math.abs(Number(cells[row]) - other)).toBeLessThan(2 * Math.abs(own - other) + 1e-9);
      if (cells[row] !== own) swapped++;
    }
    expect(swapped / 2000).toBeGreaterThan(0.2);
    expect(swapped / 2000).toBeLessThan(0.3);
  });
});

/** By the definition, in double precision. */
function slowDistance(table: Table, a: number, b: number): number {
  return table.columns.reduce((sum, column) => {
    const [x, y] = [cellsOf(column)[a], cellsOf(column)[b]];
    if (column.kind !== "numeric" && column.kind !== "timestamp") return sum + (x === y ? 0 : 1);
    const finite = [...column.values].filter(Number.isFinite);
    const mean = finite.reduce((total, value) => total + value, 0) / finite.length;
    const variance = finite.reduce((total, v) => total + (v - mean) ** 2, 0) / finite.length;
    const [p, q] = [Number(x), Number(y)];
    if (Number.isFinite(p) && Number.isFinite(q)) {
      return sum + (variance > 0 ? (p - q) ** 2 / (2 * variance) : 0);
    }
    return sum + (Number.isFinite(p) || Number.isFinite(q) ? 1 : 0);
  }, 0);
}

describe("nearestRows", () => {
  it("finds the nearest of all rows, as looking at each does", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 60 }), (seed, rows) => {
        const table = mixedTable(seed, rows);
        const queries = Uint32Array.from({ length: rows }, (_, row) => row).filter(
          (r) => r % 2 === 0,
        );
        const found = nearestRows(table, queries, { count: 3, key: deriveKey(1, "n") });
        queries.forEach((query, q) => {
          const distances = Array.from({ length: rows }, (_, row) =>
            slowDistance(table, query, row),
          )
            .filter((distance) => distance > 0)
            .sort((a, b) => a - b)
            .slice(0, 3);
          const rowsFound = [...found.rows.subarray(3 * q, 3 * q + 3)];
          distances.forEach((distance, place) => {
            expect(slowDistance(table, query, rowsFound[place])).toBeCloseTo(distance, 4);
          });
          expect(rowsFound.slice(distances.length).every((row) => row === -1)).toBe(true);
        });
      }),
      { numRuns: 40, seed: 5 },
    );
  });

  it("searches a random part of the rows where all would cost too much", () => {
    const table = mixedTable(9, 900);
    const queries = Uint32Array.from({ length: 600 }, (_, row) => row);
    const exact = nearestRows(table, queries, { count: 1, key: deriveKey(1, "n") });
    const budget = 600 * 10 * 300;
    const part = nearestRows(table, queries, { count: 1, key: deriveKey(1, "n"), budget });
    expect(nearestRows(table, queries, { count: 1, key: deriveKey(1, "n"), budget })).toEqual(part);
    const mean = (each: Int32Array): number =>
      each.reduce((sum, row, q) => sum + slowDistance(table, queries[q], row) / each.length, 0);
    const random = Int32Array.from(queries, (row) => (row + 450) % 900);
    expect(part.rows).not.toEqual(exact.rows);
    expect(mean(part.rows)).toBeGreaterThan(mean(exact.rows));
    expect(mean(part.rows)).toBeLessThan(0.7 * mean(random));
  });

  it("knows no neighbour of a row whose like are all its equals", () => {
    const values = new Float64Array(5).fill(2);
    const table: Table = { rows: 5, columns: [{ kind: "numeric", name: "x", values }] };
    const { rows } = nearestRows(table, Uint32Array.of(0, 1), { count: 2, key: deriveKey(1, "n") });
    expect([...rows]).toEqual([-1, -1, -1, -1]);
    const made = augment(table, { ...settings, rows: 7 });
    expect(made.table.columns[0]).toMatchObject({ values: new Float64Array(7).fill(2) });
  });
});

describe("rows of tables", () => {
  it("are taken out and stacked, whatever their kind", () => {
    const table = mixedTable(2, 12);
    const names = table.columns.map(({ name }) => name);
    const first = takeRows(table, names, Uint32Array.of(0, 1, 2, 3, 4));
    const rest = takeRows(table, names, Uint32Array.of(5, 6, 7, 8, 9, 10, 11));
    expect(stackTables(first, rest)).toEqual(table);
    expect(takeRows(table, ["flag"], null).columns).toEqual([table.columns[7]]);
    expect(() => takeRows(table, ["absent"], null)).toThrow(/no column absent/);
  });
});
