import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Table as ArrowTable, tableToIPC, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { Table as ParquetTable, writeParquet } from "parquet-wasm";
import { afterAll, describe, expect, it } from "vitest";
import { coerceColumn } from "./coerce.ts";
import { readTableFromFile } from "./readers/read-table.ts";
import { equalRows, RowHashes } from "./row-hashes.ts";
import type { Column, Table } from "./table.ts";
import { takeCells } from "./table-rows.ts";

const folder = mkdtempSync(join(tmpdir(), "row-hashes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hashesOf = (
  columns: readonly Column[],
  rows: Uint32Array | null,
  count: number,
): string[] => {
  const hashes = new RowHashes(rows, count);
  for (const column of columns) hashes.add(column);
  return Array.from(hashes.low, (low, row) => `${hashes.high[row]}:${low}`);
};

const CATEGORIES = ["x", "", "y", "missing"];
const cell = fc.record({
  number: fc.oneof(fc.constantFrom(0, -0, 1, 2, 0.1, Math.fround(0.1), 1e300, Number.NaN)),
  time: fc.constantFrom(0, -0, 0.2, 1, 1.6e12, 1.6e12 + 0.3, Number.NaN),
  flag: fc.constantFrom(0, 1, 255),
  category: fc.integer({ min: -1, max: CATEGORIES.length - 1 }),
  text: fc.constantFrom(null, "", "a", "b", "ab", "𝔸"),
});
type Cell = typeof cell extends fc.Arbitrary<infer Of> ? Of : never;

const columnsOf = (cells: readonly Cell[]): Column[] => [
  { kind: "numeric", name: "n", values: Float64Array.from(cells, ({ number }) => number) },
  { kind: "timestamp", name: "t", values: Float64Array.from(cells, ({ time }) => time) },
  { kind: "boolean", name: "b", values: Uint8Array.from(cells, ({ flag }) => flag) },
  {
    kind: "categorical",
    name: "c",
    codes: Int32Array.from(cells, ({ category }) => category),
    categories: CATEGORIES,
  },
  { kind: "text", name: "s", values: cells.map(({ text }) => text) },
];

/** What rows are compared by, written out. */
const written = ({ number, time, flag, category, text }: Cell): string =>
  JSON.stringify([
    Number.isInteger(number) ? String(number + 0) : String(Math.fround(number)),
    String(Math.round(time) + 0),
    flag,
    CATEGORIES[category] ?? null,
    text,
  ]);

describe("hashes of rows", () => {
  it("are equal where all cells are, whatever the order of rows and columns", () => {
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 0, max: 4 }),
        (cells, turn) => {
          const columns = columnsOf(cells);
          const turned = [...columns.slice(turn), ...columns.slice(0, turn)].reverse();
          const hashes = hashesOf(columns, null, cells.length);
          expect(hashesOf(turned, null, cells.length)).toEqual(hashes);
          const back = Uint32Array.from(cells, (_, i) => cells.length - 1 - i);
          expect(hashesOf(columns, back, cells.length)).toEqual([...hashes].reverse());
          expect(
            hashesOf(
              columns.map((column) => takeCells(column, back)),
              null,
              cells.length,
            ),
          ).toEqual([...hashes].reverse());
          const byText = new Map<string, string>();
          for (const [i, one] of cells.entries()) {
            expect(byText.get(written(one)) ?? hashes[i]).toBe(hashes[i]);
            byText.set(written(one), hashes[i]);
          }
          expect(new Set(byText.values()).size).toBe(byText.size);
        },
      ),
    );
  });

  it("tell which rows are equal", () => {
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 60 }), (cells) => {
        const hashes = new RowHashes(null, cells.length);
        for (const column of columnsOf(cells)) hashes.add(column);
        const { of, first } = equalRows(hashes);
        const texts = cells.map(written);
        expect(Array.from(first, (row) => texts[row])).toEqual([...new Set(texts)]);
        expect(Array.from(of, (group) => texts[first[group]])).toEqual(texts);
      }),
    );
  });

  it("know columns by their names, and values by their places in sequences", () => {
    const numeric = (name: string, values: number[]): Column => ({
      kind: "numeric",
      name,
      values: Float64Array.from(values),
    });
    const [here] = hashesOf([numeric("a", [1]), numeric("b", [2])], null, 1);
    const [there] = hashesOf([numeric("a", [2]), numeric("b", [1])], null, 1);
    expect(here).not.toBe(there);
    const steps = numeric("a", [1, 2, 2, 1, 1, 2, 1, 2, 2]);
    const { low } = RowHashes.ofSteps([steps], {
      rows: Uint32Array.from([0, 1, 2, 3, 4, 5, 6, 7, 8]),
      offsets: Uint32Array.from([0, 2, 4, 6, 9]),
    });
    expect([low[0] === low[1], low[0] === low[2], low[0] === low[3]]).toEqual([false, true, false]);
  });

  it("are spread evenly, also of a few small numbers", () => {
    const values = Float64Array.from({ length: 40_000 }, (_, i) => i % 200);
    const others = Float64Array.from({ length: 40_000 }, (_, i) => Math.floor(i / 200));
    const hashes = new RowHashes(null, values.length);
    hashes.add({ kind: "numeric", name: "a", values });
    hashes.add({ kind: "numeric", name: "b", values: others });
    expect(equalRows(hashes).first).toHaveLength(40_000);
    for (const words of [hashes.low, hashes.high]) {
      for (const part of [(word: number) => word >>> 26, (word: number) => word & 63]) {
        const counts = new Float64Array(64);
        for (const word of words) counts[part(word)]++;
        const chi2 = counts.reduce((sum, count) => sum + (count - 625) ** 2 / 625, 0);
        // Of 63 degrees of freedom; one in a million is above.
        expect(chi2).toBeLessThan(131);
      }
    }
  });

  it("are the same of a table in CSV and in Parquet", async () => {
    const rows = Array.from({ length: 50 }, (_, i) => ({
      whole: i % 7 ? i - 20 : null,
      part: i % 11 ? Math.fround(i / 7) : null,
      flag: i % 3 === 0,
      when: new Date(1.6e12 + 86_400_000 * i),
      side: ["north", "south", "east"][i % 3],
    }));
    const csv = [
      "whole,part,flag,when,side",
      ...rows.map(
        ({ whole, part, flag, when, side }) =>
          `${whole ?? ""},${part === null ? "" : part.toPrecision(8)},${flag},${when.toISOString()},${side}`,
      ),
    ].join("\n");
    const vectors = (["whole", "part", "flag", "when", "side"] as const).map(
      (name) => [name, vectorFromArray(rows.map((row) => row[name]))] as const,
    );
    const stream = tableToIPC(new ArrowTable(Object.fromEntries(vectors)), "stream");
    writeFileSync(join(folder, "a.csv"), csv);
    writeFileSync(join(folder, "a.parquet"), writeParquet(ParquetTable.fromIPCStream(stream)));
    const [one, other] = await Promise.all(
      (["csv", "parquet"] as const).map(
        async (format): Promise<Table> =>
          (await readTableFromFile(join(folder, `a.${format}`), { format })).table,
      ),
    );
    const kinds = new Map(one.columns.map(({ name, kind }) => [name, kind]));
    const alike = other.columns.map((column) =>
      coerceColumn(column, kinds.get(column.name) ?? column.kind),
    );
    expect(hashesOf(alike, null, 50)).toEqual(hashesOf(one.columns, null, 50));
  });
});
