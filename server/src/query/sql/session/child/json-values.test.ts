import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
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
