import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync, zstdCompressSync } from "node:zlib";
import {
  type DataType,
  DateDay,
  Field,
  Float64,
  Int32,
  makeData,
  Schema,
  Table,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  tableToIPC,
  Vector,
} from "apache-arrow";
import { describe, expect, it } from "vitest";
import { ScanError } from "../scan.ts";
import { COLUMNS, useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

describe("text files", () => {
  it("matches columns by their names in each file", async () => {
    tables.objects.put("t/1.csv", "id,name,more\n1,a,x\n");
    tables.objects.put("t/2.csv", "name,id\nb,2\n");
    const rows = await tables.session.read(tables.listing({ fileSchema: COLUMNS }));
    expect(rows).toEqual([
      { id: "1", name: "a" },
      { id: "2", name: "b" },
    ]);
  });

  it("reads files without a header by position", async () => {
    tables.objects.put("t/1.csv", "1,a\n2,b\n");
    const options = { formatOptions: { "format.has_header": "false" } };
    expect(await tables.columnsOf(tables.listing({ options }))).toEqual([
      "column_1 Int64",
      "column_2 Utf8",
    ]);
    expect(await tables.session.read(tables.listing({ options, fileSchema: COLUMNS }))).toEqual([
      { id: "1", name: "a" },
      { id: "2", name: "b" },
    ]);
  });

  it("takes the options of the format", async () => {
    tables.objects.put("t/1.csv", "id;day;at\n# none\n1;31.12.2024;31.12.2024 10:05\nNA;-;NA\n");
    const options = {
      formatOptions: {
        delimiter: ";",
        comment: "#",
        null_regex: "^(NA|-)$",
        date_format: "%d.%m.%Y",
        timestamp_format: "%d.%m.%Y %H:%M",
      },
    };
    const fileSchema = new Schema([
      new Field("id", new Int32(), true),
      new Field("day", new DateDay(), true),
      new Field("at", new TimestampMicrosecond(), true),
    ]);
    const expected = [
      { id: 1, day: "2024-12-31", at: "2024-12-31 10:05:00" },
      { id: null, day: null, at: null },
    ];
    expect(await tables.session.read(tables.listing({ options, fileSchema }))).toEqual(expected);
    const inferred = await tables.session.read(tables.listing({ options }));
    expect(inferred).toEqual(expected.map((row) => ({ ...row, id: row.id && "1" })));
  });

  it("keeps whole numbers whole", async () => {
    tables.objects.put("t/1.csv", "id,name\n1.0,a\n");
    expect(await tables.session.read(tables.listing({ fileSchema: COLUMNS }))).toEqual([
      { id: "1", name: "a" },
    ]);
    tables.objects.put("t/1.csv", "id,name\n1.5,a\n");
    await expect(tables.session.read(tables.listing({ fileSchema: COLUMNS }))).rejects.toThrow(
      "shop.main.sales: 1.csv: the column id has 1.5, which is not of type Int64",
    );
  });

  it("widens types over files, and takes text where they differ", async () => {
    tables.objects.put("t/1.csv", "a,b\n1,1\n");
    tables.objects.put("t/2.csv", "b,a,c\nx,1.5,true\n");
    expect(await tables.columnsOf(tables.listing())).toEqual(["a Float64", "b Utf8", "c Bool"]);
    expect(await tables.session.read(tables.listing())).toEqual([
      { a: 1, b: "1", c: null },
      { a: 1.5, b: "x", c: true },
    ]);
  });

  it("infers a large file from its first lines", async () => {
    const line = `1,"${"x".repeat(1000)}\n"\n`;
    tables.objects.put("t/1.csv", `id,name\n${line.repeat(17_500)}`);
    expect(await tables.columnsOf(tables.listing())).toEqual(["id Int64", "name Utf8"]);
    tables.objects.put(
      "t/1.json",
      `[${`{"id":1,"name":"${"x".repeat(1000)}"},\n`.repeat(17_500)}{}]`,
    );
    const paths = ["s3://data/t/1.json"];
    expect(await tables.columnsOf(tables.listing({ paths }))).toEqual(["id Int64", "name Utf8"]);
  });

  it("undoes a compression that names do not tell", async () => {
    tables.objects.put("t/1.csv", gzipSync("id,name\n1,a\n"));
    const options = { formatOptions: { compression: "gzip" } };
    expect(await tables.session.read(tables.listing({ options }))).toEqual([
      { id: "1", name: "a" },
    ]);
  });

  it("does not fetch a huge file only to see its columns", async () => {
    tables.objects.put("t/1.csv.gz", gzipSync("id,name\n1,a\n"));
    const { objects } = tables;
    const { list } = objects;
    tables.objects.list = async function* (prefix, signal) {
      for await (const object of list.call(objects, prefix, signal))
        yield { ...object, bytes: 2 ** 31 };
    };
    await expect(tables.session.read(tables.listing())).rejects.toThrow(
      /would be fetched whole to see its columns/,
    );
    expect(tables.objects.reads).toEqual([]);
  });

  it("takes no file for whole whose compression was cut short", async () => {
    const line = (i: number): string => `${i},x${(i * 7919) % 10_007}\n`;
    const csv = `id,name\n${Array.from({ length: 50_000 }, (_, i) => line(i)).join("")}`;
    const json = Array.from({ length: 50_000 }, (_, id) => `{"id":${id},"name":"x"}\n`).join("");
    for (const [key, packed] of [
      ["t/1.csv.gz", gzipSync(csv)],
      ["t/1.csv.zst", zstdCompressSync(csv)],
      ["t/1.csv.zst", Buffer.concat([zstdCompressSync("id,name\n0,a\n"), zstdCompressSync(csv)])],
      ["t/1.ndjson.gz", gzipSync(json)],
      ["t/1.ndjson.zst", zstdCompressSync(json)],
    ] as const) {
      for (const cut of [1, 4, 20, Math.floor(packed.length / 2)]) {
        tables.objects.put(key, packed.subarray(0, -cut));
        await expect(tables.session.read(tables.listing()), `${key} -${cut}`).rejects.toThrow(
          /t\/1\.\w+\.\w+ cannot be read/,
        );
      }
      tables.objects.delete(key);
    }
  });

  it("reads every frame of what Zstandard packed piece by piece, in any encoding", async () => {
    const frames = ["id,name\n1,M\xfcller\n", "2,b\n", "3,c\n"];
    const packed = frames.map((text) => zstdCompressSync(Buffer.from(text, "latin1")));
    const skipped = Buffer.from("502a4d1803000000aabbcc", "hex");
    tables.objects.put("t/1.csv.zst", Buffer.concat([skipped, ...packed]));
    expect(await tables.session.read(tables.listing())).toEqual([
      { id: "1", name: "Müller" },
      { id: "2", name: "b" },
      { id: "3", name: "c" },
    ]);
  });

  it("tells of files that are no text or not compressed as they say", async () => {
    tables.objects.put("t/1.csv.gz", "id,name\n1,a\n");
    await expect(tables.session.read(tables.listing())).rejects.toThrow(
      /t\/1\.csv\.gz cannot be read/,
    );
    tables.objects.delete("t/1.csv.gz");
    tables.objects.put("t/1.csv", "id,name\n1\n1,2,3\n");
    await expect(tables.session.read(tables.listing())).rejects.toThrow(
      "shop.main.sales: t/1.csv: row 1 has 1 field, and there are 2 columns",
    );
  });
});

describe("Parquet", () => {
  it("promotes types over files and attaches missing columns", async () => {
    tables.objects.put("t/1.parquet", await tables.parquet("SELECT 1::INTEGER AS a, 'x' AS b"));
    tables.objects.put("t/2.parquet", await tables.parquet("SELECT 2.5::DOUBLE AS a, true AS c"));
    expect(await tables.columnsOf(tables.listing())).toEqual(["a Float64", "b Utf8", "c Bool"]);
    expect(await tables.session.read(tables.listing())).toEqual([
      { a: 1, b: "x", c: null },
      { a: 2.5, b: null, c: true },
    ]);
  });

  it("infers from footers alone", async () => {
    for (let file = 0; file < 20; file++) {
      tables.objects.put(
        `t/${file}.parquet`,
        await tables.parquet(`SELECT ${file} AS a FROM range(50000)`),
      );
    }
    expect(await tables.columnsOf(tables.listing())).toEqual(["a Int32"]);
    expect(tables.objects.reads).toEqual([]);
    expect(tables.objects.ranges).toHaveLength(8);
    // What is known of versions is not looked up again.
    await tables.columnsOf(tables.listing());
    expect(tables.objects.ranges).toHaveLength(8);
  });

  it("fetches a footer that is longer than the first read", async () => {
    const columns = Array.from({ length: 4000 }, (_, at) => `${at} AS a_long_name_${at}`);
    tables.objects.put("t/1.parquet", await tables.parquet(`SELECT ${columns.join(", ")}`));
    expect(await tables.columnsOf(tables.listing())).toHaveLength(4000);
    expect(tables.objects.ranges).toHaveLength(2);
  });

  it("believes no footer that says it is enormous", async () => {
    const bytes = Buffer.alloc(70 << 20);
    bytes.writeUInt32LE(bytes.length - 8, bytes.length - 8);
    tables.objects.put("t/1.parquet", bytes);
    await expect(tables.session.read(tables.listing())).rejects.toThrow(
      /t\/1\.parquet has a footer of 734/,
    );
    expect(tables.objects.ranges).toHaveLength(1);
  });

  it("names files whose types contradict each other or the snapshot", async () => {
    tables.objects.put("t/1.parquet", await tables.parquet("SELECT 1::BIGINT AS id, 'x' AS name"));
    tables.objects.put("t/2.parquet", await tables.parquet("SELECT 'x' AS id, 'x' AS name"));
    await expect(tables.session.read(tables.listing())).rejects.toThrow(
      "shop.main.sales: the column id is Int64 in t/1.parquet and Utf8 in t/2.parquet",
    );
    await expect(tables.session.read(tables.listing({ fileSchema: COLUMNS }))).rejects.toThrow(
      new ScanError(
        "shop.main.sales: the column id is Utf8 in t/2.parquet, and the snapshot has it as Int64",
      ),
    );
  });

  it("does not cast with loss, but takes any unit of time that holds the value", async () => {
    tables.objects.put("t/1.parquet", await tables.parquet("SELECT 1::BIGINT AS id, 'x' AS name"));
    const narrow = new Schema([new Field("id", new Int32(), true)]);
    await expect(tables.session.read(tables.listing({ fileSchema: narrow }))).rejects.toThrow(
      /Int64.*Int32/,
    );
    tables.objects.put(
      "t/1.parquet",
      await tables.parquet("SELECT TIMESTAMP '2024-01-01 00:00:00.001' AS at, 1::INTEGER AS n"),
    );
    const fileSchema = new Schema([
      new Field("at", new TimestampMillisecond(), true),
      new Field("n", new Float64(), true),
    ]);
    const rows = await tables.session.read(tables.listing({ fileSchema }));
    expect(rows).toEqual([{ at: "2024-01-01 00:00:00.001", n: 1 }]);
    tables.objects.put(
      "t/1.parquet",
      await tables.parquet("SELECT TIMESTAMP '2024-01-01 00:00:00.0015' AS at"),
    );
    await expect(tables.session.read(tables.listing({ fileSchema }))).rejects.toThrow(
      "shop.main.sales: the column at of t/1.parquet has times finer than Timestamp<MILLISECOND>",
    );
  });

  it.each([
    ["TIMESTAMP_NS", new TimestampSecond()],
    ["TIMESTAMP_NS", new TimestampMillisecond()],
    ["TIMESTAMP", new TimestampSecond()],
    ["TIMESTAMP", new TimestampNanosecond()],
    ["DATE", new TimestampNanosecond()],
    ["DATE", new TimestampSecond()],
  ])("reads %s as %s", async (type, wanted) => {
    const select = `SELECT CAST(TIMESTAMP '1999-12-31' AS ${type}) AS at UNION ALL SELECT NULL`;
    tables.objects.put("t/1.parquet", await tables.parquet(select));
    const fileSchema = new Schema([new Field("at", wanted, true)]);
    const rows = await tables.session.read(tables.listing({ fileSchema }));
    expect(rows).toEqual([{ at: "1999-12-31 00:00:00" }, { at: null }]);
  });

  it("reads times of any unit from any year, and names the file and column of those that do not fit", async () => {
    const years = [-62_135_596_800n, 0n, 253_402_300_799n];
    const at = (unit: TimestampSecond | TimestampMillisecond, perSecond: bigint) =>
      new Vector([
        makeData({
          type: unit,
          length: years.length + 1,
          nullBitmap: Uint8Array.of(0b0111),
          data: BigInt64Array.of(...years.map((second) => second * perSecond), 0n),
        }),
      ]);
    const seconds = at(new TimestampSecond(), 1n);
    const milliseconds = at(new TimestampMillisecond(), 1000n);
    tables.objects.put("t/1.arrow", tableToIPC(new Table({ seconds, milliseconds }), "file"));
    const expected = ["0001-01-01 00:00:00", "1970-01-01 00:00:00", "9999-12-31 23:59:59", null];
    const rows = expected.map((time) => ({ seconds: time, milliseconds: time }));
    expect(await tables.session.read(tables.listing())).toEqual(rows);
    const asked = (type: DataType) =>
      tables.listing({
        fileSchema: new Schema([
          new Field("seconds", type, true),
          new Field("milliseconds", type, true),
        ]),
      });
    expect(await tables.session.read(asked(new TimestampMicrosecond()))).toEqual(rows);
    expect(await tables.session.read(asked(new TimestampSecond()))).toEqual(rows);
    await expect(tables.session.read(asked(new TimestampNanosecond()))).rejects.toThrow(
      "shop.main.sales: the column seconds of t/1.arrow has times beyond what Timestamp<NANOSECOND> holds here",
    );
    const dates = "SELECT DATE '1677-09-21' AS at UNION ALL SELECT DATE '2024-01-01'";
    tables.renew().put("t/1.parquet", await tables.parquet(dates));
    const nanoseconds = new Schema([new Field("at", new TimestampNanosecond(), true)]);
    await expect(tables.session.read(tables.listing({ fileSchema: nanoseconds }))).rejects.toThrow(
      "the column at of t/1.parquet has times beyond what Timestamp<NANOSECOND> holds here",
    );
  });

  it.each(["f", "g"])("finds NaN in row groups whose statistics are of less: %s", async (name) => {
    const path = new URL("./fixtures/nan-among-numbers.parquet", import.meta.url);
    tables.objects.put("t/1.parquet", await readFile(fileURLToPath(path)));
    const wide = new Schema([new Field(name, new Float64(), true)]);
    for (const given of [{}, { fileSchema: wide }]) {
      const count = async (where: string): Promise<unknown> =>
        (
          await tables.session.read(tables.listing(given), {}, { select: "count(*) AS n", where })
        )[0];
      expect(await count(`${name} > 1000`)).toEqual({ n: "8" });
      expect(await count(`${name} >= 79`)).toEqual({ n: "18" });
      expect(await count(`${name} = 'nan'`)).toEqual({ n: "8" });
      expect(await count(`${name} IN ('nan', 1000)`)).toEqual({ n: "8" });
      expect(await count(`NOT ${name} < 1000`)).toEqual({ n: "8" });
      expect(await count(`CAST(${name} AS VARCHAR) = '-0.0'`)).toEqual({ n: "8" });
    }
  });

  it("reads what lies beside a time that SQL cannot hold", async () => {
    const path = new URL("./fixtures/distant-time.parquet", import.meta.url);
    tables.objects.put("t/1.parquet", await readFile(fileURLToPath(path)));
    expect(await tables.columnsOf(tables.listing())).toEqual([
      "id Int64",
      "made Timestamp<MICROSECOND>",
    ]);
    const need = { columns: ["id"] };
    expect(await tables.session.read(tables.listing(), need)).toEqual([{ id: "1" }, { id: "2" }]);
  });

  it("names a damaged file among others", async () => {
    for (let file = 0; file < 3; file++) {
      tables.objects.put(
        `t/${file}.parquet`,
        await tables.parquet("SELECT 1::BIGINT AS id, 'x' AS name"),
      );
    }
    tables.objects.put("t/1.parquet", "PAR1 this is none, and says so PAR1");
    await expect(tables.session.read(tables.listing({ fileSchema: COLUMNS }))).rejects.toThrow(
      /shop\.main\.sales: t\/1\.parquet cannot be read/,
    );
  });
});
