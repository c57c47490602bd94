/** A stored table read group by group is the one that is read whole. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { cellText } from "../coerce.ts";
import type { Column, Table } from "../table.ts";
import { openStoredGroups } from "./stored-groups.ts";
import { StoredTableWriter } from "./table-writer.ts";

const folder = mkdtempSync(join(tmpdir(), "distillery-groups-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

function stored(columns: readonly Column[], rows: number, groupRows: number): string {
  const path = join(folder, String(files++));
  const writer = new StoredTableWriter(path, groupRows);
  for (const column of columns) writer.add({ column }, rows);
  writer.finish([]);
  return path;
}

const TEXTS = ["a", "b", "c", "d", "é"];

const table: fc.Arbitrary<Table> = fc
  .array(
    fc.tuple(
      fc.option(fc.oneof(fc.integer({ min: -300, max: 300 }), fc.double({ noNaN: true }))),
      fc.constantFrom(0, 1, 255),
      fc.integer({ min: -1, max: TEXTS.length - 1 }),
      fc.option(fc.constantFrom(...TEXTS)),
    ),
    { minLength: 1, maxLength: 60 },
  )
  .map((rows) => ({
    rows: rows.length,
    columns: [
      { kind: "numeric", name: "n", values: Float64Array.from(rows, ([n]) => n ?? Number.NaN) },
      { kind: "boolean", name: "b", values: Uint8Array.from(rows, ([, b]) => b) },
      {
        kind: "categorical",
        name: "c",
        codes: Int32Array.from(rows, ([, , c]) => c),
        categories: TEXTS,
      },
      { kind: "text", name: "t", values: rows.map(([, , , t]) => t) },
      {
        kind: "timestamp",
        name: "d",
        values: Float64Array.from(rows, ([n]) => Math.round(n ?? 0)),
      },
    ],
  }));

const textsOf = (column: Column | undefined, rows: number): (string | null)[] =>
  Array.from({ length: rows }, (_, row) => (column ? cellText(column, row) : null));

it("has the same cells, with the categories of each group alone", () => {
  fc.assert(
    fc.property(table, fc.constantFrom(8, 16), ({ rows, columns }, groupRows) => {
      const opened = openStoredGroups(stored(columns, rows, groupRows));
      expect(opened.rows).toBe(rows);
      const names = new Set(columns.map(({ name }) => name));
      const parts = opened.groups.map((_, group) => opened.table(group, names));
      expect(parts.reduce((sum, part) => sum + part.rows, 0)).toBe(rows);
      for (const [at, column] of columns.entries()) {
        const cells = parts.flatMap((part) => textsOf(part.columns[at], part.rows));
        expect(cells).toEqual(textsOf(column, rows));
        expect(opened.columns[at]).toMatchObject({ name: column.name, kind: column.kind });
      }
      for (const part of parts) {
        const coded = part.columns[2];
        if (coded?.kind !== "categorical") throw new Error("the kind has changed");
        expect(new Set(coded.codes).size - (coded.codes.includes(-1) ? 1 : 0)).toBe(
          coded.categories.length,
        );
      }
      expect(opened.categories("c")).toEqual(TEXTS);
    }),
    { numRuns: 40 },
  );
});

it("reads the columns alone that are asked for, and says what all their rows are", () => {
  const columns: Column[] = [
    { kind: "numeric", name: "whole", values: Float64Array.of(1, 2, 70_000) },
    { kind: "numeric", name: "half", values: Float64Array.of(1, 2.5, Number.NaN) },
    { kind: "numeric", name: "long", values: Float64Array.of(-(2 ** 53 - 1), Number.NaN, 2 ** 31) },
    { kind: "numeric", name: "unsafe", values: Float64Array.of(2 ** 53, 1, 2) },
    { kind: "numeric", name: "zero", values: Float64Array.of(2 ** 40, -0, 2) },
  ];
  const opened = openStoredGroups(stored(columns, 3, 8));
  expect(opened.columns).toEqual([
    { name: "whole", kind: "numeric", nullable: false, integerBits: 32 },
    { name: "half", kind: "numeric", nullable: true, integerBits: null },
    { name: "long", kind: "numeric", nullable: true, integerBits: 64 },
    { name: "unsafe", kind: "numeric", nullable: false, integerBits: null },
    { name: "zero", kind: "numeric", nullable: false, integerBits: null },
  ]);
  for (const [place, column] of columns.entries()) {
    expect(opened.column(0, place)).toEqual(column);
  }
  expect(opened.table(0, new Set(["half"])).columns.map(({ name }) => name)).toEqual(["half"]);
});
