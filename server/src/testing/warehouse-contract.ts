/**
 * What every warehouse must do, whatever it is: a suite of tests that is run over each of them. The
 * tables are made by who runs it, from the columns and rows here.
 */

import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ScanFilter, ScanOperator, ScanValue } from "../query/sources/scan-filter.ts";
import { SourceError } from "../query/sources/source-error.ts";
import type { SourceTableName, Warehouse, WarehouseRead } from "../query/sources/warehouse.ts";
import { RowReader, type TextRow } from "./warehouse-rows.ts";

export interface ContractColumn {
  readonly name: string;
  /** Apache Arrow's name of the type that `describe` gives. */
  readonly arrow: string;
  readonly postgres: string;
  readonly trino: string;
}

export const CONTRACT_COLUMNS: readonly ContractColumn[] = [
  { name: "id", arrow: "Int64", postgres: "bigint", trino: "bigint" },
  { name: "small", arrow: "Int16", postgres: "smallint", trino: "smallint" },
  { name: "medium", arrow: "Int32", postgres: "integer", trino: "integer" },
  { name: "flag", arrow: "Bool", postgres: "boolean", trino: "boolean" },
  { name: "score", arrow: "Float64", postgres: "double precision", trino: "double" },
  { name: "ratio", arrow: "Float32", postgres: "real", trino: "real" },
  { name: "price", arrow: "Decimal[12e+2]", postgres: "numeric(12,2)", trino: "decimal(12,2)" },
  { name: "wide", arrow: "Decimal[38e+10]", postgres: "numeric(38,10)", trino: "decimal(38,10)" },
  { name: "name", arrow: "Utf8", postgres: "text", trino: "varchar" },
  { name: "code", arrow: "Utf8", postgres: "char(5)", trino: "char(5)" },
  { name: "data", arrow: "Binary", postgres: "bytea", trino: "varbinary" },
  { name: "born", arrow: "Date32<DAY>", postgres: "date", trino: "date" },
  { name: "clock", arrow: "Time64<MICROSECOND>", postgres: "time(6)", trino: "time(6)" },
  {
    ...{ name: "seen", arrow: "Timestamp<MICROSECOND>" },
    ...{ postgres: "timestamp(6)", trino: "timestamp(6)" },
  },
  {
    ...{ name: "at", arrow: "Timestamp<MICROSECOND, UTC>" },
    ...{ postgres: "timestamptz(6)", trino: "timestamp(6) with time zone" },
  },
];

const HOSTILE =
  "'; DROP TABLE contract_rows; -- \\'; SELECT 1; /* \" $1 $$ E'\\x27' {} ? :name\r\n\t,\"quoted\",";

/** Values as DuckDB writes them, bytes in hex; the first is the id. */
export const CONTRACT_ROWS: readonly TextRow[] = [
  row("1 2 3 true 1.5 0.25 12.50 0.1000000000", "Ada", "ab", "00ff", "2024-02-29 10:05:00"),
  row("2 -2 -3 false -0.0 -0.1 -0.01 -1.0000000000", "", "", "", "1970-01-01 00:00:00"),
  [
    ...["3", "-32768", "-2147483648", "false", "1.7976931348623157e+308", "3.4028235e+38"],
    ...["9999999999.99", "9999999999999999999999999999.9999999999", "a,b", "a b", "2c"],
    ...["9999-12-31", "23:59:59.999999", "9999-12-31 23:59:59.999999"],
    "9999-12-31 23:59:59.999999+00",
  ],
  [
    ...["-9223372036854775808", "32767", "2147483647", "true", "-1.7976931348623157e+308"],
    ...["-3.4028235e+38", "-9999999999.99", "-9999999999999999999999999999.9999999999"],
    ...['say "hi"', '"', "22", "0001-01-01", "00:00:00", "0001-01-01 00:00:00"],
    "0001-01-01 00:00:00+00",
  ],
  [
    ...["9223372036854775807", "0", "0", "true", "5e-324", "1e-45", "0.00", "0.0000000001"],
    ...["two\nlines\r\nand\ttab", "\\.", "5c2e0a", "2000-02-29", "12:30:45.5"],
    ...["2000-02-29 12:30:45.5", "2000-02-29 12:30:45.5+00"],
  ],
  ["6", ...Array.from({ length: CONTRACT_COLUMNS.length - 1 }, () => null)],
  [...["7", null, null, null, "nan", "nan", null, null, "NULL", "null"], ...nulls(5)],
  [...["8", null, null, null, "inf", "inf", null, null, "žluťoučký 🐎 漢字", "é"], ...nulls(5)],
  [...["9", null, null, null, "-inf", "-inf", null, null, HOSTILE, "'"], ...nulls(5)],
  [...["9007199254740993", null, null, null, "0.1", "0.1", null, null, " ", null], ...nulls(5)],
  [...["11", "1", "1", null, "9007199254740992.0", null, null, null, "ada", "AB"], ...nulls(5)],
  row("12 2 3 true 2.5 0.5 12.51 0.2000000000", "Adam", "b", "0a", "2024-03-01 00:00:00.000001"),
];

