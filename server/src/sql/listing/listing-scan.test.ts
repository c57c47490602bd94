import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import {
  Bool,
  DateDay,
  Field,
  Float64,
  Int32,
  Int64,
  Schema,
  Table,
  TimestampMicrosecond,
  TimestampMillisecond,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ScanError } from "../scan.ts";
import { FileCache } from "./file-cache.ts";
import { type ListingOptions, ListingScan } from "./listing-scan.ts";
import { DuckdbSession } from "./testing/duckdb-session.ts";
import { MemoryObjects } from "./testing/memory-objects.ts";

let session: DuckdbSession;
let folder: string;
let cache: FileCache;
let objects: MemoryObjects;
let scope = 0;

beforeAll(async () => {
  session = await DuckdbSession.open();
  folder = await mkdtemp(join(tmpdir(), "listing-"));
  cache = await FileCache.open({ folder: join(folder, "cache") });
});
afterAll(async () => {
  await cache.close();
  await session.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  objects = new MemoryObjects(`scope-${scope++}`);
});

const COLUMNS = new Schema([
  new Field("id", new Int64(), true),
  new Field("name", new Utf8(), true),
]);

function listing(
  given: {
    paths?: string[];
    fileSchema?: Schema | null;
    options?: Partial<ListingOptions> | null;
  } = {},
): ListingScan {
  const { options = null } = given;
  return new ListingScan({
    tableName: "shop.main.sales",
    objects,
    paths: given.paths ?? ["s3://data/t/"],
    fileSchema: given.fileSchema ?? null,
    options: options && {
      fileType: "csv",
      formatOptions: {},
      fileExtension: "",
      partitionSchema: null,
      ...options,
    },
    cache,
  });
}

/** A Parquet file of a SELECT. */
async function parquet(select: string): Promise<Uint8Array> {
  const { readFile } = await import("node:fs/promises");
  const path = join(folder, "made.parquet");
  await session.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
  return readFile(path);
}

function arrow(kind: "file" | "stream"): Uint8Array {
  const table = new Table({
    id: vectorFromArray([1n, 2n, 3n], new Int64()),
    name: vectorFromArray(['a "quoted", text', null, ""], new Utf8()),
  });
  return tableToIPC(table, kind);
}

const numbers = (rows: readonly Record<string, unknown>[], name: string) =>
  rows.map((row) => Number(row[name])).sort((a, b) => a - b);

/** Columns of a description as `name type`. */
async function columnsOf(scan: ListingScan): Promise<string[]> {
  const { schema } = await scan.describe(session, new AbortController().signal);
  return schema.fields.map(({ name, type }) => `${name} ${type}`);
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
        parquet(
          `SELECT * FROM (VALUES (1::BIGINT, 'a "quoted", text'), (2, NULL), (3, '')) t(id, name)`,
        ),
    ],
  ];

  it.each(made)("infers and reads %s", async (key, bytes) => {
    objects.put(`t/${key}`, await bytes());
    const scan = listing();
    expect(await columnsOf(scan)).toEqual(["id Int64", "name Utf8"]);
    expect(await session.read(scan)).toEqual(EXPECTED);
  });

  it.each(made)("reads %s by a snapshot", async (key, bytes) => {
    objects.put(`t/${key}`, await bytes());
    const scan = listing({ fileSchema: COLUMNS });
    expect(await session.read(scan)).toEqual(EXPECTED);
    expect(objects.ranges).toEqual([]);
  });

  it.each(made)("gives NULL for columns that %s does not have", async (key, bytes) => {
    objects.put(`t/${key}`, await bytes());
    const fileSchema = new Schema([
      new Field("missing", new DateDay(), true),
      ...COLUMNS.fields.slice(0, 1),
    ]);
    expect(await session.read(listing({ fileSchema }))).toEqual(
      EXPECTED.map(({ id }) => ({ missing: null, id })),
    );
  });

  it.each(made)("refuses to leave out what may not be NULL in %s", async (key, bytes) => {
    objects.put(`t/${key}`, await bytes());
    const fileSchema = new Schema([...COLUMNS.fields, new Field("missing", new Int32(), false)]);
    await expect(session.read(listing({ fileSchema }))).rejects.toThrow(
      /shop\.main\.sales: .*(?:has no column missing|the column missing has no value)/,
    );
  });

  it.each(made)("names what contradicts the snapshot in %s", async (key, bytes) => {
    objects.put(`t/${key}`, await bytes());
    const fileSchema = new Schema([new Field("name", new Int64(), true)]);
    await expect(session.read(listing({ fileSchema }))).rejects.toThrow(
      /shop\.main\.sales: (?=.*\ba\.)(?=.*column name).*Int64/i,
    );
  });

  it.each(made)("counts the rows of %s without its columns", async (key, bytes) => {
    objects.put(`t/${key}`, await bytes());
    const rows = await session.read(listing(), { columns: [] }, { select: "count(*) AS n" });
    expect(rows).toEqual([{ n: "3" }]);
  });

  it("reads hostile names of columns, tables and files", async () => {
    const name = `a'"b\\ ${"é"}`;
    objects.put(`t/it's "one".csv`, `"${name.replaceAll('"', '""')}",b\n1,x\n`);
    objects.put(`t/j's.json`, JSON.stringify([{ [name]: 1, b: "x" }]));
    for (const path of [`s3://data/t/it's "one".csv`, "s3://data/t/j's.json"]) {
      expect(await session.read(listing({ paths: [path] }))).toEqual([{ [name]: "1", b: "x" }]);
    }
  });
});

