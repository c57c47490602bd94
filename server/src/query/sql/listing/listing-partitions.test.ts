import {
  Bool,
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

const numbers = (rows: readonly Record<string, unknown>[], name: string) =>
  rows.map((row) => Number(row[name])).sort((a, b) => a - b);

describe("partitions", () => {
  const put = async (key: string, id: number) =>
    tables.objects.put(
      `t/${key}`,
      await tables.parquet(`SELECT ${id}::BIGINT AS id, 'in file' AS region`),
    );

  it("infers columns and types of name=value folders", async () => {
    await put("year=2023/day=2023-01-01/region=eu/a.parquet", 1);
    await put("year=2024/day=2024-02-29/region=us%2Feast%20%3D/a.parquet", 2);
    await put("year=2024/day=__HIVE_DEFAULT_PARTITION__/region=eu/b.parquet", 3);
    const scan = tables.listing();
    expect(await tables.columnsOf(scan)).toEqual([
      "id Int64",
      "year Int64",
      "day Date32<DAY>",
      "region Utf8",
    ]);
    expect(await tables.session.read(scan, {}, { select: "* EXCLUDE id, id" })).toEqual([
      { id: "1", year: "2023", day: "2023-01-01", region: "eu" },
      { id: "2", year: "2024", day: "2024-02-29", region: "us/east =" },
      { id: "3", year: "2024", day: null, region: "eu" },
    ]);
  });

  it("fetches only the files of the partitions that are needed", async () => {
    for (const year of [2021, 2022, 2023, 2024]) {
      for (const part of ["a", "b"]) await put(`year=${year}/${part}.parquet`, year);
    }
    const scan = tables.listing({ fileSchema: COLUMNS });
    const { partitions } = await scan.describe(tables.session, new AbortController().signal);
    expect(partitions.map(({ values }) => values)).toEqual([
      ["2021"],
      ["2022"],
      ["2023"],
      ["2024"],
    ]);
    expect(tables.objects.reads).toEqual([]);
    const rows = await tables.session.read(scan, { columns: ["id", "year"], partitions: [1, 3] });
    expect(numbers(rows, "id")).toEqual([2022, 2022, 2024, 2024]);
    expect(rows.every(({ id, year }) => id === String(year))).toBe(true);
    expect(tables.objects.reads.toSorted()).toEqual([
      "t/year=2022/a.parquet",
      "t/year=2022/b.parquet",
      "t/year=2024/a.parquet",
      "t/year=2024/b.parquet",
    ]);
    // A second query finds them in the cache.
    await tables.session.read(tables.listing({ fileSchema: COLUMNS }), { partitions: [3] });
    expect(tables.objects.reads).toHaveLength(4);
    expect(await tables.session.read(scan, { partitions: [] })).toEqual([]);
  });

  it.each(["csv", "json", "arrow"])("attaches them to %s files", async (format) => {
    const file = (id: number) => {
      if (format === "csv") return `id\n${id}\n`;
      if (format === "json") return `{"id":${id}}\n`;
      return tableToIPC(new Table({ id: vectorFromArray([BigInt(id)], new Int64()) }), "file");
    };
    tables.objects.put(`t/p=x/1.${format}`, file(1));
    tables.objects.put(`t/p=it's/1.${format}`, file(2));
    const rows = await tables.session.read(tables.listing(), {}, { select: "id, p" });
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(
      expect.arrayContaining([
        { id: "1", p: "x" },
        { id: "2", p: "it's" },
      ]),
    );
    expect(await tables.session.read(tables.listing(), { columns: ["p"] })).toEqual([
      { p: "it's" },
      { p: "x" },
    ]);
  });

  it.each(["parquet", "csv", "json"])("takes any values for %s", async (format) => {
    const values = ["NULL", "null", "a'b\"", "é\\", "%41", "..", " ", "+", "*", "x".repeat(100)];
    const bytes = {
      parquet: await tables.parquet("SELECT 1 AS id"),
      csv: "id\n1\n",
      json: '{"id":1}',
    }[format]!;
    const put = (value: string) =>
      tables.objects.put(
        `t/p=${encodeURIComponent(value)}/q=__HIVE_DEFAULT_PARTITION__/a.${format}`,
        bytes,
      );
    const read = () => tables.session.read(tables.listing(), {}, { select: "p, q" });
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
    const scan = tables.listing({ options: { fileType: "parquet", partitionSchema } });
    expect(await tables.session.read(scan, { columns: ["month", "on", "id"] })).toEqual([
      { month: "01", on: true, id: "1" },
    ]);
  });

  it("names files that have no part, or none that casts", async () => {
    await put("year=2024/a.parquet", 1);
    const of = (name: string, nullable = true) =>
      tables.listing({
        options: {
          fileType: "parquet",
          partitionSchema: new Schema([new Field(name, new Int32(), nullable)]),
        },
      });
    await expect(tables.session.read(of("month"))).rejects.toThrow(
      "shop.main.sales: t/year=2024/a.parquet has no month=… part in its path",
    );
    await put("year=2024-old/a.parquet", 1);
    await expect(tables.session.read(of("year"))).rejects.toThrow(
      "t/year=2024-old/a.parquet has year=2024-old, which is not of type Int32",
    );
    tables.objects.delete("t/year=2024-old/a.parquet");
    await put("year=__HIVE_DEFAULT_PARTITION__/a.parquet", 1);
    await expect(tables.session.read(of("year", false))).rejects.toThrow(/has no value of year/);
  });

  it("reads thousands of partitions in one scan", async () => {
    const bytes = await tables.parquet("SELECT 1::BIGINT AS id, 'x' AS name");
    for (let part = 0; part < 2000; part++) tables.objects.put(`t/p=${part}/a.parquet`, bytes);
    const scan = tables.listing({ fileSchema: COLUMNS });
    const rows = await tables.session.read(
      scan,
      {},
      { select: "count(*) AS n, sum(p)::BIGINT AS s" },
    );
    expect(rows).toEqual([{ n: "2000", s: String((1999 * 2000) / 2) }]);
  });
});