function row(numbers: string, name: string, code: string, data: string, time: string): TextRow {
  const [date = "", clock = ""] = time.split(" ");
  return [...numbers.split(" "), name, code, data, date, clock, time, `${time}+00`];
}

function nulls(count: number): null[] {
  return Array.from({ length: count }, () => null);
}

export interface WarehouseSubject {
  readonly warehouse: Warehouse;
  readonly catalog: string;
  readonly schema: string;
  /** `contract_rows` and `contract_empty` lie there. */
  readonly version: RegExp;
  /** A warehouse whose credentials the server refuses; null where it takes all. */
  readonly refused: Warehouse | null;
  /** Secrets that no message may show. */
  readonly secrets: readonly string[];
  /** A warehouse at an address of this machine, with a second to connect. */
  at(port: number): Warehouse;
  /** A statement of this table takes longer than a test waits, or gives more than it reads. */
  readonly endless: SourceTableName;
  close(): Promise<void>;
}

export function warehouseContract(name: string, open: () => Promise<WarehouseSubject>): void {
  describe(`${name} as a warehouse`, () => {
    let subject: WarehouseSubject;
    let reader: RowReader;
    const signal = AbortSignal.timeout(300_000);
    const all = CONTRACT_COLUMNS.map((column) => column.name);
    const byId = [...CONTRACT_ROWS].sort((a, b) => (BigInt(a[0]!) < BigInt(b[0]!) ? -1 : 1));

    beforeAll(async () => {
      subject = await open();
      reader = await RowReader.open();
    }, 120_000);
    afterAll(async () => {
      await reader?.close();
      await subject?.close();
    });

    const tableOf = (table: string): SourceTableName => ({
      catalog: subject.catalog,
      schema: subject.schema,
      table,
    });

    async function readOf(rest: Partial<WarehouseRead> = {}): Promise<WarehouseRead> {
      const table = rest.table ?? tableOf("contract_rows");
      const schema = await subject.warehouse.describe(table, signal);
      return { table, schema, columns: all, filter: null, limit: null, ...rest };
    }

    async function failure(work: Promise<unknown>): Promise<SourceError> {
      const error = await work.then(
        () => new Error("it did not fail"),
        (reason: unknown) => reason,
      );
      if (!(error instanceof SourceError)) throw error;
      for (const secret of subject.secrets) {
        expect(`${error.message} ${error.stack}`).not.toContain(secret);
      }
      expect(error.message).toMatch(/\.$/);
      return error;
    }

    async function drain(warehouse: Warehouse, read: WarehouseRead): Promise<number> {
      let bytes = 0;
      for await (const chunk of warehouse.read(read, signal)) bytes += chunk.length;
      return bytes;
    }

    test("says its version", async () => {
      expect((await subject.warehouse.check(signal)).version).toMatch(subject.version);
    });

    test("lists schemas and tables", async () => {
      const { warehouse, catalog, schema } = subject;
      const schemas = await warehouse.listSchemas(catalog, signal);
      expect(schemas).toContain(schema);
      expect(schemas).not.toContain("information_schema");
      expect(schemas).toEqual([...schemas].sort());
      const tables = await warehouse.listTables(catalog, schema, signal);
      expect(tables).toEqual(expect.arrayContaining(["contract_empty", "contract_rows"]));
      expect(tables).toEqual([...tables].sort());
    });

    test("describes a table's columns in their order", async () => {
      const schema = await subject.warehouse.describe(tableOf("contract_rows"), signal);
      expect(schema.fields.map((field) => [field.name, String(field.type)])).toEqual(
        CONTRACT_COLUMNS.map((column) => [column.name, column.arrow]),
      );
    });

    test("says what it does not have", async () => {
      const { warehouse, catalog, schema } = subject;
      const read = await readOf();
      const missing: readonly (() => Promise<unknown>)[] = [
        () => warehouse.describe(tableOf("no_such_table"), signal),
        () => warehouse.describe({ ...read.table, schema: "no_such_schema" }, signal),
        () => warehouse.describe({ ...read.table, catalog: "no_such_catalog" }, signal),
        () => warehouse.describe(tableOf('contract_rows" --'), signal),
        () => warehouse.listTables(catalog, "no_such_schema", signal),
        () => warehouse.listTables("no_such_catalog", schema, signal),
        () => warehouse.listSchemas("no_such_catalog", signal),
        () => drain(warehouse, { ...read, columns: ["no_such_column"] }),
        () => drain(warehouse, { ...read, table: tableOf("no_such_table") }),
      ];
      for (const work of missing) expect((await failure(work())).failure).toBe("not-found");
    });

    test("gives all rows, every value as it is", async () => {
      const rows = await reader.rows(subject.warehouse, await readOf(), { orderBy: "id" });
      expect(rows).toEqual(byId);
    });

    test("gives the columns asked for in the order asked for", async () => {
      const columns = ["name", "id", "born"];
      const rows = await reader.rows(subject.warehouse, await readOf({ columns }), {
        orderBy: "id",
      });
      expect(rows).toEqual(byId.map((one) => columns.map((name) => one[all.indexOf(name)])));
    });

    test("keeps NULL and the empty text apart in a column by itself", async () => {
      const rows = await reader.rows(subject.warehouse, await readOf({ columns: ["name"] }));
      const names = rows.map(([value]) => value ?? "NULL itself");
      expect(names.sort()).toEqual(byId.map((one) => one[8] ?? "NULL itself").sort());
    });

    test("gives no rows of an empty table", async () => {
      const table = tableOf("contract_empty");
      expect(await reader.rows(subject.warehouse, await readOf({ table }))).toEqual([]);
      expect(await drain(subject.warehouse, await readOf({ table, columns: [] }))).toBe(0);
    });

    test("gives rows without columns as line feeds", async () => {
      const filter = compared("medium", "eq", { type: "number", value: "3" });
      const count = (rest: Partial<WarehouseRead>) =>
        readOf({ columns: [], ...rest }).then((read) => drain(subject.warehouse, read));
      expect(await count({})).toBe(CONTRACT_ROWS.length);
      expect(await count({ limit: 5 })).toBe(5);
      expect(await count({ filter })).toBe(2);
      expect(await count({ filter, limit: 1 })).toBe(1);
    });

    test("stops at a limit", async () => {
      const rows = await reader.rows(subject.warehouse, await readOf({ limit: 3 }));
      expect(rows).toHaveLength(3);
      expect(await reader.rows(subject.warehouse, await readOf({ limit: 0 }))).toEqual([]);
    });

    test("leaves out no row that meets a filter, and honours limits within it", async () => {
      const whole = await readOf();
      const table = await reader.load(subject.warehouse, whole);
      for (const [index, filter] of FILTERS.entries()) {
        const read = { ...whole, columns: [...new Set(["id", ...columnsOf(filter)])] };
        const then = { schema: read.schema, filter, orderBy: "id" };
        const wanted = await reader.select(table, read.columns, then);
        const label = JSON.stringify(filter);
        const got = await reader.rows(subject.warehouse, { ...read, filter }, then);
        expect(got, label).toEqual(wanted);
        if (index % 5 !== 0) continue;
        const limited = { ...read, filter, limit: 2 };
        const some = await reader.rows(subject.warehouse, limited, { filter });
        expect(some.length, label).toBeGreaterThanOrEqual(Math.min(2, wanted.length));
      }
    }, 300_000);

    test("applies the filters that mean the same at the source there", async () => {
      const read = await readOf({ columns: ["id"] });
      for (const [filter, ids] of PUSHED) {
        const rows = await reader.rows(
          subject.warehouse,
          { ...read, filter },
          {
            orderBy: "id",
          },
        );
        expect(
          rows.map(([id]) => id),
          JSON.stringify(filter),
        ).toEqual(ids);
      }
    });

    test("ends when its signal is aborted, before and during", async () => {
      const { warehouse, endless } = subject;
      const reason = new Error("the caller went away");
      const gone = AbortSignal.abort(reason);
      await expect(warehouse.check(gone)).rejects.toBe(reason);
      await expect(warehouse.describe(tableOf("contract_rows"), gone)).rejects.toBe(reason);
      const schema = await warehouse.describe(endless, signal);
      const controller = new AbortController();
      const [column] = schema.fields;
      const read = { table: endless, schema, columns: [column!.name], filter: null, limit: null };
      const reading = (async () => {
        for await (const _ of warehouse.read(read, controller.signal));
      })();
      setTimeout(() => controller.abort(reason), 200);
      await expect(reading).rejects.toBe(reason);
      expect((await warehouse.check(signal)).version).toMatch(subject.version);
    });

    test("says that a signal's time ran out", async () => {
      const { warehouse, endless } = subject;
      const schema = await warehouse.describe(endless, signal);
      const columns = [schema.fields[0]!.name];
      const read = { table: endless, schema, columns, filter: null, limit: null };
      const error = await failure(
        (async () => {
          for await (const _ of warehouse.read(read, AbortSignal.timeout(200)));
        })(),
      );
      expect(error.failure).toBe("timeout");
    });

    test("says that credentials are refused", async ({ skip }) => {
      if (subject.refused === null) return skip();
      const error = await failure(subject.refused.check(signal));
      expect(error.failure).toBe("refused");
      await subject.refused.close();
    });

    test("says that nobody listens", async () => {
      const server = await listening(() => undefined);
      const port = portOf(server);
      await new Promise((resolve) => server.close(resolve));
      const warehouse = subject.at(port);
      expect((await failure(warehouse.check(signal))).failure).toBe("unreachable");
      await warehouse.close();
    });

    test("says that a server is silent, hangs up or talks nonsense", async () => {
      const cases: readonly [(server: Server) => void, RegExp][] = [
        [(server) => server.on("connection", () => undefined), /^timeout$/],
        [(server) => server.on("connection", (socket) => socket.end()), /^unreachable$/],
        [(server) => server.on("connection", (socket) => socket.destroy()), /^unreachable$/],
        [
          (server) => server.on("connection", (socket) => socket.end("N220 mail ready\r\n\r\n")),
          /^(broken|unreachable)$/,
        ],
      ];
      for (const [behave, expected] of cases) {
        const server = await listening(behave);
        const warehouse = subject.at(portOf(server));
        expect((await failure(warehouse.check(signal))).failure).toMatch(expected);
        await warehouse.close();
        await new Promise((resolve) => server.close(resolve));
      }
    });
  });
}