describe("text files", () => {
  it("matches columns by their names in each file", async () => {
    objects.put("t/1.csv", "id,name,more\n1,a,x\n");
    objects.put("t/2.csv", "name,id\nb,2\n");
    const rows = await session.read(listing({ fileSchema: COLUMNS }));
    expect(rows).toEqual([
      { id: "1", name: "a" },
      { id: "2", name: "b" },
    ]);
  });

  it("reads files without a header by position", async () => {
    objects.put("t/1.csv", "1,a\n2,b\n");
    const options = { formatOptions: { "format.has_header": "false" } };
    expect(await columnsOf(listing({ options }))).toEqual(["column_1 Int64", "column_2 Utf8"]);
    expect(await session.read(listing({ options, fileSchema: COLUMNS }))).toEqual([
      { id: "1", name: "a" },
      { id: "2", name: "b" },
    ]);
  });

  it("takes the options of the format", async () => {
    objects.put("t/1.csv", "id;day;at\n# none\n1;31.12.2024;31.12.2024 10:05\nNA;-;NA\n");
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
    expect(await session.read(listing({ options, fileSchema }))).toEqual(expected);
    const inferred = await session.read(listing({ options }));
    expect(inferred).toEqual(expected.map((row) => ({ ...row, id: row.id && "1" })));
  });

  it("keeps whole numbers whole", async () => {
    objects.put("t/1.csv", "id,name\n1.0,a\n");
    expect(await session.read(listing({ fileSchema: COLUMNS }))).toEqual([{ id: "1", name: "a" }]);
    objects.put("t/1.csv", "id,name\n1.5,a\n");
    await expect(session.read(listing({ fileSchema: COLUMNS }))).rejects.toThrow(
      "shop.main.sales: 1.csv: the column id has 1.5, which is no Int64",
    );
  });

  it("widens types over files, and takes text where they differ", async () => {
    objects.put("t/1.csv", "a,b\n1,1\n");
    objects.put("t/2.csv", "b,a,c\nx,1.5,true\n");
    expect(await columnsOf(listing())).toEqual(["a Float64", "b Utf8", "c Bool"]);
    expect(await session.read(listing())).toEqual([
      { a: 1, b: "1", c: null },
      { a: 1.5, b: "x", c: true },
    ]);
  });

  it("infers a large file from its first lines", async () => {
    const line = `1,"${"x".repeat(1000)}\n"\n`;
    objects.put("t/1.csv", `id,name\n${line.repeat(17_500)}`);
    expect(await columnsOf(listing())).toEqual(["id Int64", "name Utf8"]);
    objects.put("t/1.json", `[${`{"id":1,"name":"${"x".repeat(1000)}"},\n`.repeat(17_500)}{}]`);
    const paths = ["s3://data/t/1.json"];
    expect(await columnsOf(listing({ paths }))).toEqual(["id Int64", "name Utf8"]);
  });

  it("undoes a compression that names do not tell", async () => {
    objects.put("t/1.csv", gzipSync("id,name\n1,a\n"));
    const options = { formatOptions: { compression: "gzip" } };
    expect(await session.read(listing({ options }))).toEqual([{ id: "1", name: "a" }]);
  });

  it("does not fetch a huge file only to see its columns", async () => {
    objects.put("t/1.csv.gz", gzipSync("id,name\n1,a\n"));
    const { list } = objects;
    objects.list = async function* (prefix, signal) {
      for await (const object of list.call(objects, prefix, signal))
        yield { ...object, bytes: 2 ** 31 };
    };
    await expect(session.read(listing())).rejects.toThrow(
      /would be fetched whole to see its columns/,
    );
    expect(objects.reads).toEqual([]);
  });

  it("tells of files that are no text or not compressed as they say", async () => {
    objects.put("t/1.csv.gz", "id,name\n1,a\n");
    await expect(session.read(listing())).rejects.toThrow(/t\/1\.csv\.gz cannot be read/);
    objects.delete("t/1.csv.gz");
    objects.put("t/1.csv", "id,name\n1\n1,2,3\n");
    await expect(session.read(listing())).rejects.toThrow(/t\/1\.csv cannot be read/);
  });
});

