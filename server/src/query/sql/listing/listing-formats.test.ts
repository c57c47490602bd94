import { gzipSync, zstdCompressSync } from "node:zlib";
import {
  DateDay,
  Field,
  Int32,
  Int64,
  Schema,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { describe, expect, it } from "vitest";
import { COLUMNS, useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

function arrow(kind: "file" | "stream"): Uint8Array {
  const table = new Table({
    id: vectorFromArray([1n, 2n, 3n], new Int64()),
    name: vectorFromArray(['a "quoted", text', null, ""], new Utf8()),
  });
  return tableToIPC(table, kind);
}

describe("formats", () => {
  const CSV = 'id,name\n1,"a ""quoted"", text"\n2,\n3,""\n';
  const NDJSON = '{"id":1,"name":"a \\"quoted\\", text"}\n{"id":2}\n{"id":3,"name":""}\n';
  const ARRAY =
    '[{"id":1,"name":"a \\"quoted\\", text"},\n {"id":2,"name":null},{"id":3,"name":""}]';
  const EXPECTED = [
    { id: "1", name: 'a "quoted", text' },
    { id: "2", name: null },
    { id: "3", name: "" },
  ];
  const made: [string, () => Promise<Uint8Array> | Uint8Array | string][] = [
    ["a.csv", () => CSV],
    ["a.csv.gz", () => gzipSync(CSV)],
    ["a.CSV.ZST", () => zstdCompressSync(CSV)],
    ["a.tsv", () => CSV.replaceAll(/,(?! )/g, "\t")],
    ["a.ndjson", () => NDJSON],
    ["a.jsonl.gz", () => gzipSync(NDJSON)],
    ["a.json", () => ARRAY],
    ["a.json.zst", () => zstdCompressSync(ARRAY)],
    ["a.arrow", () => arrow("file")],
    ["a.feather", () => arrow("file")],
    ["a.arrows", () => arrow("stream")],
    [
      "a.parquet",
      () =>
        tables.parquet(
          `SELECT * FROM (VALUES (1::BIGINT, 'a "quoted", text'), (2, NULL), (3, '')) t(id, name)`,
        ),
    ],
  ];

  it.each(made)("infers and reads %s", async (key, bytes) => {
    tables.objects.put(`t/${key}`, await bytes());
    const scan = tables.listing();
    expect(await tables.columnsOf(scan)).toEqual(["id Int64", "name Utf8"]);
    expect(await tables.session.read(scan)).toEqual(EXPECTED);
  });

  it.each(made)("reads %s by a snapshot", async (key, bytes) => {
    tables.objects.put(`t/${key}`, await bytes());
    const scan = tables.listing({ fileSchema: COLUMNS });
    expect(await tables.session.read(scan)).toEqual(EXPECTED);
    expect(tables.objects.ranges).toEqual([]);
  });

  it.each(made)("gives NULL for columns that %s does not have", async (key, bytes) => {
    tables.objects.put(`t/${key}`, await bytes());
    const fileSchema = new Schema([
      new Field("missing", new DateDay(), true),
      ...COLUMNS.fields.slice(0, 1),
    ]);
    expect(await tables.session.read(tables.listing({ fileSchema }))).toEqual(
      EXPECTED.map(({ id }) => ({ missing: null, id })),
    );
  });

  it.each(made)("refuses to leave out what may not be NULL in %s", async (key, bytes) => {
    tables.objects.put(`t/${key}`, await bytes());
    const fileSchema = new Schema([...COLUMNS.fields, new Field("missing", new Int32(), false)]);
    await expect(tables.session.read(tables.listing({ fileSchema }))).rejects.toThrow(
      /shop\.main\.sales: .*(?:has no column missing|the column missing has no value)/,
    );
  });

  it.each(made)("names what contradicts the snapshot in %s", async (key, bytes) => {
    tables.objects.put(`t/${key}`, await bytes());
    const fileSchema = new Schema([new Field("name", new Int64(), true)]);
    await expect(tables.session.read(tables.listing({ fileSchema }))).rejects.toThrow(
      /shop\.main\.sales: (?=.*\ba\.)(?=.*column name).*Int64/i,
    );
  });

  it.each(made)("counts the rows of %s without its columns", async (key, bytes) => {
    tables.objects.put(`t/${key}`, await bytes());
    const rows = await tables.session.read(
      tables.listing(),
      { columns: [] },
      { select: "count(*) AS n" },
    );
    expect(rows).toEqual([{ n: "3" }]);
  });

  it("reads hostile names of columns, tables and files", async () => {
    const name = `a'"b\\ ${"é"}`;
    tables.objects.put(`t/it's "one".csv`, `"${name.replaceAll('"', '""')}",b\n1,x\n`);
    tables.objects.put(`t/j's.json`, JSON.stringify([{ [name]: 1, b: "x" }]));
    for (const path of [`s3://data/t/it's "one".csv`, "s3://data/t/j's.json"]) {
      expect(await tables.session.read(tables.listing({ paths: [path] }))).toEqual([
        { [name]: "1", b: "x" },
      ]);
    }
  });
});
