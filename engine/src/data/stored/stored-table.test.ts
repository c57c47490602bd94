import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FilterNode } from "../filter/filter-node.ts";
import { selectRows } from "../filter/select-rows.ts";
import { SLASHED_ORDERS } from "../readers/timestamp-text.ts";
import type { CategoricalColumn, Column, Table } from "../table.ts";
import { GROUP_ROWS } from "./metadata.ts";
import { openStoredTable } from "./stored-table.ts";
import { StoredTableWriter } from "./table-writer.ts";

let folder: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stored-table-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function written(table: Table, groupRows = GROUP_ROWS, warnings: readonly string[] = []): string {
  const path = join(folder, `table-${files++}`);
  const writer = new StoredTableWriter(path, groupRows);
  for (const column of table.columns) {
    writer.add({ column, written: table.written?.get(column.name) }, table.rows);
  }
  writer.finish(warnings);
  writer.close();
  return path;
}

/** As plain data: a getter is the same as what it gives. */
const plain = (column: Column): object =>
  column.kind === "categorical"
    ? { kind: "categorical", name: column.name, codes: column.codes, categories: column.categories }
    : { ...column, values: column.values };

const numbers = fc.oneof(
  fc.integer({ min: -130, max: 130 }),
  fc.integer({ min: -40_000, max: 40_000 }),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.maxSafeInteger(),
  fc.double(),
  fc.float(),
  fc.constantFrom(Number.NaN, -0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 31),
);
const times = fc.oneof(
  fc.integer({ min: -1e13, max: 1e13 }),
  fc.integer({ min: -1e15, max: 1e15 }).map((micros) => micros / 1000),
  fc.double({ min: -1e13, max: 1e13, noNaN: true }),
  fc.constantFrom(Number.NaN, -0),
);
const texts = fc.option(fc.oneof(fc.constantFrom("a", "b", ""), fc.string({ unit: "grapheme" })), {
  nil: null,
});

function columnOf(name: string, rows: number): fc.Arbitrary<Column> {
  const many = <T>(cell: fc.Arbitrary<T>) => fc.array(cell, { minLength: rows, maxLength: rows });
  // One sort of numbers a column, so that each type of the file comes up.
  const column = (cells: readonly fc.Arbitrary<number>[]) =>
    fc.oneof(...cells.map(many), many(fc.oneof(...cells)));
  const missing = fc.constant(Number.NaN);
  return fc.oneof(
    column([
      fc.integer({ min: -100, max: 100 }),
      fc.oneof(fc.integer({ min: -30_000, max: 30_000 }), missing),
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      fc.oneof(fc.float(), missing),
      numbers,
    ]).map((cells): Column => ({ kind: "numeric", name, values: Float64Array.from(cells) })),
    column([fc.integer({ min: -1e13, max: 1e13 }), times]).chain((cells) =>
      fc.constantFrom(...SLASHED_ORDERS, null).map(
        (slashed): Column => ({
          kind: "timestamp",
          name,
          values: Float64Array.from(cells),
          ...(slashed ? { slashed } : {}),
        }),
      ),
    ),
    many(fc.constantFrom(0, 1, 255)).map(
      (cells): Column => ({ kind: "boolean", name, values: Uint8Array.from(cells) }),
    ),
    many(texts).map((values): Column => ({ kind: "text", name, values })),
    fc.uniqueArray(fc.string({ unit: "grapheme" }), { maxLength: 300 }).chain((categories) =>
      many(fc.integer({ min: -1, max: categories.length - 1 })).map(
        (codes): Column => ({
          kind: "categorical",
          name,
          codes: Int32Array.from(codes),
          categories,
        }),
      ),
    ),
  );
}

const tables = fc
  .integer({ min: 1, max: 60 })
  .chain((rows) =>
    fc
      .tuple(columnOf("a", rows), columnOf("b", rows), columnOf("c", rows))
      .map((columns): Table => ({ rows, columns })),
  );