describe("Parquet", () => {
  it("promotes types over files and attaches missing columns", async () => {
    objects.put("t/1.parquet", await parquet("SELECT 1::INTEGER AS a, 'x' AS b"));
    objects.put("t/2.parquet", await parquet("SELECT 2.5::DOUBLE AS a, true AS c"));
    expect(await columnsOf(listing())).toEqual(["a Float64", "b Utf8", "c Bool"]);
    expect(await session.read(listing())).toEqual([
      { a: 1, b: "x", c: null },
      { a: 2.5, b: null, c: true },
    ]);
  });

  it("infers from footers alone", async () => {
    for (let file = 0; file < 20; file++) {
      objects.put(`t/${file}.parquet`, await parquet(`SELECT ${file} AS a FROM range(50000)`));
    }
    expect(await columnsOf(listing())).toEqual(["a Int32"]);
    expect(objects.reads).toEqual([]);
    expect(objects.ranges).toHaveLength(8);
    // What is known of versions is not looked up again.
    await columnsOf(listing());
    expect(objects.ranges).toHaveLength(8);
  });

  it("fetches a footer that is longer than the first read", async () => {
    const columns = Array.from({ length: 4000 }, (_, at) => `${at} AS a_long_name_${at}`);
    objects.put("t/1.parquet", await parquet(`SELECT ${columns.join(", ")}`));
    expect(await columnsOf(listing())).toHaveLength(4000);
    expect(objects.ranges).toHaveLength(2);
  });

  it("believes no footer that says it is enormous", async () => {
    const bytes = Buffer.alloc(70 << 20);
    bytes.writeUInt32LE(bytes.length - 8, bytes.length - 8);
    objects.put("t/1.parquet", bytes);
    await expect(session.read(listing())).rejects.toThrow(/t\/1\.parquet has a footer of 734/);
    expect(objects.ranges).toHaveLength(1);
  });

  it("names files whose types contradict each other or the snapshot", async () => {
    objects.put("t/1.parquet", await parquet("SELECT 1::BIGINT AS id, 'x' AS name"));
    objects.put("t/2.parquet", await parquet("SELECT 'x' AS id, 'x' AS name"));
    await expect(session.read(listing())).rejects.toThrow(
      "shop.main.sales: the column id is Int64 in t/1.parquet and Utf8 in t/2.parquet",
    );
    await expect(session.read(listing({ fileSchema: COLUMNS }))).rejects.toThrow(
      new ScanError(
        "shop.main.sales: the column id is Utf8 in t/2.parquet, and the snapshot has it as Int64",
      ),
    );
  });

  it("does not cast with loss, but takes any unit of time that holds the value", async () => {
    objects.put("t/1.parquet", await parquet("SELECT 1::BIGINT AS id, 'x' AS name"));
    const narrow = new Schema([new Field("id", new Int32(), true)]);
    await expect(session.read(listing({ fileSchema: narrow }))).rejects.toThrow(/Int64.*Int32/);
    objects.put(
      "t/1.parquet",
      await parquet("SELECT TIMESTAMP '2024-01-01 00:00:00.001' AS at, 1::INTEGER AS n"),
    );
    const fileSchema = new Schema([
      new Field("at", new TimestampMillisecond(), true),
      new Field("n", new Float64(), true),
    ]);
    const rows = await session.read(listing({ fileSchema }));
    expect(rows).toEqual([{ at: "2024-01-01 00:00:00.001", n: 1 }]);
    objects.put("t/1.parquet", await parquet("SELECT TIMESTAMP '2024-01-01 00:00:00.0015' AS at"));
    await expect(session.read(listing({ fileSchema }))).rejects.toThrow(
      /column at has times finer/,
    );
  });

  it("names a damaged file among others", async () => {
    for (let file = 0; file < 3; file++) {
      objects.put(`t/${file}.parquet`, await parquet("SELECT 1::BIGINT AS id, 'x' AS name"));
    }
    objects.put("t/1.parquet", "PAR1 this is none, and says so PAR1");
    await expect(session.read(listing({ fileSchema: COLUMNS }))).rejects.toThrow(
      /shop\.main\.sales: t\/1\.parquet cannot be read/,
    );
  });
});

