/** Statements before they are planned, by DuckDB's own parser. */

import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BoundParameters } from "../messages.ts";
import { withLiterals } from "./parameters.ts";
import { parseStatement, prepareSelect, withoutEnd } from "./statement.ts";

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:");
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

const tablesOf = async (sql: string): Promise<string[]> =>
  (await parseStatement(connection, sql)).references
    .map(({ catalog, schema, table }) => [catalog, schema, table].filter(Boolean).join("."))
    .sort();

describe("the tables that a statement names", () => {
  it.each<[string, string[]]>([
    ["SELECT 1", []],
    ["SELECT * FROM a, s.b JOIN c.s.d USING (id)", ["a", "c.s.d", "s.b"]],
    ["FROM a UNION ALL FROM A", ["A", "a"]],
    ["SELECT (SELECT max(x) FROM a) IN (SELECT y FROM b)", ["a", "b"]],
    ["WITH a AS (FROM b) SELECT * FROM a", ["b"]],
    ["WITH A AS (FROM b) SELECT * FROM a", ["b"]],
    // A schema's table is no expression of that name.
    ["WITH a AS (FROM b) SELECT * FROM s.a", ["b", "s.a"]],
    // A body sees those before it, neither itself nor those behind it.
    ["WITH a AS (FROM a) SELECT * FROM a", ["a"]],
    ["WITH a AS (FROM b), b AS (FROM c) SELECT * FROM a, b", ["b", "c"]],
    ["WITH a AS (FROM x), b AS (FROM a) SELECT * FROM b", ["x"]],
    // What one half defines the other does not see.
    ["(WITH a AS (FROM x) FROM a) UNION ALL FROM a", ["a", "x"]],
    [
      "WITH RECURSIVE r AS (SELECT 1 AS n FROM start UNION ALL SELECT n + 1 FROM r, step) FROM r",
      ["start", "step"],
    ],
    // Its first side does not see itself.
    ["WITH RECURSIVE r AS (FROM r UNION ALL SELECT r.* FROM r, step) FROM r", ["r", "step"]],
  ])("are found in %s", async (sql, tables) => {
    expect(await tablesOf(sql)).toEqual(tables);
  });

  it("are no files, and none behind forbidden functions; the fault says where", async () => {
    const fault = (sql: string) => parseStatement(connection, sql).catch((error: unknown) => error);
    expect(await fault("SELECT * FROM 'x.csv'")).toMatchObject({ failure: "not-allowed" });
    const sql = "SELECT 1, getenv('HOME')";
    expect(await fault(sql)).toMatchObject({
      failure: "not-allowed",
      offset: sql.indexOf("getenv"),
    });
    // It cannot be set by who writes the statement.
    const deep = await fault(`SELECT ${"abs(".repeat(2000)}1${")".repeat(2000)}`);
    expect(deep).toMatchObject({
      failure: "invalid",
      message: expect.stringContaining("nests too deeply"),
    });
  });

  it("come with what is looked up of the catalog", async () => {
    const looks = async (sql: string) => (await parseStatement(connection, sql)).looksAt;
    expect(await looks("FROM a")).toBe("tables");
    expect(await looks("SHOW TABLES")).toBe("names");
    expect(await looks("FROM information_schema.columns")).toBe("columns");
  });

  it("come with its parameters", async () => {
    const of = async (sql: string) =>
      [...(await parseStatement(connection, sql)).parameters].sort();
    expect(await of("SELECT $b, $a, $b")).toEqual(["a", "b"]);
    expect(await of("SELECT ?, ?")).toEqual(["1", "2"]);
    await expect(of("SELECT ?, $a")).rejects.toThrow("all by position or all by name");
  });
});

describe("a second look", () => {
  it("takes one SELECT alone", async () => {
    (await prepareSelect(connection, "SELECT 1;")).destroySync();
    await expect(prepareSelect(connection, "SELECT 1; SELECT 2")).rejects.toThrow("several");
    await expect(prepareSelect(connection, "CREATE TABLE t (a INTEGER)")).rejects.toThrow("SELECT");
  });
});

describe("a statement's end", () => {
  it.each([
    ["SELECT 1;", "SELECT 1"],
    ["SELECT 1 ; ;\n", "SELECT 1"],
    ["SELECT 1\n-- the end\n;", "SELECT 1"],
    ["SELECT '\n-- no comment'", "SELECT '\n-- no comment'"],
    ["SELECT '\n--;", "SELECT '\n--"],
  ])("is taken off %j", async (sql, bare) => {
    expect(await withoutEnd(connection, sql)).toBe(bare);
  });
});

describe("literals for parameters", () => {
  const rowOf = async (sql: string, values: BoundParameters) => {
    const text = await withLiterals(connection, sql, values);
    expect(text).not.toMatch(/\$|\?/);
    const rows = await (await connection.run(text)).getRowsJson();
    return rows[0];
  };

  it("have the values and types of what was given", async () => {
    const values: BoundParameters = {
      text: 'it\'s; DROP -- "x"',
      yes: true,
      small: 7,
      large: 2 ** 40,
      half: 0.5,
      wide: { integer: "170141183460469231731687303715884105727" },
      none: null,
    };
    const names = Object.keys(values);
    const sql = `SELECT ${names.map((name) => `$${name}`).join(", ")}, typeof($small), typeof($large), typeof($wide), typeof($half)`;
    expect(await rowOf(sql, values)).toEqual([
      values["text"],
      true,
      7,
      String(2 ** 40),
      0.5,
      "170141183460469231731687303715884105727",
      null,
      "INTEGER",
      "BIGINT",
      "HUGEINT",
      "DOUBLE",
    ]);
  });

  it("stand by position too, and leave texts that look like parameters", async () => {
    expect(await rowOf("SELECT ?, 'a', ?", { 1: 1, 2: "b" })).toEqual([1, "a", "b"]);
    const kept = "SELECT '$a' AS t";
    expect(await withLiterals(connection, kept, {})).toBe(kept);
  });

  it("are none where a value is missing", async () => {
    const sql = "SELECT $a, $b";
    expect(await withLiterals(connection, sql, { a: 1 })).toBe(sql);
  });
});
