import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { Field, Int32, List, Schema } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseStatement } from "./statement.ts";
import { checkTypeDepth } from "./statement-depth.ts";

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:", { errors_as_json: "true" });
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

const nested = (open: string, inner: string, close: string, times: number): string =>
  open.repeat(times) + inner + close.repeat(times);
const chain = (count: number): string =>
  `WITH c0 AS (SELECT 1 AS a)${Array.from({ length: count - 1 }, (_, i) => `, c${i + 1} AS (FROM c${i})`).join("")} FROM c0`;
const subqueries = (count: number): string =>
  `SELECT ${nested("(SELECT ", "1", ")", count / 2)} + ${nested("(SELECT EXISTS (FROM t WHERE ", "x", "))", count / 2)}`;

describe("a statement", () => {
  it.each([
    ["lists", `SELECT ${nested("[", "1", "]", 250)}`],
    ["CASE", `SELECT ${nested("CASE WHEN x THEN ", "1", " END", 120)} FROM t`],
    ["operators", `SELECT ${"x + ".repeat(250)}x FROM t`],
    ["subqueries as tables", `${nested("SELECT * FROM (", "FROM t", ")", 80)}`],
    ["subqueries in expressions", subqueries(12)],
    ["common table expressions", chain(256)],
    // Beside each other they nest in nothing.
    ["conditions", `SELECT 1 FROM t WHERE ${"x = 1 OR ".repeat(5000)}false`],
    ["brackets in texts", `SELECT '${"{".repeat(1000)}"\\'`],
    ["subqueries side by side", `SELECT ${Array(50).fill("(SELECT max(x) FROM t)").join(", ")}`],
  ])("nests %s so deep", async (_, sql) => {
    expect(await parseStatement(connection, sql)).toMatchObject({ kind: "parsed" });
  });

  it.each([
    ["lists", `SELECT ${nested("[", "1", "]", 260)}`],
    ["lists, as DuckDB says", `SELECT ${nested("[", "1", "]", 2000)}`],
    ["CASE", `SELECT ${nested("CASE WHEN true THEN ", "1", " END", 900)}`],
    ["operators", `SELECT ${"1 + ".repeat(300)}1`],
    ["types", `SELECT NULL::${nested("STRUCT(a ", "INTEGER", ")", 900)}`],
    ["subqueries as tables", nested("SELECT * FROM (", "SELECT 1", ")", 90)],
    ["subqueries as tables, as its grammar says", nested("SELECT * FROM (", "SELECT 1", ")", 3000)],
  ])("is refused for the depth of %s", async (_, sql) => {
    await expect(parseStatement(connection, sql)).rejects.toMatchObject({
      failure: "invalid",
      message: expect.stringContaining("its syntax tree may have 256 levels"),
    });
  });

  it("is refused for the depth of subqueries in expressions, with the place", async () => {
    const sql = `SELECT ${nested("(SELECT ", "1", ")", 13)}`;
    await expect(parseStatement(connection, sql)).rejects.toMatchObject({
      failure: "invalid",
      message: expect.stringContaining("may be nested in 12 levels"),
      offset: expect.any(Number),
    });
  });

  it("is refused for the number of common table expressions, wherever they stand", async () => {
    for (const sql of [chain(257), `${chain(200)}, (${chain(57)})`]) {
      await expect(parseStatement(connection, sql)).rejects.toThrow(
        "may have 256 common table expressions (WITH)",
      );
    }
  });
});

it("columns nest as deep as Arrow's schemas are read", () => {
  const column = (levels: number): Schema => {
    let field: Field = new Field("leaf", new Int32(), true);
    for (let level = 1; level < levels; level++) field = new Field("deep", new List(field), true);
    return new Schema([new Field("flat", new Int32(), true), field]);
  };
  checkTypeDepth(column(64));
  expect(() => checkTypeDepth(column(65))).toThrow(
    'Column "deep" of the result is nested in 65 levels of lists, structs or maps; a column may have 64',
  );
});