describe("partitions", () => {
  const put = async (key: string, id: number) =>
    objects.put(`t/${key}`, await parquet(`SELECT ${id}::BIGINT AS id, 'in file' AS region`));

  it("infers columns and types of name=value folders", async () => {
    await put("year=2023/day=2023-01-01/region=eu/a.parquet", 1);
    await put("year=2024/day=2024-02-29/region=us%2Feast%20%3D/a.parquet", 2);
    await put("year=2024/day=__HIVE_DEFAULT_PARTITION__/region=eu/b.parquet", 3);
    const scan = listing();
    expect(await columnsOf(scan)).toEqual([
      "id Int64",
      "year Int64",
      "day Date32<DAY>",
      "region Utf8",
    ]);
    expect(await session.read(scan, {}, { select: "* EXCLUDE id, id" })).toEqual([
      { id: "1", year: "2023", day: "2023-01-01", region: "eu" },
      { id: "2", year: "2024", day: "2024-02-29", region: "us/east =" },
      { id: "3", year: "2024", day: null, region: "eu" },
    ]);
  });

  it("fetches only the files of the partitions that are needed", async () => {
    for (const year of [2021, 2022, 2023, 2024]) {
      for (const part of ["a", "b"]) await put(`year=${year}/${part}.parquet`, year);
    }
    const scan = listing({ fileSchema: COLUMNS });
    const { partitions } = await scan.describe(session, new AbortController().signal);
    expect(partitions.map(({ values }) => values)).toEqual([
      ["2021"],
      ["2022"],
      ["2023"],
      ["2024"],
    ]);
    expect(objects.reads).toEqual([]);
    const rows = await session.read(scan, { columns: ["id", "year"], partitions: [1, 3] });
    expect(numbers(rows, "id")).toEqual([2022, 2022, 2024, 2024]);
    expect(rows.every(({ id, year }) => id === String(year))).toBe(true);
    expect(objects.reads.toSorted()).toEqual([
      "t/year=2022/a.parquet",
      "t/year=2022/b.parquet",
      "t/year=2024/a.parquet",
      "t/year=2024/b.parquet",
    ]);
    // A second query finds them in the cache.
    await session.read(listing({ fileSchema: COLUMNS }), { partitions: [3] });
    expect(objects.reads).toHaveLength(4);
    expect(await session.read(scan, { partitions: [] })).toEqual([]);
  });

  it.each(["csv", "json", "arrow"])("attaches them to %s files", async (format) => {
    const file = (id: number) => {
      if (format === "csv") return `id\n${id}\n`;
      if (format === "json") return `{"id":${id}}\n`;
      return tableToIPC(new Table({ id: vectorFromArray([BigInt(id)], new Int64()) }), "file");
    };
    objects.put(`t/p=x/1.${format}`, file(1));
    objects.put(`t/p=it's/1.${format}`, file(2));
    const rows = await session.read(listing(), {}, { select: "id, p" });
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(
      expect.arrayContaining([
        { id: "1", p: "x" },
        { id: "2", p: "it's" },
      ]),
    );
    expect(await session.read(listing(), { columns: ["p"] })).toEqual([{ p: "it's" }, { p: "x" }]);
  });

  it.each(["parquet", "csv", "json"])("takes any values for %s", async (format) => {
    const values = ["NULL", "null", "a'b\"", "é\\", "%41", "..", " ", "+", "*", "x".repeat(100)];
    const bytes = {
      parquet: await parquet("SELECT 1 AS id"),
      csv: "id\n1\n",
      json: '{"id":1}',
    }[format]!;
    const put = (value: string) =>
      objects.put(
        `t/p=${encodeURIComponent(value)}/q=__HIVE_DEFAULT_PARTITION__/a.${format}`,
        bytes,
      );
    const read = () => session.read(listing(), {}, { select: "p, q" });
    const expected = (all: readonly string[]) =>
      new Set(all.map((value) => JSON.stringify({ p: value, q: null })));
    for (const value of values) put(value);
    expect(new Set((await read()).map((row) => JSON.stringify(row)))).toEqual(expected(values));
    // Too long for a folder's name here.
    const long = "é".repeat(150);
    put(long);
    put("");
    const all = new Set((await read()).map((row) => JSON.stringify(row)));
    expect(all).toEqual(expected([...values, long, ""]));
  });

  it("takes their types from the schema that is given", async () => {
    await put("month=01/on=true/a.parquet", 1);
    const partitionSchema = new Schema([
      new Field("on", new Bool(), true),
      new Field("month", new Utf8(), false),
    ]);
    const scan = listing({ options: { fileType: "parquet", partitionSchema } });
    expect(await session.read(scan, { columns: ["month", "on", "id"] })).toEqual([
      { month: "01", on: true, id: "1" },
    ]);
  });

  it("names files that have no part, or none that casts", async () => {
    await put("year=2024/a.parquet", 1);
    const of = (name: string, nullable = true) =>
      listing({
        options: {
          fileType: "parquet",
          partitionSchema: new Schema([new Field(name, new Int32(), nullable)]),
        },
      });
    await expect(session.read(of("month"))).rejects.toThrow(
      "shop.main.sales: t/year=2024/a.parquet has no month=… part in its path",
    );
    await put("year=2024-old/a.parquet", 1);
    await expect(session.read(of("year"))).rejects.toThrow(
      "t/year=2024-old/a.parquet has year=2024-old, which is no Int32",
    );
    objects.delete("t/year=2024-old/a.parquet");
    await put("year=__HIVE_DEFAULT_PARTITION__/a.parquet", 1);
    await expect(session.read(of("year", false))).rejects.toThrow(/has no value of year/);
  });

  it("reads thousands of partitions in one scan", async () => {
    const bytes = await parquet("SELECT 1::BIGINT AS id, 'x' AS name");
    for (let part = 0; part < 2000; part++) objects.put(`t/p=${part}/a.parquet`, bytes);
    const scan = listing({ fileSchema: COLUMNS });
    const rows = await session.read(scan, {}, { select: "count(*) AS n, sum(p)::BIGINT AS s" });
    expect(rows).toEqual([{ n: "2000", s: String((1999 * 2000) / 2) }]);
  });
});

