/**
 * One contract for all that compiles filters: the rows that the engine's evaluator keeps. Random row
 * filters are said as the plan's filters, in each engine's dialect, and run: in DuckDB, in PostgreSQL, and
 * Trino's texts, which are standard SQL, in DuckDB.
 */

import { type BoundFilter, bindFilter, filterSchema, type Table } from "@distillery/engine";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { selectRows } from "../../../../engine/src/data/filter/select-rows.ts";
import { connect } from "../../platform/db/sql.ts";
import { PostgresWarehouseServer } from "../../testing/postgres-warehouse.ts";
import { filterSql } from "../sql/session/child/filter-sql.ts";
import { quoteText } from "../sql-text.ts";
import { tableColumns } from "./postgres/catalog.ts";
import { pushedColumn as postgresColumn } from "./postgres/filter.ts";
import type { Row } from "./postgres/session.ts";
import { type PushedColumn, pushFilter } from "./pushed-filter.ts";
import type { ScanFilter, ScanOperator, ScanValue } from "./scan-filter.ts";
import { pushedColumn as trinoColumn } from "./trino/filter.ts";

const ROWS = 120;
const TEXTS = ["a", "b", "A", "é", "", "it's", "back\\slash", '"', "7", "%"];
const HOUR = 3_600_000;

const rows = Array.from({ length: ROWS }, (_, id) => ({
  id,
  n: id % 5 === 0 ? null : (id % 7) - 3,
  x: id % 6 === 1 ? null : ((id % 13) - 6) / 2,
  t: id % 4 === 2 ? null : TEXTS[(id * 3) % TEXTS.length]!,
  b: id % 3 === 1 ? null : id % 2 === 0,
  moment: id % 7 === 3 ? null : ((id % 9) - 4) * 7 * HOUR,
}));

const table: Table = {
  rows: ROWS,
  columns: [
    { kind: "numeric", name: "n", values: Float64Array.from(rows, ({ n }) => n ?? Number.NaN) },
    { kind: "numeric", name: "x", values: Float64Array.from(rows, ({ x }) => x ?? Number.NaN) },
    { kind: "text", name: "t", values: rows.map(({ t }) => t) },
    {
      kind: "boolean",
      name: "b",
      values: Uint8Array.from(rows, ({ b }) => (b === null ? 255 : Number(b))),
    },
    {
      kind: "timestamp",
      name: "moment",
      values: Float64Array.from(rows, ({ moment }) => moment ?? Number.NaN),
    },
  ],
};

const written = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, -1);

/** As each engine's INSERT has them. */
function valuesSql(quote: (text: string) => string): string {
  const said = (value: number | boolean | null) => (value === null ? "NULL" : String(value));
  return rows
    .map(({ id, n, x, t, b, moment }) => {
      const text = t === null ? "NULL" : quote(t);
      const time = moment === null ? "NULL" : `'${written(moment)}'`;
      return `(${id}, ${said(n)}, ${said(x)}, ${text}, ${said(b)}, ${time})`;
    })
    .join(", ");
}

const COLUMNS = (double: string) =>
  `(id int, n int, x ${double}, t varchar, b boolean, moment timestamp)`;

const NEGATED = { eq: "ne", ne: "eq", lt: "ge", le: "gt", gt: "le", ge: "lt" } as const;

/** The row filter as the plan of a query would have it: without NOT, which the leaves take in. */
function scanFilterOf(filter: BoundFilter, isNegated = false): ScanFilter {
  if (filter.kind === "not") return scanFilterOf(filter.expr, !isNegated);
  if (filter.kind === "bool")
    return {
      kind: (filter.op === "and") === isNegated ? "or" : "and",
      filters: filter.exprs.map((expr) => scanFilterOf(expr, isNegated)),
    };
  const { column, op, operand } = filter;
  if (op === "is_null" || op === "is_not_null")
    return { kind: (op === "is_null") === isNegated ? "is_not_null" : "is_null", column };
  const values = operand.values.map((value) => scanValueOf(column, value));
  if (op !== "in" && op !== "not_in") {
    const said: ScanOperator = isNegated ? NEGATED[op] : op;
    return { kind: "comparison", column, op: said, value: values[0]! };
  }
  if ((op === "in") !== isNegated) return { kind: "in", column, values };
  return {
    kind: "and",
    filters: values.map((value) => ({ kind: "comparison", column, op: "ne", value })),
  };
}

