/** What is fetched of Parquet files for a query: no more than it needs, and enough for it. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScanFilter, ScanOperator, ScanValue } from "../../sources/scan-filter.ts";
import { quoteText } from "../../sql-text.ts";
import { filterSql } from "../session/child/filter-sql.ts";
import { useListingTables } from "./testing/listing-tables.ts";

const tables = useListingTables();

/** A Parquet file in the tables' source. @returns its bytes */
async function put(key: string, select: string, options = ""): Promise<Buffer> {
  const path = join(tables.session.folder, "made.parquet");
  await tables.session.run(
    `COPY (${select}) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048 ${options})`,
  );
  const bytes = await readFile(path);
  tables.objects.put(key, bytes);
  return bytes;
}

/** Compressed bytes of these columns in these row groups of the file that was made last. */
async function chunkBytes(columns: readonly string[], groups = "true"): Promise<number> {
  const names = columns.map(quoteText).join(", ");
  const [row] = await tables.session.rows(
    `SELECT coalesce(sum(total_compressed_size), 0)::DOUBLE AS bytes
     FROM parquet_metadata('${join(tables.session.folder, "made.parquet")}')
     WHERE path_in_schema IN (${names}) AND (${groups})`,
  );
  return Number(row?.["bytes"]);
}

/** Columns as people have them, hardly compressible, in ten row groups, the first one sorted. */
const WIDE = `SELECT i AS id, hash(i) AS a, hash(i + 1) AS b, md5(i::VARCHAR) AS c, md5(hash(i)::VARCHAR) AS d,
  (hash(i) % 1000) / 7 AS e FROM range(20480) t(i)`;

describe("the bytes of a large Parquet file", () => {
  it("are those of the needed columns and the footer", async () => {
    const whole = await put("t/1.parquet", WIDE);
    const rows = await tables.session.read(
      tables.listing(),
      { columns: ["a"] },
      { select: "sum(a)::VARCHAR AS s" },
    );
    const [expected] = await tables.session.rows(
      `SELECT sum(a)::VARCHAR AS s FROM '${join(tables.session.folder, "made.parquet")}'`,
    );
    expect(rows).toEqual([expected]);
    expect(tables.objects.reads).toEqual([]);
    const needed = await chunkBytes(["a"]);
    expect(tables.objects.rangeBytes).toBeGreaterThanOrEqual(needed);
    expect(tables.objects.rangeBytes).toBeLessThan(1.2 * needed);
    expect(tables.objects.rangeBytes).toBeLessThan(whole.length / 3);
  });

  it("are those of the row groups that the filter's statistics leave", async () => {
    await put("t/1.parquet", WIDE);
    const filter: ScanFilter = {
      kind: "comparison",
      column: "id",
      op: "ge",
      value: { type: "number", value: "18432" },
    };
    const need = { columns: ["id", "c"], filter };
    const rows = await tables.session.read(tables.listing(), need, {
      select: "count(*) AS n, min(id) AS first",
    });
    expect(rows).toEqual([{ n: "2048", first: "18432" }]);
    expect(tables.objects.rangeBytes).toBeLessThan(
      1.2 * (await chunkBytes(["id", "c"], "row_group_id = 9")),
    );
  });

  it("are none where nothing but rows are counted, and none of files that no row is needed of", async () => {
    await put("t/1.parquet", WIDE);
    await put("t/2.parquet", WIDE.replace("range(20480)", "range(20480, 40960)"));
    const count = await tables.session.read(
      tables.listing(),
      { columns: [] },
      { select: "count(*) AS n" },
    );
    expect(count).toEqual([{ n: "40960" }]);
    const footers = tables.objects.rangeBytes;
    expect(footers).toBeLessThan(40_000);
    const filter: ScanFilter = {
      kind: "comparison",
      column: "id",
      op: "lt",
      value: { type: "number", value: "-1" },
    };
    expect(await tables.session.read(tables.listing(), { columns: ["id"], filter })).toEqual([]);
    expect(tables.objects.rangeBytes).toBe(footers);
  });

  it("are fetched once for queries of the same kind, and the rest alone for others", async () => {
    await put("t/1.parquet", WIDE);
    await tables.session.read(tables.listing(), { columns: ["a"] });
    const first = tables.objects.rangeBytes;
    await tables.session.read(tables.listing(), { columns: ["a"] });
    expect(tables.objects.rangeBytes).toBe(first);
    const both = await tables.session.read(tables.listing(), { columns: ["a", "c"] });
    expect(tables.objects.rangeBytes - first).toBeLessThan(1.2 * (await chunkBytes(["c"])));
    expect(both).toHaveLength(20480);
  });

  it("are those of a bloom filter too, which the reader asks first", async () => {
    await put(
      "t/1.parquet",
      "SELECT i AS id, (i % 97)::VARCHAR AS code, md5(i::VARCHAR) AS c FROM range(20480) t(i)",
      ", BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.01",
    );
    const value: ScanValue = { type: "text", value: "13" };
    const filter: ScanFilter = { kind: "comparison", column: "code", op: "eq", value };
    const scan = tables.listing();
    const rows = await tables.session.read(
      scan,
      { columns: ["id", "code"], filter },
      { select: "id" },
    );
    expect(rows).toHaveLength(20480);
    const matching = await tables.session.read(
      tables.listing(),
      { columns: ["id", "code"], filter },
      { select: "count(*) FILTER (code = '13') AS n" },
    );
    expect(matching).toEqual([{ n: "211" }]);
  });

  it("are all of a file whose footer cannot be read, which its reader then names", async () => {
    tables.objects.put(
      "t/1.parquet",
      Buffer.concat([Buffer.from("PAR1"), Buffer.alloc(200_000, 7), Buffer.from("PAR1")]),
    );
    const scan = tables.listing({ paths: ["s3://data/t/1.parquet"] });
    await expect(tables.session.read(scan, { columns: [] })).rejects.toThrow(/t\/1\.parquet/);
  });
});