describe("what is there", () => {
  it("is an empty table where a snapshot describes it, else an error", async () => {
    expect(await session.read(listing({ fileSchema: COLUMNS }))).toEqual([]);
    await expect(session.read(listing())).rejects.toThrow(
      "shop.main.sales: there are no files at s3://data/t/, and no snapshot says",
    );
  });

  it("is relisted where an object changed since", async () => {
    objects.put("t/1.csv", "id,name\n1,a\n");
    let changes = 1;
    objects.beforeRead = async ({ key }) => {
      if (changes-- > 0) objects.put(key, "id,name\n2,changed\n");
    };
    expect(await session.read(listing({ fileSchema: COLUMNS }))).toEqual([
      { id: "2", name: "changed" },
    ]);
    changes = 5;
    objects.put("t/1.csv", "id,name\n3,a\n");
    await expect(session.read(listing({ fileSchema: COLUMNS }))).rejects.toThrow("t/1.csv changed");
  });

  it("is paid from the budget before it is fetched", async () => {
    objects.put("t/1.csv", "id,name\n1,a\n");
    const budget = {
      take(bytes: number): void {
        throw new ScanError(`${bytes} bytes are too many`);
      },
    };
    await expect(session.read(listing({ fileSchema: COLUMNS }), {}, { budget })).rejects.toThrow(
      "12 bytes are too many",
    );
    expect(objects.reads).toEqual([]);
  });

  it("has no two columns that SQL takes for one", async () => {
    objects.put("t/1.csv", "id,name\n1,a\n");
    const fileSchema = new Schema([
      new Field("id", new Int64(), true),
      new Field("ID", new Int64(), true),
    ]);
    await expect(session.read(listing({ fileSchema }))).rejects.toThrow("the columns id and ID");
  });
});
