import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMissingCell } from "../coerce.ts";
import { type Column, DataError, type Table } from "../table.ts";
import {
  BoolNode,
  COMPARISON_OPERATORS,
  ComparisonNode,
  type FilterNode,
  type FilterScalar,
  NotNode,
} from "./filter-node.ts";
import { filterSchema } from "./filter-schema.ts";
import { selectRows } from "./select-rows.ts";

const DAY = 86_400_000;
const WORDS = ["a", "b", "c"];

/** Rows of small values, so that comparisons are often equal; null is missing. */
const rowsOf = fc.array(
  fc.record({
    n: fc.option(fc.integer({ min: -2, max: 2 })),
    b: fc.option(fc.boolean()),
    t: fc.option(fc.integer({ min: 0, max: 3 })),
    c: fc.option(fc.constantFrom(...WORDS)),
    s: fc.option(fc.constantFrom(...WORDS)),
  }),
  { maxLength: 12 },
);
type Row = {
  n: number | null;
  b: boolean | null;
  t: number | null;
  c: string | null;
  s: string | null;
};

function tableOf(rows: readonly Row[]): Table {
  const columns: Column[] = [
    { kind: "numeric", name: "n", values: Float64Array.from(rows, (row) => row.n ?? Number.NaN) },
    {
      kind: "boolean",
      name: "b",
      values: Uint8Array.from(rows, (row) => (row.b === null ? 255 : Number(row.b))),
    },
    {
      kind: "timestamp",
      name: "t",
      values: Float64Array.from(rows, (row) => (row.t === null ? Number.NaN : row.t * DAY)),
    },
    {
      kind: "categorical",
      name: "c",
      codes: Int32Array.from(rows, (row) => WORDS.indexOf(row.c ?? "")),
      categories: WORDS,
    },
    { kind: "text", name: "s", values: rows.map((row) => row.s) },
  ];
  return { rows: rows.length, columns };
}

const operands: Record<string, fc.Arbitrary<FilterScalar>> = {
  n: fc.integer({ min: -2, max: 2 }),
  b: fc.boolean(),
  t: fc.integer({ min: 0, max: 3 }).map((day) => new Date(day * DAY).toISOString()),
  c: fc.constantFrom(...WORDS),
  s: fc.constantFrom(...WORDS),
};

const comparison: fc.Arbitrary<FilterNode> = fc
  .constantFrom("n", "b", "t", "c", "s")
  .chain((column) =>
    fc
      .constantFrom(...COMPARISON_OPERATORS.filter((op) => column !== "b" || !/^[lg]/.test(op)))
      .chain((op) => {
        if (op.startsWith("is_")) return fc.constant(ComparisonNode.create(column, op));
        const value = operands[column];
        return (
          op === "in" || op === "not_in" ? fc.array(value, { minLength: 1, maxLength: 3 }) : value
        ).map((operand) => ComparisonNode.create(column, op, operand));
      }),
  );

const filters = fc.letrec<{ node: FilterNode }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    comparison,
    fc
      .tuple(
        fc.constantFrom("and" as const, "or" as const),
        fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
      )
      .map(([op, exprs]) => BoolNode.create(op, exprs)),
    tie("node").map((expr) => NotNode.create(expr)),
  ),
})).node;

/** SQL's logic written down naively: true, false, or null for unknown. */
function naive(filter: FilterNode, row: Row): boolean | null {
  if (filter.kind === "not") {
    const inner = naive(filter.expr, row);
    return inner === null ? null : !inner;
  }
  if (filter.kind === "bool") {
    const parts = filter.exprs.map((expr) => naive(expr, row));
    const decisive = filter.op === "or";
    if (parts.includes(decisive)) return decisive;
    return parts.includes(null) ? null : !decisive;
  }
  const { column, op, value } = filter;
  const cell = { ...row, t: row.t === null ? null : new Date(row.t * DAY).toISOString() }[
    column as keyof Row
  ];
  if (op === "is_null") return cell === null;
  if (op === "is_not_null") return cell !== null;
  if (cell === null) return null;
  if (op === "in") return Array.isArray(value) && value.includes(cell);
  if (op === "not_in") return Array.isArray(value) && !value.includes(cell);
  const wanted = value as FilterScalar;
  if (op === "eq") return cell === wanted;
  if (op === "ne") return cell !== wanted;
  if (op === "lt") return cell < wanted;
  if (op === "le") return cell <= wanted;
  return op === "gt" ? cell > wanted : cell >= wanted;
}