describe("some rows", () => {
  it("are read of as many files as have them", async () => {
    for (let at = 0; at < 30; at++) {
      await put(
        `t/${String(at).padStart(2, "0")}.parquet`,
        WIDE.replace("range(20480)", "range(4096)"),
      );
    }
    const scan = tables.listing();
    await scan.describe(tables.session, new AbortController().signal);
    const described = tables.objects.ranges.length;
    const rows = await tables.session.read(
      tables.listing(),
      { columns: ["id"], limit: 1 },
      { select: "count(*) AS n" },
    );
    expect(rows).toEqual([{ n: "2048" }]);
    // One row group's chunk: the footer is known from describing it.
    expect(tables.objects.ranges.length - described).toBe(1);
    const more = await tables.session.read(
      tables.listing(),
      { columns: ["id"], limit: 5000 },
      { select: "count(*) AS n" },
    );
    expect(Number(more[0]?.["n"])).toBeGreaterThanOrEqual(5000);
    expect(Number(more[0]?.["n"])).toBeLessThan(5000 + 2048);
    expect(tables.objects.reads).toEqual([]);
  });

  it("are the first lines of a large text file, and one text file after another", async () => {
    const line = `${"x".repeat(99)}\n`;
    tables.objects.put("t/1.csv", `text\n${line.repeat(300_000)}`);
    tables.objects.put("t/2.csv", `text\n${line.repeat(10)}`);
    const rows = await tables.session.read(
      tables.listing(),
      { limit: 5 },
      { select: "count(*) > 4 AS enough" },
    );
    expect(rows).toEqual([{ enough: true }]);
    expect(tables.objects.rangeBytes).toBeLessThan(10 << 20);
    tables.renew();
    for (let at = 0; at < 9; at++) tables.objects.put(`u/${at}.csv`, `n\n${at}\n`);
    const listing = () => tables.listing({ paths: ["s3://data/u/"] });
    await listing().describe(tables.session, new AbortController().signal);
    tables.objects.reads.length = 0;
    expect(await tables.session.read(listing(), { limit: 2 }, { select: "count(*) AS n" })).toEqual(
      [{ n: "2" }],
    );
    expect(await tables.session.read(listing(), { limit: 9 }, { select: "count(*) AS n" })).toEqual(
      [{ n: "9" }],
    );
  });
});

describe("partitions alone", () => {
  it("are known without a look at their files", async () => {
    for (const year of [2021, 2022, 2023]) await put(`t/year=${year}/1.parquet`, WIDE);
    const scan = tables.listing();
    await scan.describe(tables.session, new AbortController().signal);
    const described = tables.objects.ranges.length;
    const rows = await tables.session.read(
      tables.listing(),
      { columns: ["year"], distinct: true },
      { select: "DISTINCT year" },
    );
    expect(rows.map(({ year }) => year).toSorted()).toEqual(["2021", "2022", "2023"]);
    expect(tables.objects.ranges.length).toBe(described);
    const all = await tables.session.read(
      tables.listing(),
      { columns: ["year"] },
      { select: "count(*) AS n" },
    );
    expect(all).toEqual([{ n: String(3 * 20480) }]);
  });

  it("are not those whose files are small enough to hold no row", async () => {
    await put("t/year=2021/1.parquet", "SELECT 1 AS id WHERE false");
    await put("t/year=2022/1.parquet", "SELECT 1 AS id");
    await put("t/year=2023/1.parquet", WIDE.replace("i AS id", "i::INTEGER AS id"));
    const need = { columns: ["year"], distinct: true };
    const rows = await tables.session.read(tables.listing(), need, { select: "DISTINCT year" });
    expect(rows.map(({ year }) => year).toSorted()).toEqual(["2022", "2023"]);
  });
});

