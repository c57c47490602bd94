import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import {
  Field,
  Float64,
  makeData,
  Null,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableToIPC,
} from "apache-arrow";
import { describe, expect, it } from "vitest";
import { DataLimitError, READ_LIMITS, type ReadLimits } from "./read-limits.ts";
import { readTable } from "./read-table.ts";
import type { TableFormat } from "./reading.ts";

const KIB = 1024;

async function limitOf(
  format: TableFormat,
  source: Uint8Array | string | Iterable<Uint8Array>,
  limits: Partial<ReadLimits> = {},
): Promise<string> {
  const bytes =
    typeof source === "string"
      ? [Buffer.from(source)]
      : source instanceof Uint8Array
        ? [source]
        : source;
  try {
    const { table } = await readTable(bytes, { format, limits: { ...READ_LIMITS, ...limits } });
    return `${table.rows} × ${table.columns.length}`;
  } catch (error) {
    if (!(error instanceof DataLimitError)) throw error;
    expect(error.message).toMatch(/limit|may have/);
    return error.limit;
  }
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `c${i}`);
const wideCsv = (columns: number, rows: number): string =>
  `${names(columns).join(",")}\n${`${names(columns).join(",")}\n`.repeat(rows)}`;

describe("limits of reading", () => {
  it("on a dictionary whose one text is unpacked for each of many rows, by the column's name", async () => {
    const file = new URL("fixtures/long-dictionary.parquet", import.meta.url);
    const tableBytes = 256 * KIB * KIB;
    const limits = { ...READ_LIMITS, tableBytes };
    const reading = readTable([await readFile(file)], { format: "parquet", limits });
    await expect(reading).rejects.toMatchObject({
      limit: "tableBytes",
      maximum: tableBytes,
      column: "long",
      message: expect.stringContaining("256 MiB"),
    });
  });

  it("on columns, of every format", async () => {
    expect(await limitOf("csv", wideCsv(16_385, 1))).toBe("columns");
    expect(await limitOf("csv", wideCsv(10, 3), { columns: 10 })).toBe("3 × 10");
    const lines = names(12).map((name) => `{"${name}":1}\n`);
    expect(await limitOf("ndjson", lines.join(""), { columns: 10 })).toBe("columns");
    const arrow = tableToIPC(
      new Table(new Schema(names(12).map((n) => new Field(n, new Float64())))),
    );
    expect(await limitOf("arrow", arrow, { columns: 10 })).toBe("columns");
  });

  it("on the table's bytes, where rows of nothing are announced", async () => {
    const length = 0x7fff_0000;
    const schema = new Schema([new Field("a", new Null(), true)]);
    const children = [makeData({ type: new Null(), length })];
    const batch = new RecordBatch(
      schema,
      makeData({ type: new Struct(schema.fields), length, children }),
    );
    const bytes = tableToIPC(new Table([batch]));
    expect(bytes.length).toBeLessThan(KIB);
    expect(await limitOf("arrow", bytes)).toBe("tableBytes");
  });

  it("on the table's bytes, of cells and of texts", async () => {
    const tableBytes = 64 * KIB;
    expect(await limitOf("csv", wideCsv(8, 2000), { tableBytes })).toBe("tableBytes");
    const texts = Array.from({ length: 2000 }, (_, i) => `{"a":"${i} ${"x".repeat(40)}"}\n`);
    expect(await limitOf("ndjson", texts.join(""), { tableBytes })).toBe("tableBytes");
    expect(await limitOf("ndjson", texts.slice(0, 300).join(""), { tableBytes })).toBe("300 × 1");
  });

  it("on what gzip unpacks to, by its ratio", async () => {
    const limits = { unpackedRatio: 50, unpackedFreeBytes: 100 * KIB };
    const csv = `a\n${"1\n".repeat(400_000)}`;
    expect(await limitOf("csv", gzipSync(csv), limits)).toBe("unpackedRatio");
    expect(await limitOf("csv", gzipSync(csv.slice(0, 20 * KIB)), limits)).toMatch(/ × 1$/);
  });

  it("on a row and on a text", async () => {
    function* endless(): Generator<Uint8Array> {
      yield Buffer.from('{"a":"');
      for (;;) yield Buffer.alloc(KIB, "x");
    }
    for (const format of ["ndjson", "csv"] as const) {
      expect(await limitOf(format, endless(), { rowBytes: 256 * KIB })).toBe("rowBytes");
    }
    const cell = `{"a":"${"x".repeat(2000)}"}\n`;
    expect(await limitOf("ndjson", cell, { cellBytes: KIB })).toBe("cellBytes");
    expect(await limitOf("csv", `a\n${"x".repeat(2000)}\n`, { cellBytes: KIB })).toBe("cellBytes");
  });
});
