/** Groups that are left out, against every row of them. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { SCAN_OPERATORS, type ScanFilter } from "../../../sources/scan-filter.ts";
import { mayMeet } from "./dataset-groups.ts";

const value = fc.integer({ min: -3, max: 3 });
const constant = value.map((one) => ({ type: "number" as const, value: String(one) }));
const column = fc.constantFrom("c0", "c1");
const leaf = fc.oneof(
  fc.record({
    kind: fc.constant("comparison" as const),
    column,
    op: fc.constantFrom(...SCAN_OPERATORS),
    value: constant,
  }),
  fc.record({ kind: fc.constant("in" as const), column, values: fc.array(constant) }),
  fc.record({ kind: fc.constantFrom("is_null" as const, "is_not_null" as const), column }),
);
const filters = fc.letrec<{ node: ScanFilter }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      filters: fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).node;

type Row = readonly (number | null)[];

const cellOf = (row: Row, name: string): number | null => row[Number(name.slice(1))] ?? null;

function meets(filter: ScanFilter, row: Row): boolean {
  switch (filter.kind) {
    case "and":
      return filter.filters.every((part) => meets(part, row));
    case "or":
      return filter.filters.some((part) => meets(part, row));
    case "is_null":
      return cellOf(row, filter.column) === null;
    case "is_not_null":
      return cellOf(row, filter.column) !== null;
    case "in": {
      const cell = cellOf(row, filter.column);
      return cell !== null && filter.values.some((one) => Number(one.value) === cell);
    }
    case "comparison": {
      const cell = cellOf(row, filter.column);
      if (cell === null) return false;
      const other = Number(filter.value.value);
      const holds = {
        eq: cell === other,
        ne: cell !== other,
        lt: cell < other,
        le: cell <= other,
        gt: cell > other,
        ge: cell >= other,
      };
      return holds[filter.op];
    }
  }
}

const statisticsOf = (rows: readonly Row[], place: number) => {
  const values = rows.flatMap((row) => row[place] ?? []);
  return {
    missing: [rows.length - values.length],
    low: [values.length === 0 ? null : Math.min(...values)],
    high: [values.length === 0 ? null : Math.max(...values)],
  };
};

it("leaves out no group of which a row meets the filter, and some of the others", () => {
  let leftOut = 0;
  const cell = fc.option(value);
  const tables = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(tables, filters, (rows, filter) => {
      const columns = [0, 1].map((place) => ({ statistics: statisticsOf(rows, place) }));
      const may = mayMeet(filter, columns, 0, rows.length);
      if (rows.some((row) => meets(filter, row))) expect(may).toBe(true);
      else if (!may) leftOut += 1;
    }),
    { numRuns: 500 },
  );
  expect(leftOut).toBeGreaterThan(20);
});

it("compares times by their milliseconds, with those that have microseconds", () => {
  const at = Date.UTC(2024, 1, 29);
  const columns = [{ statistics: { missing: [0], low: [at], high: [at + 1000] } }];
  const may = (text: string) =>
    mayMeet(
      {
        kind: "comparison",
        column: "c0",
        op: "eq",
        value: { type: "timestamp", value: text },
      },
      columns,
      0,
      5,
    );
  expect(may("2024-02-29T00:00:00.000001")).toBe(true);
  expect(may("2024-02-28T23:59:59.999999")).toBe(true);
  expect(may("2024-02-28T23:59:59.9")).toBe(false);
  expect(may("2024-02-29T00:00:02")).toBe(false);
});
