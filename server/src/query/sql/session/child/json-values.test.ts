import { type DuckDBDataChunk, DuckDBInstance, type DuckDBType } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnWriterOf } from "./json-columns.ts";
import { JsonRows } from "./json-rows.ts";
import { JsonText, RowTooLong } from "./json-text.ts";
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
  ["[-0.0::DOUBLE, 0.0::DOUBLE, -1e-7::DOUBLE]", "[-0.0,0,-1e-7]"],
  ["['-0'::FLOAT, '0'::FLOAT, '0.1'::FLOAT]", "[-0.0,0,0.1]"],
])("%s has all of its members, signs of zeros too", async (sql, text) => {
  expect(await textOf(sql)).toBe(`[{"v":${text}}]`);
});

describe("a value that is longer than an answer", () => {
  /** Of what is added to an answer of a thousand bytes before it is given up. */
  class Counted extends JsonText {
    pieces = 0;
    override add(text: string): void {
      this.pieces++;
      super.add(text);
    }
  }
  const piecesOf = async (sql: string, most: number): Promise<number> =>
    withChunk(sql, (chunk, [type]) => {
      const text = new Counted(most);
      const write = columnWriterOf(type!)(duckdb.data_chunk_get_vector(chunk.chunk, 0), 1);
      expect(() => write(0, text)).toThrow(RowTooLong);
      return text.pieces;
    });

  it.each([
    ["range(n)", 0],
    ["repeat('x', n)", 0],
    ["repeat('x', n)::BLOB", 0],
    ["[repeat('x', n)]", 1],
    ["{'a': 1, 'b': range(n)}", 5],
    ["union_value(a := range(n))", 0],
  ])("is given up before it is read: %s", async (sql, most) => {
    expect(await piecesOf(sql, 1000)).toBeLessThanOrEqual(most);
  });

  it.each([
    ["[repeat('x', 10000) FOR i IN range(n // 1000)]", 100_000],
    ["MAP(range(n // 10), range(n // 10))", 100_000],
    ["{'a': [[i, i] FOR i IN range(n // 10)]}", 100_000],
  ])("is given up where it gets too long: %s", async (sql, most) => {
    // No item has less than a character.
    expect(await piecesOf(sql, 200_000)).toBeLessThan(4 * most);
  });

  it("leaves its row out, or is told where it is the first", async () => {
    const sql = (first: number) =>
      `SELECT range(CASE WHEN i = ${first} THEN 1000 ELSE 2 END) AS v FROM range(3) t(i)`;
    expect(await rowsOf(sql(1))).toEqual(['[{"v":[0,1]}]', true]);
    await expect(rowsOf(sql(0))).rejects.toThrow(
      "The first row of the result is longer than the 1000 bytes that an answer holds",
    );
  });

  it("is one as soon as a byte is too many, whatever characters it has", async () => {
    const value = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.array(fc.constantFrom("a", "\u00e9", "\u20ac", "\u{1f600}", '"', "\n"), { maxLength: 8 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { minLength: 1, maxLength: 6 }),
        fc.nat(120),
        async (values, room) => {
          const texts = values.map((one) => (typeof one === "string" ? [one] : one));
          const rows = texts.map(
            (one) =>
              `([${one.map((text) => `'${text.replaceAll("'", "''").replaceAll("\0", "")}'`).join(", ")}]::VARCHAR[])`,
          );
          const objects = texts.map((one) =>
            JSON.stringify({ v: one.map((text) => text.replaceAll("\0", "")) }),
          );
          let expected = "[]";
          for (let count = 1; count <= objects.length; count++) {
            const text = `[${objects.slice(0, count).join(",")}]`;
            if (Buffer.byteLength(text) > room) break;
            expected = text;
          }
          const answer = rowsOf(`SELECT v FROM (VALUES ${rows.join(", ")}) t(v)`, room);
          if (expected === "[]") await expect(answer).rejects.toThrow("first row");
          else expect((await answer)[0]).toBe(expected);
        },
      ),
      { numRuns: 60 },
    );
  });
});

async function textOf(value: string): Promise<string> {
  return (await rowsOf(`SELECT ${value} AS v`))[0];
}

/** The rows that an answer of so many bytes has, and whether some are left out. */
const rowsOf = (sql: string, maxBytes = 1000): Promise<[string, boolean]> =>
  withChunk(sql, (chunk, types) => {
    const rows = new JsonRows(["v"], types, { maxRows: 10, maxBytes });
    const pieces = [...rows.encode(chunk), ...rows.end()];
    return [Buffer.concat(pieces).toString(), rows.truncated];
  });

async function withChunk<Answer>(
  sql: string,
  use: (chunk: DuckDBDataChunk, types: readonly DuckDBType[]) => Answer,
): Promise<Answer> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  try {
    const connection = await instance.connect();
    // Of a column's value nothing is computed before the statement runs.
    const statement = sql.startsWith("SELECT") ? sql : `SELECT ${sql} FROM (SELECT 5000000 AS n)`;
    const result = await connection.run(statement);
    const chunk = await result.fetchChunk();
    if (chunk === null) throw new Error("a statement has a row");
    return use(chunk, result.columnTypes());
  } finally {
    instance.closeSync();
  }
}