function scanValueOf(column: string, value: number | string): ScanValue {
  switch (column) {
    case "n":
      return { type: "number", value: String(value) };
    case "x":
      return { type: "double", value: Number(value) };
    case "b":
      return { type: "boolean", value: value === 1 };
    case "moment":
      return { type: "timestamp", value: written(Number(value)) };
    default:
      return { type: "text", value: String(value) };
  }
}

const operand = {
  n: fc.integer({ min: -4, max: 4 }),
  x: fc.integer({ min: -8, max: 8 }).map((twice) => twice / 2 + 0),
  t: fc.constantFrom(...TEXTS, "none of them"),
  b: fc.boolean(),
  moment: fc.integer({ min: -5, max: 5 }).map((times) => written(times * 7 * HOUR)),
} as const;

const leaf: fc.Arbitrary<unknown> = fc
  .constantFrom(...(Object.keys(operand) as (keyof typeof operand)[]))
  .chain((column) => {
    const value: fc.Arbitrary<unknown> = operand[column];
    const ordered = column === "b" ? [] : ["lt", "le", "gt", "ge"];
    return fc.oneof(
      fc.record({
        column: fc.constant(column),
        op: fc.constantFrom("eq", "ne", ...ordered),
        value,
      }),
      fc.record({
        column: fc.constant(column),
        op: fc.constantFrom("in", "not_in"),
        value: fc.array(value, { minLength: 1, maxLength: 4 }),
      }),
      fc.record({ column: fc.constant(column), op: fc.constantFrom("is_null", "is_not_null") }),
    );
  });

const { node } = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({
      op: fc.constantFrom("and", "or"),
      exprs: fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ expr: tie("node") }),
  ),
}));

let server: PostgresWarehouseServer;
let client: ReturnType<typeof connect>;
let duckdb: DuckDBConnection;
let ofPostgres: (name: string) => PushedColumn;

beforeAll(async () => {
  server = await PostgresWarehouseServer.create();
  const quoted = (text: string) => `E${quoteText(text.replaceAll("\\", "\\\\"))}`;
  await server.prepare([
    `CREATE TABLE sales.kept ${COLUMNS("double precision")}`,
    `INSERT INTO sales.kept VALUES ${valuesSql(quoted)}`,
  ]);
  client = connect({ url: server.superuserUrl() }, { max: 1 });
  const name = { catalog: "shop", schema: "sales", table: "kept" };
  const found = await tableColumns(
    async (sql) => await client.unsafe<Row[]>(sql),
    name,
    "PostgreSQL",
  );
  const { fields } = await server.open().describe(name, AbortSignal.timeout(60_000));
  ofPostgres = (column) =>
    postgresColumn(
      found.columns.find((source) => source.name === column)!,
      fields.find((field) => field.name === column)!.type,
      found.server,
    );
  duckdb = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  await duckdb.run("CREATE MACRO is_nan(x) AS isnan(x)");
  await duckdb.run(`CREATE TABLE kept ${COLUMNS("double")}`);
  await duckdb.run(`INSERT INTO kept VALUES ${valuesSql(quoteText)}`);
});
afterAll(async () => {
  await client.end();
  await server.close();
  duckdb.closeSync();
});

const TRINO_TYPES: Readonly<Record<string, string>> = {
  ...{ n: "integer", x: "double", t: "varchar", b: "boolean", moment: "timestamp" },
};

test("every dialect keeps the rows that the engine keeps", async () => {
  const inDuckdb = async (sql: string) => {
    const found = await duckdb.runAndReadAll(`SELECT id FROM kept WHERE ${sql} ORDER BY id`);
    return found.getRows().map(([id]) => Number(id));
  };
  await fc.assert(
    fc.asyncProperty(node, async (given) => {
      const filter = filterSchema.parse(given);
      const kept = [...selectRows(table, filter)];
      const bound = bindFilter(filter, table.columns);
      const scan = scanFilterOf(bound);
      expect(await inDuckdb(filterSql(scan)), "DuckDB").toEqual(kept);

      const postgres = pushFilter(scan, ofPostgres);
      expect(postgres?.exact).toBe(true);
      const there = await client.unsafe(
        `SELECT id FROM sales.kept WHERE ${postgres?.sql} ORDER BY id`,
      );
      expect(
        there.map((row) => Number(row["id"])),
        "PostgreSQL",
      ).toEqual(kept);

      const trino = pushFilter(scan, (name) =>
        trinoColumn({
          name,
          type: { name: TRINO_TYPES[name]!, numbers: [], types: [], members: [] },
        }),
      );
      expect(trino?.exact).toBe(true);
      expect(await inDuckdb(trino?.sql ?? ""), "Trino's text").toEqual(kept);
    }),
    { numRuns: 150 },
  );
});
