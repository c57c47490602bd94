import { readFileSync } from "node:fs";
import { type DuckDBConnection, DuckDBInstance, type DuckDBResult } from "@duckdb/node-api";
import { RecordBatchReader, tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ArrowTypeError } from "./duckdb-type.ts";
import { ArrowStreamEncoder, columnsOf } from "./result-batches.ts";
import { schemaText } from "./testing/arbitrary-schema.ts";
import { type Plain, plainArrow, plainDuckdb } from "./testing/plain-values.ts";
import { randomTable } from "./testing/random-table.ts";

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

async function encoded(result: DuckDBResult): Promise<Uint8Array> {
  const encoder = new ArrowStreamEncoder(columnsOf(result));
  const parts = [encoder.start()];
  for await (const chunk of result) parts.push(...encoder.append(chunk, chunk.rowCount));
  parts.push(...encoder.end());
  const bytes = Buffer.concat(parts);
  expect(encoder.bytes).toBe(bytes.length);
  return bytes;
}

/** The rows of a stream, column by column. */
function decoded(bytes: Uint8Array): Plain[][] {
  const reader = RecordBatchReader.from(bytes).open();
  const columns: Plain[][] = reader.schema.fields.map(() => []);
  for (const batch of reader)
    batch.data.children.forEach((data, i) => {
      for (let row = 0; row < batch.numRows; row++) columns[i]!.push(plainArrow(data, row));
    });
  return columns;
}

async function expected(sql: string): Promise<Plain[][]> {
  const result = await connection.run(sql);
  const columns: Plain[][] = result.columnNames().map(() => []);
  for await (const chunk of result)
    columns.forEach((column, i) => {
      column.push(...chunk.getColumnValues(i).map(plainDuckdb));
    });
  return columns;
}

describe("a result as an Arrow stream", () => {
  it("has the values of random tables", async () => {
    await fc.assert(
      fc.asyncProperty(randomTable(120), async ({ sql, rows }) => {
        const columns = decoded(await encoded(await connection.stream(sql)));
        expect(columns[0]!.length).toBe(rows);
        expect(columns).toEqual(await expected(sql));
      }),
      { numRuns: 120 },
    );
  });

  it.each([
    "SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE i % 2 = 0 END AS b FROM range(200000) t(i)",
    // Strings in the order of their memory, in another, and the same memory for many rows.
    "SELECT 'a text beyond twelve bytes ' || i AS s FROM range(70000) t(i)",
    "SELECT 'a text beyond twelve bytes ' || i AS s FROM range(70000) t(i) ORDER BY hash(i)",
    "SELECT a.s FROM (SELECT i, repeat('x', 13 + i::INTEGER) AS s FROM range(50) t(i)) a JOIN range(70000) t(i) ON a.i = t.i % 50 ORDER BY t.i",
    "SELECT repeat('long ', 3000 + i::INTEGER) AS s, i FROM range(60) t(i)",
    "SELECT list(i ORDER BY i) AS l, i % 7 AS k FROM range(30000) t(i) GROUP BY k ORDER BY k",
    "SELECT [x, NULL, 'another text of some length ' || x] AS l FROM (SELECT 'text of more than twelve ' || i AS x FROM range(9000) t(i))",
    "SELECT NULL AS n, [] AS e, i FROM range(5000) t(i)",
    "SELECT * FROM range(0) t(i)",
  ])("has the rows of: %s", async (sql) => {
    expect(decoded(await encoded(await connection.stream(sql)))).toEqual(await expected(sql));
  });

  it("has no value under a NULL, whatever memory held", async () => {
    const sql =
      "SELECT CASE WHEN i % 2 = 0 THEN NULL ELSE i END AS n, CASE WHEN i % 2 = 0 THEN NULL ELSE i % 4 = 1 END AS b FROM range(100) t(i)";
    const batch = tableFromIPC(await encoded(await connection.stream(sql))).batches[0]!;
    const [numbers, booleans] = batch.data.children;
    expect(numbers!.values[2]).toBe(0n);
    for (const byte of booleans!.values.subarray(0, 12)) expect(byte & 0b01010101).toBe(0);
  });

  it("refuses what Arrow's types cannot hold", async () => {
    await expect(
      encoded(await connection.stream("SELECT 10::HUGEINT ** 38")),
    ).resolves.toBeDefined();
    for (const sign of ["", "-"])
      await expect(
        encoded(
          await connection.stream(`SELECT ${sign}100000000000000000000000000000000000000::HUGEINT`),
        ),
      ).rejects.toThrow("more than the 38 digits");
    await expect(
      encoded(await connection.stream("SELECT to_microseconds(9223372036854775807)")),
    ).rejects.toThrow("beyond Arrow's nanoseconds");
    const members = Array.from({ length: 129 }, (_, i) => `m${i} INTEGER`).join(", ");
    await expect(
      encoded(await connection.stream(`SELECT NULL::UNION(${members}) AS u`)),
    ).rejects.toThrow(ArrowTypeError);
  });

  it("reads a VARIANT as JSON and GEOMETRY as WKB", async () => {
    const [variant, geometry] = decoded(
      await encoded(
        await connection.stream(
          "SELECT {'a': [1, NULL], 'b': 'x'}::VARIANT AS v, 'POINT(1 2)'::GEOMETRY AS g",
        ),
      ),
    );
    expect(JSON.parse(`${variant![0]}`)).toEqual({ a: [1, null], b: "x" });
    expect(geometry![0]).toBe("0101000000000000000000f03f0000000000000040");
  });
});

