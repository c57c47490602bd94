import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { JsonRows } from "./json-rows.ts";
import { jsonEncoderOf } from "./json-values.ts";

it.each([
  ["DATE '2024-02-29'", "2024-02-29"],
  ["DATE '0001-01-01' - 1", "0000-12-31"],
  ["DATE '0222-09-04 (BC)'", "-000221-09-04"],
  ["DATE '12000-01-02'", "+012000-01-02"],
  ["DATE '-infinity'", "-infinity"],
  ["TIMESTAMP '2024-02-29 01:02:03.500'", "2024-02-29T01:02:03.5"],
  ["TIMESTAMP '0222-09-04 (BC) 01:02:03.5'", "-000221-09-04T01:02:03.5"],
  ["TIMESTAMP_S '0222-09-04 (BC) 01:02:03'", "-000221-09-04T01:02:03"],
  ["TIMESTAMP_MS '12000-01-02 03:04:05'", "+012000-01-02T03:04:05"],
  ["TIMESTAMP_NS '1969-12-31 23:59:59.000000001'", "1969-12-31T23:59:59.000000001"],
  ["TIMESTAMPTZ '0222-09-04 (BC) 01:02:03.000001+00'", "-000221-09-04T01:02:03.000001Z"],
  ["TIMESTAMPTZ '1969-12-31 23:59:59.25+00'", "1969-12-31T23:59:59.25Z"],
  ["TIMESTAMPTZ '290000-01-01 00:00:00+00'", "+290000-01-01T00:00:00Z"],
  ["TIMESTAMPTZ 'infinity'", "infinity"],
])("%s is %s, as ISO 8601 writes any year", async (sql, text) => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  try {
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    const result = await connection.runAndReadAll(`SELECT ${sql}`);
    const [row = []] = result.getRows();
    expect(jsonEncoderOf(result.columnType(0))(row[0] ?? null)).toBe(JSON.stringify(text));
  } finally {
    instance.closeSync();
  }
});

it.each([
  ["row(1, 2)", "[1,2]"],
  ["[row(1, NULL), NULL]", "[[1,null],null]"],
  ["{'a': row(1, {'b': 2}), 'c': []::INTEGER[]}", '{"a":[1,{"b":2}],"c":[]}'],
  ["{'__proto__': 1, '1': 2, '0': 3}", '{"__proto__":1,"1":2,"0":3}'],
  ["MAP {'k': row('x', 1)}", '{"k":["x",1]}'],
  ["MAP {row(1, 2): 'v'}", '[{"key":[1,2],"value":"v"}]'],
  ["array_value(row(1, 2), row(3, 4))", "[[1,2],[3,4]]"],
  ["union_value(k := row(1, 2))", "[1,2]"],
  ["NULL::STRUCT(a INTEGER)", "null"],
])("%s has all of its members", async (sql, text) => {
  expect(await textOf(sql)).toBe(`[{"v":${text}}]`);
});

// To make one takes seconds.
it.runIf(process.env["DISTILLERY_LONG"])(
  "refuses a text that is longer than any of JavaScript's",
  async () => {
    await expect(textOf("repeat(repeat('x', 1000000), 540)")).rejects.toThrow("first row");
  },
);

async function textOf(sql: string): Promise<string> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  try {
    const connection = await instance.connect();
    const result = await connection.run(`SELECT ${sql}`);
    const rows = new JsonRows(["v"], result.columnTypes(), { maxRows: 10, maxBytes: 1000 });
    const chunk = await result.fetchChunk();
    const pieces = chunk === null ? [] : [...rows.encode(chunk), ...rows.end()];
    return Buffer.concat(pieces).toString();
  } finally {
    instance.closeSync();
  }
}