describe("selectRows", () => {
  it("agrees with a naive row-wise evaluation", () => {
    fc.assert(
      fc.property(rowsOf, filters, (rows, filter) => {
        const expected = [...rows.keys()].filter((row) => naive(filter, rows[row]) === true);
        expect([...selectRows(tableOf(rows), filter)]).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it("takes values in any sensible form", () => {
    const table = tableOf([{ n: 1, b: true, t: 1, c: "a", s: "b" }]);
    const forms: [string, FilterScalar][] = [
      ["n", "1"],
      ["n", " 1.0 "],
      ["b", "yes"],
      ["b", 1],
      ["t", "1970-01-02"],
      ["t", "1970-01-02T01:00:00+01:00"],
    ];
    for (const [column, value] of forms) {
      expect([...selectRows(table, ComparisonNode.create(column, "eq", value))]).toEqual([0]);
    }
  });

  it.each<[string, "eq" | "lt", FilterScalar, RegExp]>([
    ["n", "eq", "x", /numeric column "n" with "x", which is not a number/],
    ["n", "eq", true, /with true, which is not a number/],
    ["b", "eq", 2, /boolean column "b" with 2, which is not true or false/],
    ["b", "lt", true, /compares the boolean column "b" with lt/],
    ["t", "eq", "tomorrow", /timestamp column "t" with "tomorrow"/],
    ["t", "eq", 5, /not an ISO 8601 time/],
    ["c", "lt", 10, /categorical column "c" with the number 10 by lt, .* letter by letter/],
    ["m", "eq", 5, /names column "m", which does not exist; the closest: "n"/],
  ])("refuses %s %s %s", (column, op, value, message) => {
    const filter = ComparisonNode.create(column, op, value);
    expect(() => selectRows(tableOf([]), filter)).toThrow(message);
    expect(() => selectRows(tableOf([]), filter)).toThrow(DataError);
  });
});

describe("filterSchema", () => {
  it("gives back every filter, with or without tags, frozen", () => {
    const untagged = (node: unknown): unknown =>
      JSON.parse(JSON.stringify(node, (key, value) => (key === "kind" ? undefined : value)));
    fc.assert(
      fc.property(filters, (filter) => {
        expect(filterSchema.parse(JSON.parse(JSON.stringify(filter)))).toEqual(filter);
        expect(filterSchema.parse(untagged(filter))).toEqual(filter);
        expect(Object.isFrozen(filterSchema.parse(untagged(filter)))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("bounds depth and size before it recurses", () => {
    let deep: unknown = { column: "a", op: "is_null" };
    for (let i = 1; i < 32; i++) deep = { expr: deep };
    expect(filterSchema.safeParse(deep).success).toBe(true);
    expect(filterSchema.safeParse({ expr: deep }).error?.issues[0].message).toMatch(/32 levels/);
    for (let i = 0; i < 100_000; i++) deep = { exprs: [deep] };
    expect(filterSchema.safeParse(deep).success).toBe(false);
    const wide = (count: number) => ({
      op: "or",
      exprs: Array(count).fill({ column: "a", op: "is_null" }),
    });
    expect(filterSchema.safeParse(wide(999)).success).toBe(true);
    expect(filterSchema.safeParse(wide(1000)).error?.issues[0].message).toMatch(/1000 nodes/);
  });

  it.each<[unknown, string, RegExp]>([
    [null, "", /./],
    [{}, "", /a filter is a comparison with column, op and value/],
    [{ op: "and", filters: [] }, "", /and takes its filters in a list named exprs/],
    [{ exprs: [{ expr: { op: "or" } }], op: "and" }, "exprs.0.expr", /or takes its filters/],
    [{ kind: "xor", exprs: [] }, "kind", /./],
    [{ column: "a", op: "like", value: "x" }, "op", /./],
    [{ column: "a", op: "eq" }, "value", /is_null/],
    [{ column: "a", op: "eq", value: [1] }, "value", /use in/],
    [{ column: "a", op: "in", value: 1 }, "value", /takes a list/],
    [{ column: "a", op: "in", value: [] }, "value", /./],
    [{ column: "", op: "is_null" }, "column", /./],
    [{ op: "and", exprs: [] }, "exprs", /./],
    [
      {
        op: "and",
        exprs: [
          { column: "a", op: "eq", value: 1 },
          { column: 3, op: "eq", value: 1 },
        ],
      },
      "exprs.1.column",
      /./,
    ],
    [{ column: "a", op: "eq", value: 1, extra: 1 }, "", /extra/],
  ])("refuses %j at %j", (value, path, message) => {
    const issue = filterSchema.safeParse(value).error?.issues[0];
    expect(issue?.path.join(".")).toBe(path);
    expect(issue?.message).toMatch(message);
  });
});

it("counts missing cells of every kind as missing", () => {
  const table = tableOf([{ n: null, b: null, t: null, c: null, s: null }]);
  expect(table.columns.every((column) => isMissingCell(column, 0))).toBe(true);
});

describe("integers beyond 2^53", () => {
  const table: Table = {
    rows: 3,
    columns: [
      { kind: "numeric", name: "n", values: Float64Array.of(2 ** 53, 2 ** 53 + 2, 1) },
      {
        kind: "categorical",
        name: "id",
        codes: Int32Array.of(0, 1, 2),
        categories: ["9007199254740992", "9007199254740993", "1"],
      },
    ],
  };
  const select = (filter: unknown) => [...selectRows(table, filterSchema.parse(filter))];

  it("are compared digit by digit with texts", () => {
    expect(select({ column: "id", op: "eq", value: "9007199254740993" })).toEqual([1]);
    expect(select({ column: "id", op: "ne", value: "9007199254740992" })).toEqual([1, 2]);
  });

  it("are numbers where they are written as such, which texts are not ordered by", () => {
    const value = { integer: "9007199254740993" };
    expect(select({ column: "id", op: "eq", value })).toEqual([1]);
    expect(select({ column: "id", op: "in", value: [value, 1] })).toEqual([1, 2]);
    expect(() => select({ column: "id", op: "lt", value })).toThrow(
      'compares the categorical column "id" with the number 9007199254740993 by lt',
    );
    expect(select({ column: "id", op: "ge", value: "9007199254740993" })).toEqual([1]);
    expect(() => select({ column: "n", op: "ge", value })).toThrow("64-bit float");
    expect(select({ column: "n", op: "ge", value: { integer: "9007199254740994" } })).toEqual([1]);
    expect(
      filterSchema.safeParse({ column: "n", op: "eq", value: { integer: "1.5" } }).success,
    ).toBe(false);
  });

  it("are compared with numbers where a number holds them, and else refused", () => {
    expect(select({ column: "n", op: "eq", value: "9007199254740994" })).toEqual([1]);
    expect(select({ column: "n", op: "lt", value: "100000000000000000000000" })).toEqual([0, 1, 2]);
    for (const value of ["9007199254740993", ["1", "9007199254740993"]]) {
      const op = typeof value === "string" ? "ge" : "in";
      expect(() => select({ column: "n", op, value })).toThrow(
        'The filter compares the numeric column "n" with 9007199254740993, which a 64-bit float',
      );
    }
  });
});
