import type { Schema } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PostgresWarehouseServer } from "../../../testing/postgres-warehouse.ts";
import { RowReader } from "../../../testing/warehouse-rows.ts";
import type { SourceTableName, Warehouse, WarehouseRead } from "../warehouse.ts";

let server: PostgresWarehouseServer;
let warehouse: Warehouse;
let reader: RowReader;
const signal = AbortSignal.timeout(120_000);

beforeAll(async () => {
  server = await PostgresWarehouseServer.create();
  warehouse = server.open();
  reader = await RowReader.open();
});
afterAll(async () => {
  await reader.close();
  await server.close();
});

function named(table: string, schema = "sales"): SourceTableName {
  return { catalog: "shop", schema, table };
}

async function readAll(table: SourceTableName, rest: Partial<WarehouseRead> = {}) {
  const schema = await warehouse.describe(table, signal);
  const columns = schema.fields.map((field) => field.name);
  return await reader.rows(warehouse, {
    ...{ table, schema, columns, filter: null, limit: null },
    ...rest,
  });
}

const typesOf = (schema: Schema): unknown =>
  Object.fromEntries(schema.fields.map((field) => [field.name, String(field.type)]));

describe("types", () => {
  /** Type, its Arrow type, values as PostgreSQL takes them and as DuckDB has them then. */
  const cases: readonly (readonly [
    string,
    string,
    readonly (readonly [string, string | null])[],
  ])[] = [
    [
      "numeric",
      "Decimal[38e+10]",
      [
        ["1.5", "1.5000000000"],
        ["NaN", null],
        ["1234567890123456789012345678", "1234567890123456789012345678.0000000000"],
      ],
    ],
    ["numeric ", "Decimal[38e+20]", [["123.12345678901234567890", "123.12345678901234567890"]]],
    ["numeric  ", "Decimal[38e+3]", [[`${"9".repeat(35)}.125`, `${"9".repeat(35)}.125`]]],
    [
      "numeric   ",
      "Utf8",
      [
        [`${"9".repeat(50)}.5`, `${"9".repeat(50)}.5`],
        ["NaN", "NaN"],
        ["-Infinity", "-Infinity"],
      ],
    ],
    ["numeric(50,0)", "Decimal[38e0]", [["9".repeat(38), "9".repeat(38)]]],
    ["numeric(50,1)", "Utf8", [[`${"9".repeat(38)}.5`, `${"9".repeat(38)}.5`]]],
    ["numeric(38,38)", "Decimal[38e+38]", [[`0.${"9".repeat(38)}`, `.${"9".repeat(38)}`]]],
    ["numeric(3,-2)", "Decimal[5e0]", [["-99949", "-99900"]]],
    ["numeric(2,4)", "Decimal[4e+4]", [["0.0099", ".0099"]]],
    [
      "numeric(5,2)",
      "Decimal[5e+2]",
      [
        ["NaN", null],
        ["-999.99", "-999.99"],
      ],
    ],
    [
      "money",
      "Decimal[19e+2]",
      [
        ["-1234.56", "-1234.56"],
        ["92233720368547758.07", "92233720368547758.07"],
      ],
    ],
    ["oid", "Int64", [["4294967295", "4294967295"]]],
    ["name", "Utf8", [["a,b", "a,b"]]],
    ['"char"', "Utf8", [["x", "x"]]],
    ["varchar(3)", "Utf8", [["ab ", "ab "]]],
    [
      "char(3)",
      "Utf8",
      [
        ["a", "a"],
        ["", ""],
      ],
    ],
    ["sales.citext", "Utf8", [["Ab", "Ab"]]],
    [
      "uuid",
      "Utf8",
      [["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]],
    ],
    [
      "json",
      "Utf8",
      [
        ['{"a": [1, null]}', '{"a": [1, null]}'],
        ["null", "null"],
      ],
    ],
    ["jsonb", "Utf8", [['{"b":1,"a":"x\\ny"}', '{"a": "x\\ny", "b": 1}']]],
    ["xml", "Utf8", [["<a>&amp;</a>", "<a>&amp;</a>"]]],
    ["inet", "Utf8", [["10.0.0.1/8", "10.0.0.1/8"]]],
    ["interval", "Utf8", [["1 year 2 days 03:04:05.6", "1 year 2 days 03:04:05.6"]]],
    ["timetz", "Utf8", [["10:00:00.5+02", "10:00:00.5+02"]]],
    ["bit(3)", "Utf8", [["101", "101"]]],
    ["int4range", "Utf8", [["[1,5)", "[1,5)"]]],
    ["point", "Utf8", [["(1.5,-2)", "(1.5,-2)"]]],
    [
      "sales.mood",
      "Utf8",
      [
        ["very happy", "very happy"],
        ["", ""],
      ],
    ],
    ["sales.price", "Decimal[6e+2]", [["1.5", "1.50"]]],
    [
      "sales.pair",
      "Utf8",
      [
        ['(1,"a,b")', '{"a":1,"b":"a,b"}'],
        ["(,)", '{"a":null,"b":null}'],
      ],
    ],
    [
      "int8[]",
      "Utf8",
      [
        ["{9223372036854775807,NULL}", "[9223372036854775807,null]"],
        ["{}", "[]"],
      ],
    ],
    ["text[]", "Utf8", [['{"a\\"b",NULL,"NULL",""}', '["a\\"b",null,"NULL",""]']]],
    ["int4[][]", "Utf8", [["{{1,2},{3,4}}", "[[1,2],[3,4]]"]]],
    [
      "time",
      "Time64<MICROSECOND>",
      [
        ["24:00:00", "24:00:00"],
        ["23:59:59.999999", "23:59:59.999999"],
      ],
    ],
    [
      "bytea",
      "Binary",
      [
        ["\\x", ""],
        ["\\xdeadBEEF00", "deadbeef00"],
      ],
    ],
    [
      ...(["date", "Date32<DAY>"] as const),
      [
        ["infinity", "infinity"],
        ["-infinity", "-infinity"],
        ["0044-03-15 BC", "0044-03-15 (BC)"],
        ["4713-11-24 BC", "4713-11-24 (BC)"],
        ["5874897-12-31", "5874897-12-31"],
      ],
    ],
    [
      ...(["timestamp", "Timestamp<MICROSECOND>"] as const),
      [
        ["infinity", "infinity"],
        ["-infinity", "-infinity"],
        ["0044-03-15 10:00:00.000001 BC", "0044-03-15 (BC) 10:00:00.000001"],
        ["4713-11-24 00:00:00 BC", "4713-11-24 (BC) 00:00:00"],
        ["294247-01-10 04:00:54.775806", "294247-01-10 04:00:54.775806"],
      ],
    ],
    [
      ...(["timestamptz", "Timestamp<MICROSECOND, UTC>"] as const),
      [
        ["infinity", "infinity"],
        ["-infinity", "-infinity"],
        ["2024-02-29 10:05:00+05:30", "2024-02-29 04:35:00+00"],
        ["0044-03-15 10:00:00+00 BC", "0044-03-15 (BC) 10:00:00+00"],
        ["1890-01-01 00:00:00+00", "1890-01-01 00:00:00+00"],
      ],
    ],
    [
      "float4",
      "Float32",
      [
        ["1.17549435e-38", "1.1754944e-38"],
        ["Infinity", "inf"],
      ],
    ],
    ["float8", "Float64", [["2.2250738585072014e-308", "2.2250738585072014e-308"]]],
  ];

  test("leave as they are, extremes and all", async () => {
    const quote = (text: string): string => `E'${text.replace(/[\\']/g, (one) => `\\${one}`)}'`;
    await server.prepare([
      "CREATE EXTENSION citext SCHEMA sales",
      "CREATE TYPE sales.mood AS ENUM ('very happy', '')",
      "CREATE DOMAIN sales.amount AS numeric(6,2)",
      "CREATE DOMAIN sales.price AS sales.amount NOT NULL",
      "CREATE TYPE sales.pair AS (a int, b text)",
      ...cases.flatMap(([type, , values], index) => [
        `CREATE TABLE sales.t${index} (n int, v ${type})`,
        ...values.map(([text], n) => `INSERT INTO sales.t${index} VALUES (${n}, ${quote(text)})`),
        ...(type === "sales.price" ? [] : [`INSERT INTO sales.t${index} VALUES (99, NULL)`]),
      ]),
    ]);
    const found: unknown[] = [];
    for (const [index, [type]] of cases.entries()) {
      const schema = await warehouse.describe(named(`t${index}`), signal);
      const rows = await readAll(named(`t${index}`), { columns: ["v"] });
      found.push([type, String(schema.fields[1]!.type), ...rows.flat()]);
    }
    expect(found).toEqual(
      cases.map(([type, arrow, values]) => [
        ...[type, arrow, ...values.map(([, text]) => text)],
        ...(type === "sales.price" ? [] : [null]),
      ]),
    );
  });

  test("beyond what DuckDB's timestamps hold fail in it, not as other times", async () => {
    await server.prepare([
      "CREATE TABLE sales.far AS SELECT '294276-12-31 23:59:59'::timestamp AS at",
    ]);
    await expect(readAll(named("far"))).rejects.toThrow(/294276-12-31 23:59:59/);
  });

  test("of columns that hold no NULL say so", async () => {
    await server.prepare([
      "CREATE TABLE sales.strict (a int NOT NULL, b int, c numeric(5,2) NOT NULL)",
      "CREATE VIEW sales.loose AS SELECT * FROM sales.strict",
    ]);
    const nullable = async (table: string) =>
      (await warehouse.describe(named(table), signal)).fields.map((field) => field.nullable);
    // NaN of a decimal becomes NULL.
    expect(await nullable("strict")).toEqual([false, true, true]);
    expect(await nullable("loose")).toEqual([true, true, true]);
  });
});

describe("relations", () => {
  test("of every kind are described, listed and read", async () => {
    await server.prepare([
      "CREATE SCHEMA kinds",
      "CREATE TABLE kinds.plain AS SELECT 1 AS a",
      "CREATE VIEW kinds.view AS SELECT 2 AS a",
      "CREATE MATERIALIZED VIEW kinds.materialized AS SELECT 3 AS a",
      "CREATE TABLE kinds.parted (a int) PARTITION BY LIST (a)",
      "CREATE TABLE kinds.part PARTITION OF kinds.parted FOR VALUES IN (4)",
      "INSERT INTO kinds.parted VALUES (4)",
      "CREATE EXTENSION file_fdw SCHEMA kinds",
      "CREATE SERVER elsewhere FOREIGN DATA WRAPPER file_fdw",
      "CREATE FOREIGN TABLE kinds.far (a int NOT NULL) SERVER elsewhere OPTIONS (program 'echo 5')",
      "CREATE SEQUENCE kinds.sequence",
      "CREATE INDEX an_index ON kinds.plain (a)",
      "GRANT USAGE ON SCHEMA kinds TO reader",
      "GRANT SELECT ON ALL TABLES IN SCHEMA kinds TO reader",
    ]);
    const names = await warehouse.listTables("shop", "kinds", signal);
    expect(names).toEqual(["far", "materialized", "part", "parted", "plain", "view"]);
    const rows = await Promise.all(
      ["plain", "view", "materialized", "parted", "part", "far"].map((name) =>
        readAll(named(name, "kinds")),
      ),
    );
    expect(rows).toEqual([[["1"]], [["2"]], [["3"]], [["4"]], [["4"]], [["5"]]]);
    const far = await warehouse.describe(named("far", "kinds"), signal);
    expect(far.fields[0]!.nullable).toBe(true);
    await expect(warehouse.describe(named("sequence", "kinds"), signal)).rejects.toMatchObject({
      failure: "not-found",
    });
  });

  test("with any names are read", async () => {
    const odd = `o"d'd \\ n,ame; -- 漢字`;
    const quoted = `"${odd.replaceAll('"', '""')}"`;
    await server.prepare([
      `CREATE SCHEMA ${quoted}`,
      `CREATE TABLE ${quoted}.${quoted} (${quoted} int)`,
      `INSERT INTO ${quoted}.${quoted} VALUES (5)`,
      `GRANT USAGE ON SCHEMA ${quoted} TO reader`,
      `GRANT SELECT ON ${quoted}.${quoted} TO reader`,
    ]);
    expect(await warehouse.listSchemas("shop", signal)).toContain(odd);
    expect(await warehouse.listTables("shop", odd, signal)).toEqual([odd]);
    expect(await readAll(named(odd, odd))).toEqual([["5"]]);
  });

  test("are not met under names that PostgreSQL would cut off", async () => {
    const long = "n".repeat(63);
    await server.prepare([`CREATE TABLE sales.${long} (a int)`]);
    expect(typesOf(await warehouse.describe(named(long), signal))).toEqual({ a: "Int32" });
    for (const name of [`${long}n`, "", "a\0b", "\ud800"]) {
      await expect(warehouse.describe(named(name), signal)).rejects.toMatchObject({
        failure: "not-found",
      });
    }
  });

  test("show what the user may read", async () => {
    await server.administer([
      "CREATE SCHEMA closed",
      "CREATE TABLE closed.secret (a int)",
      "CREATE SCHEMA partly",
      "CREATE TABLE partly.some (a int, b int, c int)",
      "CREATE TABLE partly.none (a int)",
      "INSERT INTO partly.some VALUES (1, 2, 3)",
      "GRANT USAGE ON SCHEMA partly TO reader",
      "GRANT SELECT (a, c) ON partly.some TO reader",
    ]);
    expect(await warehouse.listSchemas("shop", signal)).not.toContain("closed");
    expect(await warehouse.listTables("shop", "partly", signal)).toEqual(["some"]);
    expect(await readAll(named("some", "partly"))).toEqual([["1", "3"]]);
    for (const table of [named("secret", "closed"), named("none", "partly")]) {
      await expect(warehouse.describe(table, signal)).rejects.toMatchObject({
        failure: "refused",
        message: expect.stringContaining("does not allow this user to read the table"),
      });
    }
  });

  test("that changed since they were described are read as they are now, or say so", async () => {
    await server.prepare(["CREATE TABLE sales.moving (a int, b text, c int)"]);
    const schema = await warehouse.describe(named("moving"), signal);
    await server.administer([
      "ALTER TABLE sales.moving DROP COLUMN c, ALTER COLUMN a TYPE text, ALTER COLUMN b TYPE bytea USING ''",
      "INSERT INTO sales.moving VALUES ('12', 'x'), ('9', 'x')",
    ]);
    const read = { table: named("moving"), schema, filter: null, limit: null };
    // The reader compares numbers, the source would compare texts: nothing is pushed.
    const filter = {
      ...({ kind: "comparison", column: "a", op: "gt" } as const),
      value: { type: "number", value: "10" } as const,
    };
    const rows = await reader.rows(warehouse, { ...read, columns: ["a"], filter, limit: 1 });
    expect(rows).toEqual([["12"], ["9"]]);
    await expect(reader.rows(warehouse, { ...read, columns: ["c"] })).rejects.toMatchObject({
      failure: "not-found",
    });
    await expect(reader.rows(warehouse, { ...read, columns: ["b"] })).rejects.toMatchObject({
      failure: "broken",
      message: expect.stringMatching(/"b" of "sales.moving" is Binary .* not Utf8/),
    });
  });
});