describe("the bytes of a stream", () => {
  const folder = new URL("./fixtures/results/", import.meta.url);
  const cases: readonly { readonly name: string; readonly sql: string }[] = JSON.parse(
    readFileSync(new URL("queries.json", folder), "utf8"),
  );

  it.each(cases)(
    "$name is what pyarrow was given, and means the same here",
    async ({ name, sql }) => {
      const bytes = await encoded(await connection.stream(sql));
      expect(Buffer.compare(bytes, readFileSync(new URL(`${name}.arrows`, folder)))).toBe(0);
      expect(await expected(sql)).toEqual(
        JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")),
      );
    },
  );
});

describe("a stream with a limit of bytes", () => {
  const sql =
    "SELECT i, repeat('x', (i % 40)::INTEGER) AS s, [i, i] AS l, {'a': i % 3 = 0, 'b': NULL} AS t, CASE WHEN i > 3000 THEN NULL ELSE i END AS n FROM range(6000) t(i)";

  it.each([0, 1000, 5000, 40_000, 100_000, 10_000_000])(
    "of %i has the rows that fit",
    async (maxBytes) => {
      const all = await expected(sql);
      const result = await connection.stream(sql);
      const encoder = new ArrowStreamEncoder(columnsOf(result));
      const parts = [encoder.start()];
      for await (const chunk of result) {
        const { rows, messages } = encoder.appendWithin(chunk, chunk.rowCount, maxBytes);
        parts.push(...messages);
        if (rows < chunk.rowCount) break;
      }
      parts.push(...encoder.end());
      const bytes = Buffer.concat(parts);
      const columns = decoded(bytes);
      expect(columns).toEqual(all.map((column) => column.slice(0, encoder.rows)));
      if (encoder.rows < 6000) {
        expect(encoder.rows === 0 || bytes.length <= maxBytes + 8).toBe(true);
        // Not many more would have fitted.
        expect(encoder.rows).toBeGreaterThanOrEqual(Math.floor((maxBytes - 4000) / 120));
      } else expect(maxBytes).toBe(10_000_000);
    },
  );
});

it("keeps the schema that the columns have", async () => {
  const result = await connection.stream("SELECT 1 AS a, 'x' AS a, 3::HUGEINT AS größe");
  const { schema } = new ArrowStreamEncoder(columnsOf(result));
  const bytes = await encoded(
    await connection.stream("SELECT 1 AS a, 'x' AS a, 3::HUGEINT AS größe"),
  );
  expect(schemaText(RecordBatchReader.from(bytes).open().schema)).toBe(schemaText(schema));
});
