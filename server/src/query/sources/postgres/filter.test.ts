/**
 * What is pushed down is held against DuckDB over all rows: random filters over a table of values
 * that are at the edges of their types or that collations, padding and rounding treat in their own way.
 */

import { Field, Float64, Schema } from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../../platform/db/sql.ts";
import { PostgresWarehouseServer } from "../../../testing/postgres-warehouse.ts";
import { meaning, RowReader } from "../../../testing/warehouse-rows.ts";
import { pushFilter } from "../pushed-filter.ts";
import type { ScanFilter, ScanOperator, ScanValue } from "../scan-filter.ts";
import type { SourceTableName, Warehouse, WarehouseRead } from "../warehouse.ts";
import { tableColumns } from "./catalog.ts";
import { pushedColumn } from "./filter.ts";
import { quoteText } from "./literal.ts";
import type { Row } from "./session.ts";

const TEXTS = [
  ...[
    "",
    " ",
    "a",
    "A",
    "a ",
    "ä",
    "Ä",
    "á",
    "b",
    "B",
    "ab",
    "aB",
    "a b",
    "a-b",
    "Z",
    "z",
    "é",
    "e",
  ],
  ...[
    "straße",
    "strasse",
    "\u00e9",
    "e\u0301",
    "漢",
    "🐎",
    "\uffff",
    "\n",
    "\t",
    "\\",
    "'",
    '"',
    ",",
  ],
  ...["'; DROP TABLE sales.edges; --", "\\'; --", "E'x'", "$$", "%", "NULL", "null", "{}", "\\N"],
];
const NUMBERS = [
  "0",
  "1",
  "-1",
  "2",
  "0.1",
  "-0.1",
  "0.10000000000000001",
  "99999.99",
  "-99999.99",
];
const DOUBLES = [
  0,
  1,
  -1,
  0.1,
  -0.1,
  5e-324,
  1e308,
  -1e308,
  0.30000000000000004,
  Math.fround(0.1),
  1e21,
];
const DATES = ["2024-02-29", "1970-01-01", "0001-01-01", "9999-12-31", "1582-10-15"];
const TIMES = ["2024-02-29T10:05:00", "1970-01-01T00:00:00.000001", "9999-12-31T23:59:59.999999"];
const UUIDS = ["00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"];

/** Type, values as PostgreSQL takes them, and constants to compare them with. */
const COLUMNS: Readonly<
  Record<
    string,
    {
      readonly type: string;
      readonly values: readonly string[];
      readonly constants: readonly ScanValue[];
    }
  >
> = {
  flag: {
    ...{ type: "boolean", values: ["true", "false"] },
    constants: [true, false].map((value) => ({ type: "boolean", value })),
  },
  small: {
    ...{ type: "smallint", values: ["0", "1", "-1", "32767", "-32768"] },
    constants: ["0", "1", "32767", "-32769", "99999999999", "0.5"].map(number),
  },
  big: {
    ...{
      type: "bigint",
      values: ["0", "9007199254740993", "9223372036854775807", "-9223372036854775808"],
    },
    constants: ["9007199254740992", "9007199254740993", "9223372036854775808", "-1"].map(number),
  },
  exact: {
    ...{ type: "numeric(7,2)", values: ["0", "1", "-1", "0.1", "99999.99", "-99999.99", "NaN"] },
    constants: NUMBERS.map(number),
  },
  unbounded: {
    ...{ type: "numeric", values: ["0", "1", "-1", "0.1", "99999.99", "9007199254740993", "NaN"] },
    constants: NUMBERS.map(number),
  },
  loose: {
    type: "numeric",
    values: [
      ...["0", "1", "0.1", "0.1000000000000000055511151231257827", "0.10000000000000001", "NaN"],
      ...["0.09999999999999999999", "0.099999999999999985", "-0.09999999999999999999"],
      ...["0.30000000000000002", "0.30000000000000004", "1e400", "-1e400", "1e-400", "Infinity"],
      ...["1.0000000000000001", "0.99999999999999999", "-Infinity", "1e308", "1e21"],
    ],
    constants: DOUBLES.map(double),
  },
  single: {
    ...{ type: "real", values: ["0", "-0", "0.1", "NaN", "Infinity", "-Infinity", "1e-45", "1"] },
    constants: DOUBLES.map(double),
  },
  twofold: {
    type: "double precision",
    values: [
      "0",
      "-0",
      "0.1",
      "NaN",
      "Infinity",
      "-Infinity",
      "5e-324",
      "1e308",
      "0.30000000000000004",
    ],
    constants: DOUBLES.map(double),
  },
  words: { type: "text", values: TEXTS, constants: TEXTS.map(text) },
  folded: {
    ...{ type: 'text COLLATE sales."folded"', values: TEXTS },
    constants: TEXTS.map(text),
  },
  bounded: {
    ...{ type: "varchar(40)", values: TEXTS },
    constants: TEXTS.filter((_, index) => index % 4 === 0).map(text),
  },
  padded: {
    ...{ type: "char(12)", values: TEXTS.filter((one) => [...one].length <= 12) },
    constants: TEXTS.map(text),
  },
  mood: {
    ...{ type: "sales.mood", values: ["z", "a", "B"] },
    constants: ["z", "a", "B", "no such mood"].map(text),
  },
  caseless: { type: "sales.citext", values: ["a", "A", "b"], constants: ["a", "A", "B"].map(text) },
  key: {
    type: "uuid",
    values: UUIDS,
    constants: [...UUIDS, UUIDS[1]!.toUpperCase(), "x"].map(text),
  },
  day: {
    ...{ type: "date", values: [...DATES, "infinity", "-infinity", "0044-03-15 BC"] },
    constants: DATES.map((value) => ({ type: "date", value })),
  },
  moment: {
    ...{ type: "timestamp", values: [...TIMES, "infinity", "-infinity", "0044-03-15 10:00 BC"] },
    constants: TIMES.map((value) => ({ type: "timestamp", value })),
  },
  instant: {
    ...{ type: "timestamptz", values: [...TIMES.map((one) => `${one}Z`), "infinity", "-infinity"] },
    constants: TIMES.map((value) => ({ type: "timestamptz", value: `${value}Z` })),
  },
  pair: { type: "sales.pair", values: ["(,)", "(1,)", "(1,a)"], constants: [] },
  list: { type: "int[]", values: ["{}", "{NULL}"], constants: [] },
};
const ROWS = 120;