describe("statistics", () => {
  const values: Readonly<
    Record<string, { readonly of: (n: number) => ScanValue; readonly sql: string }>
  > = {
    whole: { of: (n) => ({ type: "number", value: String(n) }), sql: "(i * 7 % 4099)::INTEGER" },
    exact: { of: (n) => ({ type: "number", value: `${n}.25` }), sql: "(i * 3)::DECIMAL(12, 2)" },
    real: {
      of: (n) => ({ type: "double", value: n / 3 }),
      sql: "CASE WHEN i % 3000 = 7 THEN 'NaN'::DOUBLE ELSE i / 3 END",
    },
    single: { of: (n) => ({ type: "double", value: n / 10 }), sql: "(i / 10)::FLOAT" },
    text: {
      of: (n) => ({ type: "text", value: `${'"é\\'[n % 3]}${n}` }),
      sql: "chr([34, 233, 92][1 + i % 3]) || i",
    },
    day: {
      of: (n) => ({ type: "date", value: dayOf(n).slice(0, 10) }),
      sql: "DATE '2020-01-01' + (i // 10)::INTEGER",
    },
    time: {
      of: (n) => ({ type: "timestamp", value: dayOf(n) }),
      sql: "TIMESTAMP '2020-01-01' + INTERVAL (i) HOUR",
    },
    zoned: {
      of: (n) => ({ type: "timestamptz", value: `${dayOf(n)}Z` }),
      sql: "TIMESTAMPTZ '2020-01-01 00:00:00+00' + INTERVAL (i) HOUR",
    },
    flag: { of: (n) => ({ type: "boolean", value: n % 2 === 0 }), sql: "i < 2048" },
    sparse: {
      of: (n) => ({ type: "number", value: String(n) }),
      sql: "CASE WHEN i BETWEEN 2048 AND 6000 THEN NULL ELSE i END",
    },
  };
  const columns = Object.keys(values);

  const comparison = fc
    .tuple(
      fc.constantFrom(...columns),
      fc.constantFrom<ScanOperator>("eq", "ne", "lt", "le", "gt", "ge"),
      fc.integer({ min: -5, max: 9000 }),
    )
    .map(
      ([column, op, n]): ScanFilter => ({
        kind: "comparison",
        column,
        op,
        value: values[column]!.of(n),
      }),
    );
  const leaf = fc.oneof(
    { weight: 4, arbitrary: comparison },
    fc
      .tuple(
        fc.constantFrom(...columns),
        fc.array(fc.integer({ min: 0, max: 9000 }), { minLength: 1, maxLength: 3 }),
      )
      .map(
        ([column, ns]): ScanFilter => ({
          kind: "in",
          column,
          values: ns.map((n) => values[column]!.of(n)),
        }),
      ),
    fc
      .tuple(
        fc.constantFrom<"is_null" | "is_not_null">("is_null", "is_not_null"),
        fc.constantFrom(...columns),
      )
      .map(([kind, column]): ScanFilter => ({ kind, column })),
  );
  const filters = fc.oneof(
    leaf,
    fc
      .tuple(
        fc.constantFrom<"and" | "or">("and", "or"),
        fc.array(leaf, { minLength: 2, maxLength: 3 }),
      )
      .map(([kind, parts]): ScanFilter => ({ kind, filters: parts })),
  );

  it("never leave out a row that meets the filter", async () => {
    const selected = columns.map((name) => `${values[name]!.sql} AS ${name}`).join(", ");
    await put(
      "t/1.parquet",
      `SELECT ${selected}, md5(i::VARCHAR) || md5((i + 1)::VARCHAR) AS filling FROM range(8192) t(i)`,
    );
    const local = join(tables.session.folder, "all.parquet");
    await tables.session.run(
      `COPY (FROM '${join(tables.session.folder, "made.parquet")}') TO '${local}' (FORMAT parquet)`,
    );
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const rows = async (from: string) =>
          (
            await tables.session.rows(
              `SELECT count(*) AS n FROM ${from} WHERE ${filterSql(filter)}`,
            )
          )[0]?.["n"];
        const expected = await rows(`'${local}'`);
        const scan = tables.listing();
        const found = await tables.session.read(
          scan,
          { columns, filter },
          {
            select: `count(*) FILTER (${filterSql(filter)}) AS n`,
          },
        );
        expect(found).toEqual([{ n: expected }]);
      }),
      { numRuns: 60 },
    );
  });
});

/** So many hours after the beginning of 2020. */
function dayOf(hours: number): string {
  return new Date(Date.UTC(2020, 0, 1) + hours * 3_600_000).toISOString().slice(0, 19);
}
