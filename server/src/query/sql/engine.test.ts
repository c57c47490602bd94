import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { DuckDBInstance } from "@duckdb/node-api";
import { Field, Int32, Schema, tableFromIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { arrowTypeName } from "../arrow/arrow-type-name.ts";
import { openSqlEngine } from "./engine.ts";
import { type SqlEngine, SqlError } from "./query.ts";
import { ScanError } from "./scan.ts";
import { requestOf, rowsOf, type TestQuery } from "./testing/query.ts";
import { StoredTables } from "./testing/stored-tables.ts";

const limits = { maxRows: 1000, maxBytes: 1 << 20 };
let home: string;
let engine: SqlEngine;
let tables: StoredTables;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "sql-engine-"));
  engine = await openSqlEngine(home);
  tables = await StoredTables.open();
  await tables.add(
    "SELECT range AS id, 'v' || (range % 3) AS kind, DATE '2024-01-01' + CAST(range AS INTEGER) AS day FROM range(100)",
    { table: "orders" },
  );
  await tables.add("SELECT 'v1' AS kind, 2.5 AS weight", { schema: "ref", table: "kinds" });
  await tables.add("SELECT 7 AS seven", { catalog: "other", table: "sevens" });
});

afterAll(async () => {
  await engine.close();
  expect(await readdir(home)).toEqual([]);
  await rm(home, { recursive: true });
});

const rows = (sql: string, query?: TestQuery): Promise<unknown[]> =>
  rowsOf(engine, tables, sql, query);