let server: PostgresWarehouseServer;
let warehouse: Warehouse;
let reader: RowReader;
let read: WarehouseRead;
let all: string;
const table: SourceTableName = { catalog: "shop", schema: "sales", table: "edges" };
const signal = AbortSignal.timeout(120_000);

beforeAll(async () => {
  server = await PostgresWarehouseServer.create();
  const names = Object.keys(COLUMNS);
  const rows = Array.from({ length: ROWS }, (_, id) =>
    names.map((name, at) => {
      const { values } = COLUMNS[name]!;
      const choice = (id * (2 * at + 7) + at) % (values.length + 1);
      return choice === values.length ? "NULL" : quoteText(values[choice]!);
    }),
  );
  await server.prepare([
    `CREATE COLLATION sales."folded" (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`,
    "CREATE EXTENSION citext SCHEMA sales",
    "CREATE TYPE sales.mood AS ENUM ('z', 'a', 'B')",
    "CREATE TYPE sales.pair AS (a int, b text)",
    `CREATE TABLE sales.edges (id int PRIMARY KEY, ${names.map((name) => `${name} ${COLUMNS[name]!.type}`)})`,
    `INSERT INTO sales.edges VALUES ${rows.map((row, id) => `(${id}, ${row.join(", ")})`).join(", ")}`,
  ]);
  warehouse = server.open();
  reader = await RowReader.open();
  const described = await warehouse.describe(table, signal);
  // A snapshot may have numerics without bounds as doubles.
  const schema = new Schema(
    described.fields.map((field) =>
      field.name === "loose" ? new Field("loose", new Float64(), true) : field,
    ),
  );
  expect(String(schema.fields.find(({ name }) => name === "unbounded")?.type)).toBe(
    "Decimal[38e+10]",
  );
  read = { table, schema, columns: ["id", ...names], filter: null, limit: null };
  all = await reader.load(warehouse, read);
});
afterAll(async () => {
  await reader.close();
  await server.close();
});

/** Columns of which every leaf is pushed as it is. */
const ALIKE = new Set([
  ...[
    "flag",
    "small",
    "big",
    "exact",
    "unbounded",
    "single",
    "twofold",
    "words",
    "folded",
    "bounded",
    "padded",
  ],
  ...["mood", "day", "moment", "instant", "pair", "list"],
]);

function leavesOf(column: string): readonly ScanFilter[] {
  const constants = COLUMNS[column]?.constants ?? [];
  return [
    ...(["is_null", "is_not_null"] as const).map((kind) => ({ kind, column })),
    ...constants.flatMap((value) =>
      (["eq", "ne", "lt", "le", "gt", "ge"] as const).map((op) => ({
        ...({ kind: "comparison", column, op, value } as const),
      })),
    ),
    ...constants.map((_, index) => ({
      ...({ kind: "in", column, values: constants.slice(index, index + 3) } as const),
    })),
  ];
}