describe("a table's file", () => {
  it("gives back every cell as it was, however many groups there are", () => {
    fc.assert(
      fc.property(tables, fc.constantFrom(8, 16, GROUP_ROWS), (table, groupRows) => {
        const path = written(table, groupRows, ["odd"]);
        // With room for none, each is read anew.
        for (const heldBytes of [0, 1e9]) {
          const stored = openStoredTable(path, { heldBytes });
          expect(stored.warnings).toEqual(["odd"]);
          expect(stored.table.rows).toBe(table.rows);
          expect(stored.table.columns.map(plain)).toEqual(table.columns.map(plain));
          for (const [at, column] of stored.table.columns.entries()) {
            const was = table.columns[at];
            if (column.kind === "numeric" && was?.kind === "numeric") {
              expect([...column.values].every((value, i) => Object.is(value, was.values[i]))).toBe(
                true,
              );
            }
          }
        }
        rmSync(path);
      }),
      { numRuns: 150 },
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it("keeps cells as they were written beside their values", () => {
    const column: Column = {
      kind: "numeric",
      name: "y",
      values: Float64Array.of(1, Number.NaN, 2),
    };
    const cells: CategoricalColumn = {
      kind: "categorical",
      name: "y",
      codes: Int32Array.of(0, -1, 1),
      categories: ["1.0", "02"],
    };
    const other: Column = { kind: "text", name: "y (as written)", values: ["x", null, "z"] };
    const path = written({ rows: 3, columns: [column, other], written: new Map([["y", cells]]) });
    const { table } = openStoredTable(path);
    expect(table.columns.map(plain)).toEqual([column, other].map(plain));
    expect(plain(table.written?.get("y") ?? other)).toEqual(plain(cells));
    rmSync(path);
  });

  it("is an Arrow file that others read", () => {
    const path = written({
      rows: 3,
      columns: [
        { kind: "numeric", name: "n", values: Float64Array.of(1, Number.NaN, -3) },
        { kind: "categorical", name: "c", codes: Int32Array.of(1, 0, -1), categories: ["é", "b"] },
        { kind: "timestamp", name: "t", values: Float64Array.of(0, 1e12, Number.NaN) },
        { kind: "boolean", name: "b", values: Uint8Array.of(1, 255, 0) },
      ],
    });
    const read = tableFromIPC(readFileSync(path));
    expect(read.toArray().map((row) => ({ ...row.toJSON() }))).toEqual([
      { n: 1, c: "b", t: 0, b: true },
      { n: null, c: "é", t: 1e12, b: null },
      { n: -3, c: null, t: null, b: false },
    ]);
    rmSync(path);
  });

  it("refuses what it did not write, in a sentence", () => {
    const path = join(folder, "other");
    for (const bytes of ["", "ARROW1", "a,b\n1,2\n"]) {
      writeFileSync(path, bytes);
      expect(() => openStoredTable(path)).toThrow("The table's file is damaged.");
    }
    rmSync(path);
  });
});

describe("a filter's groups", () => {
  const value = fc.oneof(
    fc.integer({ min: -3, max: 12 }),
    fc.double({ min: -3, max: 12, noNaN: true }),
  );
  const comparison = fc.oneof(
    fc.record({
      kind: fc.constant("comparison" as const),
      column: fc.constantFrom("n", "sorted"),
      op: fc.constantFrom("eq", "ne", "lt", "le", "gt", "ge"),
      value,
    }),
    fc.record({
      kind: fc.constant("comparison" as const),
      column: fc.constantFrom("n", "sorted"),
      op: fc.constantFrom("in", "not_in"),
      value: fc.array(value, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant("comparison" as const),
      column: fc.constantFrom("c", "t"),
      op: fc.constantFrom("eq", "ne", "lt", "ge"),
      value: fc.constantFrom("a", "b", "z"),
    }),
    fc.record({
      kind: fc.constant("comparison" as const),
      column: fc.constant("b"),
      op: fc.constantFrom("eq", "ne"),
      value: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant("comparison" as const),
      column: fc.constantFrom("n", "sorted", "c", "t", "b"),
      op: fc.constantFrom("is_null", "is_not_null"),
      value: fc.constant(null),
    }),
  ) as fc.Arbitrary<FilterNode>;
  const filters = fc.letrec<{ node: FilterNode }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      comparison,
      fc.record({ kind: fc.constant("not" as const), expr: tie("node") }),
      fc.record({
        kind: fc.constant("bool" as const),
        op: fc.constantFrom("and" as const, "or" as const),
        exprs: fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
      }),
    ),
  })).node;

  const sometimesMissing = fc.oneof(
    { weight: 5, arbitrary: value },
    { weight: 1, arbitrary: fc.constant(Number.NaN) },
  );

  it("hold every row that it lets through", () => {
    let left = 0;
    fc.assert(
      fc.property(
        fc.array(sometimesMissing, { minLength: 20, maxLength: 40 }),
        fc.infiniteStream(fc.integer({ min: -1, max: 1 })),
        filters,
        (cells, codes, filter) => {
          const rows = cells.length;
          const table: Table = {
            rows,
            columns: [
              { kind: "numeric", name: "n", values: Float64Array.from(cells) },
              { kind: "numeric", name: "sorted", values: Float64Array.from(cells).sort() },
              {
                kind: "categorical",
                name: "c",
                codes: Int32Array.from({ length: rows }, () => codes.next().value ?? -1),
                categories: ["a", "b"],
              },
              {
                kind: "text",
                name: "t",
                values: cells.map((_, i) => (i % 7 ? ("ab"[i % 2] ?? null) : null)),
              },
              {
                kind: "boolean",
                name: "b",
                values: Uint8Array.from(cells, (cell, i) => (i < 10 ? 1 : cell > 3 ? 0 : 255)),
              },
            ],
          };
          const path = written(table, 8);
          const stored = openStoredTable(path, { filter }).table;
          if (stored.ranges) left++;
          expect([...selectRows(stored, filter)]).toEqual([...selectRows(table, filter)]);
          rmSync(path);
        },
      ),
      { numRuns: 300 },
    );
    expect(left).toBeGreaterThan(50);
  });

  it("are not read where nothing passes", () => {
    const rows = 64;
    const path = written(
      {
        rows,
        columns: [
          {
            kind: "numeric",
            name: "day",
            values: Float64Array.from({ length: rows }, (_, i) => i),
          },
          { kind: "numeric", name: "x", values: new Float64Array(rows).fill(7) },
        ],
      },
      8,
    );
    const filter: FilterNode = { kind: "comparison", column: "day", op: "ge", value: 58 };
    const { table } = openStoredTable(path, { filter });
    expect(table.ranges).toEqual([{ from: 56, to: 64 }]);
    const [, x] = table.columns;
    expect(x?.kind === "numeric" && [...x.values]).toEqual([
      ...new Array<number>(56).fill(0),
      ...new Array<number>(8).fill(7),
    ]);
    rmSync(path);
  });
});