async function failure(sql: string, query?: TestQuery): Promise<SqlError> {
  const error = await rows(sql, query).then(
    () => null,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(SqlError);
  return error as SqlError;
}

describe("queryJson", () => {
  it("joins tables of several schemas and catalogs, by one, two and three parts of a name", async () => {
    expect(
      await rows(
        "SELECT count(*) AS n, sum(weight * seven) AS w FROM orders JOIN ref.kinds USING (kind), other.main.sevens",
      ),
    ).toEqual([{ n: 33, w: 577.5 }]);
  });

  it("reads tables of many columns, of which equal expressions are not looked for", async () => {
    const columns = Array.from({ length: 150 }, (_, at) => `range + ${at} AS c${at}`);
    const own = await StoredTables.open();
    await own.add(`SELECT ${columns.join(", ")} FROM range(2)`, { table: "wide" });
    const sql = "SELECT *, c1 + c149 AS a, 2 * (c1 + c149) AS b FROM wide";
    const [first, second] = await rowsOf(engine, own, sql);
    expect(first).toMatchObject({ c0: 0, c149: 149, a: 150, b: 300 });
    expect(second).toMatchObject({ c0: 1, c149: 150, a: 152, b: 304 });
  });

  it("reads tables without a default catalog where all are of one", async () => {
    const defaults = { catalog: null, schema: null };
    expect(await rows("SELECT seven FROM other.main.sevens", { defaults })).toEqual([{ seven: 7 }]);
  });

  it("answers names and Arrow types of the columns, each name once", async () => {
    const sql = "SELECT 1 AS a, 'x' AS a, 2.50 AS a_1, DATE '2024-02-29' AS d";
    const result = await engine.queryJson(requestOf(tables, sql), limits);
    expect(result.columns).toEqual([
      { name: "a", type: "Int32" },
      { name: "a_2", type: "Utf8" },
      { name: "a_1", type: "Decimal128<3, 2>" },
      { name: "d", type: "Date32<DAY>" },
    ]);
    expect(Buffer.concat(result.rows).toString()).toBe(
      '[{"a":1,"a_2":"x","a_1":2.50,"d":"2024-02-29"}]',
    );
  });

  it("compares integers beyond 2^53 with all their digits", async () => {
    const wide = await StoredTables.open();
    await wide.add(
      "SELECT unnest([9007199254740992, 9007199254740993, 9007199254740994, -9223372036854775808]) AS id",
      { table: "wide_ids" },
    );
    const sql = "SELECT id FROM wide_ids WHERE id = $1";
    for (const id of [9007199254740993n, -9223372036854775808n]) {
      expect(await rowsOf(engine, wide, sql, { parameters: [id] })).toEqual([{ id: String(id) }]);
    }
    expect(await rowsOf(engine, wide, sql, { parameters: [2n ** 63n] })).toEqual([]);
    expect(
      await rows("SELECT typeof($a) AS t, $a - 1 AS x, $b + 1 AS y FROM orders LIMIT 1", {
        parameters: { a: 2n ** 127n - 1n, b: 9007199254740993n },
      }),
    ).toEqual([
      { t: "HUGEINT", x: "170141183460469231731687303715884105726", y: "9007199254740994" },
    ]);
    expect((await failure("SELECT $1", { parameters: [2n ** 127n] })).message).toBe(
      "Parameter $1 is an integer of more than 128 bits; send it as a text",
    );
  });

  it("takes numbers beyond doubles in a statement, and shows them as infinities", async () => {
    expect(await rows("SELECT 1e400 AS x, -1e400 AS y")).toEqual([
      { x: "Infinity", y: "-Infinity" },
    ]);
    const sql = "SELECT count(*) AS n, 'say \"Infinity, NaN\"' AS t FROM orders";
    expect(await rows(`${sql} WHERE id < 1e400 AND id <> 'nan'::DOUBLE`)).toEqual([
      { n: 100, t: 'say "Infinity, NaN"' },
    ]);
    expect(await rows(`${sql} WHERE id < 1e400 AND id > $1`, { parameters: [97] })).toEqual([
      { n: 2, t: 'say "Infinity, NaN"' },
    ]);
  });

  it("writes infinite dates and times as SQL does, and refuses them in Arrow, which has none", async () => {
    const types = [
      "DATE",
      "TIMESTAMP",
      "TIMESTAMP_S",
      "TIMESTAMP_MS",
      "TIMESTAMP_NS",
      "TIMESTAMPTZ",
    ];
    for (const type of types) {
      for (const text of ["infinity", "-infinity"]) {
        const sql = `SELECT '${text}'::${type} AS t, ['${text}'::${type}] AS l`;
        expect(await rows(sql), type).toEqual([{ t: text, l: [text] }]);
        await expect(engine.queryArrow(requestOf(tables, sql), limits), type).rejects.toThrow(
          `the ${type === "DATE" ? type : "TIMESTAMP"} ${text} cannot be represented in Arrow`,
        );
      }
    }
    const finite = await engine.queryArrow(
      requestOf(tables, "SELECT DATE '9999-12-31' AS d, NULL::DATE AS e"),
      limits,
    );
    const [row] = tableFromIPC(finite.bytes).toArray();
    expect([Number(row?.d), row?.e]).toEqual([Date.UTC(9999, 11, 31), null]);
  });

  it("cuts off at the rows and bytes that were asked for, and says so", async () => {
    const cut = async (maxRows: number, maxBytes: number) => {
      const request = requestOf(tables, "SELECT * FROM range(1000000000)");
      const result = await engine.queryJson(request, { maxRows, maxBytes });
      const text = Buffer.concat(result.rows).toString();
      const parsed: unknown[] = JSON.parse(text);
      expect(parsed).toHaveLength(result.rowCount);
      return { rows: result.rowCount, truncated: result.truncated, bytes: text.length };
    };
    expect(await cut(5000, 1 << 20)).toMatchObject({ rows: 5000, truncated: true });
    const byBytes = await cut(1_000_000, 1000);
    expect(byBytes.truncated).toBe(true);
    expect(byBytes.bytes).toBeLessThanOrEqual(1000);
    expect(byBytes.bytes).toBeGreaterThan(900);
    expect(
      await engine.queryJson(requestOf(tables, "SELECT * FROM range(10)"), {
        maxRows: 10,
        maxBytes: 1000,
      }),
    ).toMatchObject({ rowCount: 10, truncated: false });
  });

  it("refuses a first row that is longer than an answer, in both forms", async () => {
    const request = requestOf(tables, "SELECT repeat('x', 2000) AS a");
    const refused = expect.objectContaining({
      failure: "resources",
      message: expect.stringContaining("first row"),
    });
    const small = { maxRows: 10, maxBytes: 1000 };
    await expect(engine.queryJson(request, small)).rejects.toEqual(refused);
    await expect(engine.queryArrow(request, small)).rejects.toEqual(refused);
  });

  it("puts what is larger than it may be in memory into a file with the same bytes, which is gone once it is read", async () => {
    const request = requestOf(tables, "SELECT range AS i, repeat('x', 100) AS a FROM range(5000)");
    const large = { maxRows: 10_000, maxBytes: 1 << 20 };
    const [json, arrow] = [
      await engine.queryJson(request, large),
      await engine.queryArrow(request, large),
    ];
    expect([json.file, arrow.file]).toEqual([null, null]);
    const rows = Buffer.concat(json.rows);
    for (const beyond of [rows.length - 1, 1000]) {
      const { file, ...spooled } = await engine.queryJson(request, {
        ...large,
        fileBeyondBytes: beyond,
      });
      expect(spooled).toEqual({ ...json, file: undefined, rows: [] });
      expect(file?.bytes).toBe(rows.length);
      expect(rows.equals(await buffer(file!.stream))).toBe(true);
    }
    const held = await engine.queryJson(request, { ...large, fileBeyondBytes: rows.length });
    expect([Buffer.concat(held.rows).equals(rows), held.file]).toEqual([true, null]);
    const spooled = await engine.queryArrow(request, { ...large, fileBeyondBytes: 1000 });
    expect([spooled.bytes.length, spooled.file?.bytes]).toEqual([0, arrow.bytes.length]);
    expect((await buffer(spooled.file!.stream)).equals(arrow.bytes)).toBe(true);
  });

  it("takes thousands of columns in every form, whose types are told together", async () => {
    const columns = Array.from({ length: 1500 }, (_, at) =>
      at % 3 === 0 ? `${at} AS c` : at % 3 === 1 ? `$1 AS c${at}` : `DATE '2024-02-29' AS c${at}`,
    );
    const request = requestOf(tables, `SELECT ${columns.join(", ")} -- end`, {
      parameters: ["x"],
    });
    const types = ["Int32", "Utf8", "Date32<DAY>"];
    const names = (await engine.queryJson(request, limits)).columns;
    expect(names.map(({ type }) => type)).toEqual(columns.map((_, at) => types[at % 3]));
    expect(new Set(names.map(({ name }) => name)).size).toBe(columns.length);
    const { bytes } = await engine.queryArrow(request, limits);
    expect(tableFromIPC(bytes).schema.fields).toHaveLength(columns.length);
    const typesOf = ({ fields }: Schema) => fields.map(({ type }) => arrowTypeName(type));
    const { schema, repeated } = await engine.explain(request);
    expect(typesOf(schema)).toEqual(names.map(({ type }) => type));
    expect(repeated).toHaveLength(499);
    const exported = await engine.exportParquet(request, async (file) => file.schema);
    expect(typesOf(exported)).toEqual(names.map(({ type }) => type));
    const deep = requestOf(
      tables,
      `SELECT ${columns.join(", ")}, ${"[".repeat(70)}1${"]".repeat(70)}`,
      {
        parameters: ["x"],
      },
    );
    for (const ask of [
      () => engine.queryJson(deep, limits),
      () => engine.explain(deep),
      () => engine.exportParquet(deep, async () => null),
    ]) {
      await expect(ask()).rejects.toThrow("is nested in 71 levels");
    }
  });

  it("answers an empty array where there are no rows", async () => {
    expect(await rows("SELECT * FROM orders WHERE false")).toEqual([]);
  });

  it.each([
    ["VALUES (1), (2)", 2],
    ["FROM orders LIMIT 3", 3],
    ["WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 9) FROM r", 9],
    ["DESCRIBE orders", 3],
    ["SUMMARIZE orders", 3],
    ["SHOW TABLES", 1],
    ["SHOW ALL TABLES", 3],
    ["PIVOT orders ON kind IN ('v0', 'v1') USING count(*) GROUP BY day", 100],
    ["UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b", 2],
    ["SELECT 1; -- with an end", 1],
    ["SELECT ';' AS semicolon", 1],
  ])("takes %s", async (sql, count) => {
    expect(await rows(sql)).toHaveLength(count);
  });

  it("shows each of many tables once, whose columns nobody asked for", async () => {
    const many = Array.from({ length: 501 }, (_, at) => ({
      catalog: at % 2 ? "lake" : "odd",
      schema: at % 3 ? "main" : "ref",
      table: `t${at}`,
    }));
    const resolver = { resolve: async () => [], names: async () => many };
    const seen = await rowsOf(
      engine,
      resolver,
      "SELECT table_catalog AS catalog, table_schema AS schema, table_name AS table FROM information_schema.tables ORDER BY substr(table_name, 2)::INT",
    );
    expect(seen).toEqual(many);
  });

  it("lets a statement look at all tables there are", async () => {
    expect(
      await rows(
        "SELECT table_catalog, table_schema, table_name FROM information_schema.tables ORDER BY ALL",
      ),
    ).toEqual([
      { table_catalog: "lake", table_schema: "main", table_name: "orders" },
      { table_catalog: "lake", table_schema: "ref", table_name: "kinds" },
      { table_catalog: "other", table_schema: "main", table_name: "sevens" },
    ]);
    expect(
      await rows(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'kinds'",
      ),
    ).toEqual([
      { column_name: "kind", data_type: "VARCHAR" },
      { column_name: "weight", data_type: "DECIMAL(2,1)" },
    ]);
    expect(
      await rows(
        "SELECT (SELECT count(*) FROM orders) AS n, count(*) AS tables FROM duckdb_tables()",
      ),
    ).toEqual([{ n: 100, tables: 3 }]);
  });

  it("asks a source for the columns and rows that the statement needs", async () => {
    tables.needs.length = 0;
    expect(
      await rows("SELECT sum(id) AS s FROM orders WHERE kind = 'v1' AND day > '2024-03-01'"),
    ).toEqual([{ s: 1027 }]);
    expect(tables.needs).toEqual([
      {
        table: "orders",
        need: {
          columns: ["id", "kind", "day"],
          filter: {
            kind: "and",
            filters: [
              {
                kind: "comparison",
                column: "kind",
                op: "eq",
                value: { type: "text", value: "v1" },
              },
              {
                kind: "comparison",
                column: "day",
                op: "gt",
                value: { type: "date", value: "2024-03-01" },
              },
            ],
          },
          limit: null,
          partitions: [0],
          distinct: false,
        },
      },
    ]);
  });

  it("asks for no table that a common table expression hides", async () => {
    tables.needs.length = 0;
    expect(await rows("WITH orders AS (SELECT 1 AS z) SELECT * FROM orders")).toEqual([{ z: 1 }]);
    expect(
      await rows("WITH orders AS (SELECT id FROM orders LIMIT 4) SELECT count(*) AS n FROM orders"),
    ).toEqual([{ n: 4 }]);
    expect(tables.needs.map(({ need }) => need.limit)).toEqual([4]);
  });
});

describe("parameters", () => {
  it("are bound by position and by name, with the types of JSON", async () => {
    expect(await rows("SELECT id FROM orders WHERE id = $1", { parameters: [5] })).toEqual([
      { id: 5 },
    ]);
    expect(
      await rows("SELECT id FROM orders WHERE day = $day AND kind = $kind", {
        parameters: { day: "2024-01-05", kind: "v1" },
      }),
    ).toEqual([{ id: 4 }]);
    expect(
      await rows("SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e", {
        parameters: [1, 1.5, true, null, "it's"],
      }),
    ).toEqual([{ a: 1, b: 1.5, c: true, d: null, e: "it's" }]);
  });

  it("prune as literals do", async () => {
    tables.needs.length = 0;
    await rows("SELECT id FROM orders WHERE day = $1 AND id < $2", {
      parameters: ["2024-01-05", -1],
    });
    expect(tables.needs[0]!.need.filter).toEqual({
      kind: "and",
      filters: [
        { kind: "comparison", column: "id", op: "lt", value: { type: "number", value: "-1" } },
        {
          kind: "comparison",
          column: "day",
          op: "eq",
          value: { type: "date", value: "2024-01-05" },
        },
      ],
    });
  });

  it.each([
    ["SELECT $1 + $2", [1], "$2"],
    ["SELECT $1", [1, 2], "$2"],
    ["SELECT $name", { other: 1 }, "$name"],
    ["SELECT 1", { other: 1 }, "$other"],
    ["SELECT $1, $name", [1], "by position or all by name"],
  ])("are refused by name: %s", async (sql, parameters, text) => {
    const error = await failure(sql, { parameters });
    expect(error.failure).toBe("invalid");
    expect(error.message).toContain(text);
  });
});

describe("failures", () => {
  it.each(["main", "system", "TEMP"])(
    "say which catalogs are DuckDB's own: %s",
    async (catalog) => {
      const error = await failure("SELECT 1", { defaults: { catalog, schema: "public" } });
      expect(error.failure).toBe("invalid");
      expect(error.message).toBe(
        `A catalog named "${catalog}" cannot be queried: DuckDB keeps that name to itself`,
      );
    },
  );

  it.each([
    ["SELECT 1 FROMM orders", "invalid", 'syntax error at or near "orders"', [1, 16]],
    ["SELECT\n  missing FROM orders", "invalid", "missing", [2, 3]],
    ["SELECT 'é', missing FROM orders", "invalid", "missing", [1, 13]],
    ["SELECT * FROM ordrs", "invalid", 'Did you mean "orders"?', [1, 15]],
    ["SELECT * FROM lake.ref.kind", "invalid", 'Did you mean "ref.kinds"?', [1, 15]],
    ["SELECT * FROM seven", "invalid", 'Did you mean "other.sevens"?', [1, 15]],
    ["SELECT CAST(kind AS INTEGER) FROM orders", "failed", "'v0'", [1, 8]],
    ["SELECT id FROM orders WHERE CAST(kind AS INTEGER) > 1", "failed", "'v0'", null],
    ["SELECT id FROM orders WHERE kind > 1", "invalid", "Cannot compare values", [1, 34]],
    ["SELECT error('told')", "failed", "told", null],
  ])("are DuckDB's own, with their place: %s", async (sql, kind, text, place) => {
    const error = await failure(sql);
    expect(error.message).toContain(text);
    expect(error.failure).toBe(kind);
    if (place !== null) expect(error.position).toEqual({ line: place[0], column: place[1] });
  });

  describe("in the middle of a result", () => {
    const BREAKS =
      "SELECT i, repeat('x', 100) AS s, CASE WHEN i = $1 THEN error('row ' || i) ELSE i END AS v FROM range(100000) AS t(i)";
    const whole = { maxRows: 100_000, maxBytes: 64 << 20 };
    const failing = (sql: string, kind: "queryJson" | "queryArrow", query: TestQuery = {}) =>
      engine[kind](requestOf(tables, sql, query), whole).then(
        ({ rowCount }) => `${rowCount} rows`,
        (error: unknown) =>
          error instanceof SqlError ? { ...error, message: error.message } : error,
      );

    it.each(["queryJson", "queryArrow"] as const)("fail it: %s", async (kind) => {
      for (const row of [2047, 2048, 60_000, 99_999]) {
        expect(await failing(BREAKS, kind, { parameters: [row] })).toMatchObject({
          failure: "failed",
          message: `row ${row}`,
        });
      }
      expect(await failing(BREAKS, kind, { parameters: [100_000] })).toBe("100000 rows");
    });

    it.each([
      [
        "SELECT\n  CAST(CASE WHEN i = 60000 THEN 'x' ELSE '1' END AS INTEGER) FROM range(100000) AS t(i)",
        "Could not convert string 'x' to INT32",
        { line: 2, column: 3 },
      ],
      [
        "SELECT a.i AS i, a.i AS i FROM range(100000) AS a(i) WHERE a.i <> 60000 OR error('boom'); -- end",
        "boom",
        null,
      ],
      [
        "FROM range(100000) AS t(i) SELECT i + (9223372036854775807 - 60000)",
        "Overflow in addition",
        null,
      ],
      [
        "SELECT id, error('of ' || kind) FROM orders, range(3000) WHERE id = 99 AND range > 2900",
        "of v0",
        null,
      ],
    ])("are told as those at its beginning: %s", async (sql, message, position) => {
      const error = await failing(sql, "queryJson");
      expect(error).toMatchObject({ failure: "failed", message: expect.stringContaining(message) });
      if (position !== null) expect(error).toMatchObject({ position });
    });

    it("are told where another run may have none", async () => {
      const odd =
        "SELECT i, CASE WHEN i > 50000 AND random() < 0.00002 THEN error('odd') END FROM range(100000) AS t(i)";
      for (let run = 0; run < 5; run++) {
        const outcome = await failing(odd, "queryJson");
        if (outcome === "100000 rows") continue;
        expect(outcome).toMatchObject({
          failure: "failed",
          message: expect.stringMatching(/^odd$|differ from run to run/),
        });
      }
    });

    it("are no failures where the rows that were asked for come before them", async () => {
      const request = requestOf(tables, "SELECT i FROM range(100000000) AS t(i)");
      const { rowCount, truncated } = await engine.queryJson(request, limits);
      expect([rowCount, truncated]).toEqual([1000, true]);
    });

    it("are the time's where it ran out there", async () => {
      const slow =
        "SELECT a.i, (SELECT sum(hash(j)) FROM range(a.i % 2 * 1000) AS u(j)) FROM range(1000000000) AS a(i) WHERE hash(a.i) % 1000000 = 0";
      expect(await failing(slow, "queryJson", { timeoutMs: 700 })).toMatchObject({
        failure: "timeout",
      });
    });
  });

  it("of a view's own casts have no place in the statement", async () => {
    tables.addSource(
      { catalog: "lake", schema: "main", table: "broken" },
      {
        label: "broken",
        describe: async () =>
          (
            await tables.resolve([{ catalog: null, schema: null, table: "orders" }])
          )[0]!.source.describe(never, never),
        stage: async () => ({
          sql: "SELECT CAST('no number' AS BIGINT) AS id, kind, NULL::DATE AS day FROM (VALUES ('a')) AS v(kind)",
          fetchedBytes: 0,
        }),
      },
    );
    const error = await failure("SELECT id FROM broken");
    expect(error.failure).toBe("failed");
    expect(error.position).toBeNull();
  });

  it("of sources reach the caller as they are", async () => {
    const name = { catalog: "lake", schema: "main", table: "damaged" };
    tables.addSource(name, {
      label: "damaged",
      describe: () => Promise.reject(new ScanError("Table damaged: no files")),
      stage: () => Promise.reject(new ScanError("not reached")),
    });
    await expect(rows("SELECT * FROM damaged")).rejects.toThrow(
      new ScanError("Table damaged: no files"),
    );
  });

  it("name columns that SQL cannot tell apart, and hide no other table", async () => {
    const column = (name: string) => new Field(name, new Int32(), true);
    const twins = (names: readonly string[]) => ({
      label: "twins",
      describe: async () => ({
        schema: new Schema(names.map(column)),
        partitionColumns: 0,
        partitions: [{ values: [] }],
      }),
      stage: () => Promise.reject(new ScanError("not reached")),
    });
    const own = await StoredTables.open();
    await own.add("SELECT 1 AS id", { table: "good" });
    const name = { catalog: "lake", schema: "main", table: "twins" };
    own.addSource(name, twins(["Id", "x", "iD"]));
    await expect(rowsOf(engine, own, "SELECT x FROM twins")).rejects.toThrow(
      /"twins": the columns Id and iD have the same name/,
    );
    const listed = "SELECT table_name AS t, column_name AS c FROM information_schema.columns";
    expect(await rowsOf(engine, own, listed)).toContainEqual({ t: "good", c: "id" });
    // DuckDB ignores the case of ASCII letters alone.
    own.addSource(name, twins(["\u00e9", "\u00c9"]));
    const described = await rowsOf(engine, own, "SELECT column_name AS c FROM (DESCRIBE twins)");
    expect(described).toEqual([{ c: "\u00e9" }, { c: "\u00c9" }]);
  });

  it("show no folder of the session", async () => {
    const { source } = (
      await tables.resolve([{ catalog: null, schema: null, table: "orders" }])
    )[0]!;
    tables.addSource(
      { catalog: "lake", schema: "main", table: "lost" },
      {
        label: "lost",
        describe: (reader, signal) => source.describe(reader, signal),
        stage: async (_need, folder) => ({
          sql: `SELECT * FROM read_parquet('${folder}/nothing.parquet')`,
          fetchedBytes: 0,
        }),
      },
    );
    const error = await failure("SELECT id FROM lost");
    expect(error.message).toContain("nothing.parquet");
    expect(error.message).not.toContain(home);
  });
});

const never = undefined as never;

describe("queryArrow", () => {
  it("answers an IPC stream, up to the rows that were asked for", async () => {
    const request = requestOf(tables, "SELECT id, kind FROM orders ORDER BY id");
    const result = await engine.queryArrow(request, { ...limits, maxRows: 70 });
    const table = tableFromIPC(result.bytes);
    expect([table.numRows, result.rowCount, result.truncated]).toEqual([70, 70, true]);
    expect(String(table.schema.fields[0]!.type)).toBe("Int64");
    expect(table.get(69)!.toJSON()).toEqual({ id: 69n, kind: "v0" });
  });

  it("stays within its bytes, and answers the schema of no rows", async () => {
    const long = await engine.queryArrow(requestOf(tables, "SELECT * FROM range(1000000)"), {
      maxRows: 1_000_000,
      maxBytes: 100_000,
    });
    expect(long.truncated).toBe(true);
    expect(long.bytes.length).toBeLessThanOrEqual(100_000 + 1000);
    expect(tableFromIPC(long.bytes).numRows).toBe(long.rowCount);
    const none = await engine.queryArrow(requestOf(tables, "SELECT 1 AS a WHERE false"), limits);
    expect(tableFromIPC(none.bytes).schema.fields.map((field) => field.name)).toEqual(["a"]);
  });
});

describe("explain", () => {
  it("tells the plan, its columns, and what each source is asked", async () => {
    const plan = await engine.explain(
      requestOf(tables, "SELECT sum(id) AS s FROM orders WHERE kind = $1", { parameters: ["v1"] }),
    );
    expect(plan.text).toContain("orders");
    expect(plan.text).toContain("kind='v1'");
    expect(plan.schema.fields.map((field) => field.name)).toEqual(["s"]);
    expect(plan.scans).toEqual([
      {
        table: "lake.main.orders",
        source: "test of orders",
        columns: ["id", "kind"],
        filter: `"kind" = 'v1'`,
        limit: null,
        partitions: { read: 1, all: 1 },
      },
    ]);
  });
});

describe("exportParquet", () => {
  it("lends one file with all rows, in their order, and removes it", async () => {
    const request = requestOf(
      tables,
      "SELECT id, kind, id AS id FROM orders WHERE id >= $1 ORDER BY id DESC; -- end",
      {
        parameters: [10],
      },
    );
    const kept = await engine.exportParquet(request, async ({ path, rows: count, schema }) => {
      expect(count).toBe(90);
      expect(schema.fields.map((field) => field.name)).toEqual(["id", "kind", "id_1"]);
      const connection = await (await DuckDBInstance.create()).connect();
      const read = await connection.runAndReadAll(
        `SELECT count(*), first(id), last(id_1) FROM '${path}'`,
      );
      expect(read.getRowsJson()).toEqual([["90", "99", "10"]]);
      return path;
    });
    await expect(readFile(kept)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("has the types of parameters that nothing but their values tells", async () => {
    const request = requestOf(tables, "SELECT $1 AS a, id, $2 AS b FROM orders WHERE id < 2", {
      parameters: ["it's", 5],
    });
    const types = await engine.exportParquet(request, async ({ schema, rows }) => [
      rows,
      ...schema.fields.map(({ name, type }) => `${name} ${type}`),
    ]);
    expect(types).toEqual([2, "a Utf8", "id Int64", "b Int32"]);
    expect((await engine.explain(request)).schema.fields.map(({ name }) => name)).toEqual([
      "a",
      "id",
      "b",
    ]);
  });

  it("has integers of 128 bits digit by digit, under names that come twice, too", async () => {
    const sql =
      "SELECT 18446744073709551617::HUGEINT + id AS a, sum(id) OVER () AS s, 5::UHUGEINT AS a FROM orders WHERE id < 2 ORDER BY id";
    const rows = await engine.exportParquet(requestOf(tables, sql), async ({ path }) => {
      const connection = await (await DuckDBInstance.create()).connect();
      return (await connection.runAndReadAll(`SELECT a, s, a_1 FROM '${path}'`)).getRowsJson();
    });
    expect(rows).toEqual([
      ["18446744073709551617", "1", "5"],
      ["18446744073709551618", "1", "5"],
    ]);
  });

  it("has the places of faults where they are", async () => {
    const request = requestOf(tables, "SELECT\n missing FROM orders");
    await expect(engine.exportParquet(request, async () => 0)).rejects.toMatchObject({
      failure: "invalid",
      position: { line: 2, column: 2 },
    });
  });
});