async function listening(behave: (server: Server) => void): Promise<Server> {
  const server = createServer();
  server.on("connection", (socket) => socket.on("error", () => undefined).resume());
  behave(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

function columnsOf(filter: ScanFilter): readonly string[] {
  return "filters" in filter ? filter.filters.flatMap(columnsOf) : [filter.column];
}

function compared(column: string, op: ScanOperator, value: ScanValue): ScanFilter {
  return { kind: "comparison", column, op, value };
}

/** Two constants beside each other see all operators. */
const OPERATORS: readonly (readonly ScanOperator[])[] = [
  ["eq", "lt", "ge"],
  ["ne", "eq", "le", "gt"],
];

/** Constants for each column, of its own type and at its edges. */
const CONSTANTS: readonly (readonly [string, ScanValue])[] = [
  ...[
    "0",
    "9007199254740993",
    "-9223372036854775808",
    "170141183460469231731687303715884105727",
  ].map((value) => ["id", { type: "number", value }] as const),
  ["small", { type: "number", value: "2" }],
  ["medium", { type: "number", value: "2147483647" }],
  ["medium", { type: "number", value: "2.5" }],
  ["flag", { type: "boolean", value: true }],
  ...[0, -0, 1.5, 0.1, 5e-324, 1.7976931348623157e308, -1e-7, 9007199254740992].map(
    (value) => ["score", { type: "double", value }] as const,
  ),
  ...[0.1, Math.fround(0.1), 0.25, 3.4028234663852886e38].map(
    (value) => ["ratio", { type: "double", value }] as const,
  ),
  ...["12.5", "12.50", "0", "-9999999999.99"].map(
    (value) => ["price", { type: "number", value }] as const,
  ),
  ["wide", { type: "number", value: "0.0000000001" }],
  ["wide", { type: "number", value: "9999999999999999999999999999.9999999999" }],
  ...[
    "Ada",
    "",
    "a",
    "ada",
    " ",
    "NULL",
    "žluťoučký 🐎 漢字",
    HOSTILE,
    "two\nlines\r\nand\ttab",
  ].map((value) => ["name", { type: "text", value }] as const),
  ...["ab", "ab ", "", "AB", "a b", "'", "é", "longer than the column"].map(
    (value) => ["code", { type: "text", value }] as const,
  ),
  ["born", { type: "date", value: "2024-02-29" }],
  ["born", { type: "date", value: "0001-01-01" }],
  ["seen", { type: "timestamp", value: "2024-02-29T10:05:00" }],
  ["seen", { type: "timestamp", value: "2024-03-01T00:00:00.000001" }],
  ["at", { type: "timestamptz", value: "2024-03-01T00:00:00.000001Z" }],
  ["at", { type: "timestamptz", value: "9999-12-31T23:59:59.999999Z" }],
];

const FILTERS: readonly ScanFilter[] = [
  ...CONSTANTS.flatMap(([column, value], index) =>
    OPERATORS[index % OPERATORS.length]!.map((op) => compared(column, op, value)),
  ),
  ...CONTRACT_COLUMNS.flatMap(({ name: column }): ScanFilter[] => [
    { kind: "is_null", column },
    { kind: "is_not_null", column },
    {
      ...{ kind: "in", column },
      values: CONSTANTS.filter(([of]) => of === column).map(([, value]) => value),
    },
  ]),
  { kind: "and", filters: [] },
  { kind: "or", filters: [] },
  {
    kind: "or",
    filters: [
      { kind: "is_null", column: "name" },
      {
        kind: "and",
        filters: [
          compared("score", "gt", { type: "double", value: 1 }),
          compared("name", "ge", { type: "text", value: "A" }),
          { kind: "is_not_null", column: "data" },
        ],
      },
    ],
  },
];

/** Filters after which a source gives no row too many, and the ids it gives. */
const PUSHED: readonly (readonly [ScanFilter, readonly string[]])[] = [
  [compared("id", "eq", { type: "number", value: "9007199254740993" }), ["9007199254740993"]],
  [compared("flag", "eq", { type: "boolean", value: false }), ["2", "3"]],
  [compared("score", "gt", { type: "double", value: 1e300 }), ["3", "7", "8"]],
  [compared("price", "ge", { type: "number", value: "12.505" }), ["3", "12"]],
  [compared("name", "eq", { type: "text", value: HOSTILE }), ["9"]],
  [compared("name", "eq", { type: "text", value: "" }), ["2"]],
  [
    compared("name", "ge", { type: "text", value: "say" }),
    ["-9223372036854775808", "8", "9223372036854775807"],
  ],
  [compared("code", "eq", { type: "text", value: "ab" }), ["1"]],
  [compared("born", "lt", { type: "date", value: "1970-01-01" }), ["-9223372036854775808"]],
  [compared("at", "eq", { type: "timestamptz", value: "2024-03-01T00:00:00.000001Z" }), ["12"]],
  [{ kind: "in", column: "small", values: [{ type: "number", value: "-32768" }] }, ["3"]],
  [
    {
      kind: "and",
      filters: [
        { kind: "is_null", column: "born" },
        { kind: "is_not_null", column: "medium" },
      ],
    },
    ["11"],
  ],
];