const leaf: fc.Arbitrary<ScanFilter> = fc.constantFrom(...Object.keys(COLUMNS)).chain((column) => {
  const { constants } = COLUMNS[column]!;
  const nullness = fc.constantFrom("is_null" as const, "is_not_null" as const);
  const ofNull = nullness.map((kind): ScanFilter => ({ kind, column }));
  if (constants.length === 0) return ofNull;
  const value = fc.constantFrom(...constants);
  const op = fc.constantFrom<ScanOperator>("eq", "ne", "lt", "le", "gt", "ge");
  const compared = fc.record({
    kind: fc.constant("comparison" as const),
    column: fc.constant(column),
    op,
    value,
  });
  const member = fc.record({
    ...{ kind: fc.constant("in" as const), column: fc.constant(column) },
    values: fc.array(value, { maxLength: 4 }),
  });
  return fc.oneof({ weight: 6, arbitrary: compared }, { weight: 2, arbitrary: member }, ofNull);
});

const { filter: anyFilter } = fc.letrec<{ filter: ScanFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    leaf,
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      filters: fc.array(tie("filter"), { maxLength: 3 }),
    }),
  ),
}));

describe("a filter that is pushed down", () => {
  test("leaves out no row that meets it, with and without a limit", async () => {
    const columnsOf = (one: ScanFilter): readonly string[] =>
      "filters" in one ? one.filters.flatMap(columnsOf) : [one.column];
    await fc.assert(
      fc.asyncProperty(
        anyFilter,
        fc.option(fc.integer({ min: 0, max: 8 })),
        async (filter, limit) => {
          const columns = [...new Set(["id", ...columnsOf(filter)])];
          const then = { schema: read.schema, filter, orderBy: "id" };
          const wanted = await reader.select(all, columns, then);
          const got = await reader.rows(warehouse, { ...read, columns, filter, limit }, then);
          if (limit === null) expect(got).toEqual(wanted);
          else {
            expect(got.length).toBeGreaterThanOrEqual(Math.min(limit, wanted.length));
            expect(wanted).toEqual(expect.arrayContaining([...got]));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test("says of each column and constant what DuckDB says, or more where it says so", async () => {
    const client = connect({ url: server.superuserUrl() }, { max: 1 });
    try {
      await client.unsafe("SET timezone = 'UTC'");
      const query = async (sql: string) => await client.unsafe<Row[]>(sql);
      const found = await tableColumns(query, table, "PostgreSQL");
      for (const source of found.columns) {
        const filters = leavesOf(source.name);
        const asked = read.schema.fields.find(({ name }) => name === source.name)!.type;
        const pushed = filters.map((filter) =>
          pushFilter(filter, () => pushedColumn(source, asked, found.server)),
        );
        const ids = (condition: string): string =>
          `string_agg(id::text, ' ' ORDER BY id) FILTER (WHERE ${condition})`;
        const there = await client
          .unsafe(`SELECT ${pushed.map((one) => ids(one?.sql ?? "true"))} FROM sales.edges`)
          .values();
        const here = await reader.query(
          `SELECT ${filters.map((one) => ids(meaning(one)))} FROM ${all}`,
        );
        for (const [index, filter] of filters.entries()) {
          const wanted = String(here[0]![index] ?? "").split(" ");
          const got = String(there[0]![index] ?? "").split(" ");
          const label = `${JSON.stringify(filter)} as ${pushed[index]?.sql}`;
          if (pushed[index]?.exact === true) expect(got, label).toEqual(wanted);
          else expect(["", ...got], label).toEqual(expect.arrayContaining(wanted));
        }
        const unsaid = filters.filter((_, index) => pushed[index]?.exact !== true);
        if (ALIKE.has(source.name)) expect(unsaid, source.name).toEqual([]);
      }
    } finally {
      await client.end();
    }
  });

  test("holds any text as it is, over columns of any encoding", async () => {
    const column = "words";
    for (const database of ["shop", "latin"]) {
      await server.prepare(["CREATE TABLE sales.echo (words text)"], database);
      await server.administer(["INSERT INTO sales.echo VALUES ('é'), ('a'), ('''\\')"], database);
      const opened = server.open({ database });
      const echo = { catalog: database, schema: "sales", table: "echo" };
      const schema = await opened.describe(echo, signal);
      const found = await reader.load(opened, {
        table: echo,
        schema,
        columns: [column],
        filter: null,
        limit: null,
      });
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            fc.string({ unit: "binary" }),
            fc.constantFrom(...TEXTS, "\0", "\ud800", "a\0b"),
          ),
          fc.constantFrom<ScanOperator>("eq", "ne", "lt", "ge"),
          async (value, op) => {
            const filter: ScanFilter = { kind: "comparison", column, op, value: text(value) };
            const pushed = { table: echo, schema, columns: [column], filter, limit: null };
            const speakable = value.isWellFormed() && !value.includes("\0");
            const then = { schema, ...(speakable && { filter }), orderBy: column };
            const wanted = await reader.select(found, [column], then);
            expect(await reader.rows(opened, pushed, then)).toEqual(wanted);
          },
        ),
        { numRuns: 40 },
      );
    }
  });
});

function number(value: string): ScanValue {
  return { type: "number", value };
}

function double(value: number): ScanValue {
  return { type: "double", value };
}

function text(value: string): ScanValue {
  return { type: "text", value };
}
