/** Listings through the engine: planned over stand-ins, pruned, staged and run behind the walls. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Table, tableToIPC, vectorFromArray } from "apache-arrow";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSqlEngine } from "../engine.ts";
import type { JsonResult, SqlEngine, SqlTable } from "../query.ts";
import { FileCache } from "./file-cache.ts";
import { ListingScan } from "./listing-scan.ts";
import { DuckdbSession } from "./testing/duckdb-session.ts";
import { MemoryObjects } from "./testing/memory-objects.ts";

let home: string;
let engine: SqlEngine;
let cache: FileCache;
let maker: DuckdbSession;
let objects: MemoryObjects;
let scope = 0;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "listing-query-"));
  engine = await openSqlEngine(join(home, "sessions"));
  cache = await FileCache.open({ folder: join(home, "cache") });
  maker = await DuckdbSession.open();
});
afterAll(async () => {
  await maker.close();
  await engine.close();
  await cache.close();
  await rm(home, { recursive: true, force: true });
});
beforeEach(() => {
  objects = new MemoryObjects(`query-${scope++}`);
});

async function answer(sql: string): Promise<JsonResult> {
  const resolve = async (references: readonly { readonly table: string }[]) =>
    references.map(
      ({ table }): SqlTable => ({
        name: { catalog: "shop", schema: "main", table },
        source: new ListingScan({
          tableName: `shop.main.${table}`,
          objects,
          paths: [`s3://data/${table}/`],
          fileSchema: null,
          options: null,
          cache,
        }),
      }),
    );
  return await engine.queryJson(
    {
      sql,
      parameters: [],
      organizationId: "one",
      defaults: { catalog: "shop", schema: "main" },
      tables: { resolve, names: async () => [] },
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    },
    { maxRows: 1000, maxBytes: 1 << 20 },
  );
}

async function query(sql: string): Promise<unknown[]> {
  const { rows } = await answer(sql);
  return JSON.parse(Buffer.concat(rows).toString());
}

async function parquet(select: string): Promise<Uint8Array> {
  const { readFile } = await import("node:fs/promises");
  const path = join(home, "made.parquet");
  await maker.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
  return readFile(path);
}

async function putSales(): Promise<void> {
  for (const year of [2022, 2023, 2024]) {
    for (const region of ["eu", "us"]) {
      const file = await parquet(
        `SELECT range AS id, range % 3 AS item, ${year} + range / 10 AS price FROM range(10)`,
      );
      objects.put(`sales/year=${year}/region=${region}/a.parquet`, file);
    }
  }
}

describe("a query over listings", () => {
  it("says which files of a folder of two formats it does not read", async () => {
    objects.put("mixed/a.csv", "id\n1\n");
    objects.put("mixed/b.json", '{"id": 2}');
    const { rowCount, warnings } = await answer("SELECT id FROM mixed");
    expect(rowCount).toBe(1);
    expect(warnings).toEqual([
      "shop.main.mixed: only its csv files are read, and 1 file of another format (first mixed/b.json) not; a fileType and a fileExtension in the snapshot's options say what is meant.",
    ]);
  });

  it("joins files of every format", async () => {
    await putSales();
    objects.put("items/a.csv.gz", gzipSync("item,name\n0,pen\n1,ink\n2,\n"));
    objects.put("regions/a.json", '[{"region":"eu","tax":0.2},{"region":"us","tax":0}]');
    const ids = vectorFromArray([2023, 2024]);
    objects.put("years/a.arrow", tableToIPC(new Table({ year: ids }), "file"));
    const rows = await query(
      `SELECT year, region, name, count(*) AS n, max(tax) AS tax
       FROM sales JOIN items USING (item) JOIN regions USING (region) JOIN years USING (year)
       WHERE name IS NOT NULL GROUP BY ALL ORDER BY ALL LIMIT 3`,
    );
    expect(rows).toEqual([
      { year: 2023, region: "eu", name: "ink", n: 3, tax: 0.2 },
      { year: 2023, region: "eu", name: "pen", n: 4, tax: 0.2 },
      { year: 2023, region: "us", name: "ink", n: 3, tax: 0 },
    ]);
  });

  it.each([
    ["year = 2024 AND region = 'eu'", ["sales/year=2024/region=eu/a.parquet"]],
    [
      "year > 2022 AND region LIKE 'u%'",
      ["sales/year=2023/region=us/a.parquet", "sales/year=2024/region=us/a.parquet"],
    ],
    ["year = 1999", []],
  ])("fetches no files outside of %s", async (predicate, keys) => {
    await putSales();
    const [row] = await query(
      `WITH s AS (SELECT * FROM sales) SELECT count(*) AS n, count(DISTINCT region) AS regions FROM s WHERE ${predicate}`,
    );
    expect(row).toEqual({ n: 10 * keys.length, regions: keys.length > 0 ? 1 : 0 });
    expect(objects.reads.toSorted()).toEqual(keys);
  });

  it("counts rows, and selects partition columns alone", async () => {
    await putSales();
    expect(await query("SELECT count(*) AS n FROM sales")).toEqual([{ n: 60 }]);
    expect(await query("SELECT DISTINCT year FROM sales ORDER BY 1")).toEqual([
      { year: 2022 },
      { year: 2023 },
      { year: 2024 },
    ]);
    objects.put("lines/a.csv", "a,b\n1,x\n2,y\n");
    expect(await query("SELECT count(*) AS n FROM lines")).toEqual([{ n: 2 }]);
    objects.put("docs/a.json", '{"a":1}\n{"b":2}\n');
    expect(await query("SELECT count(*) AS n FROM docs")).toEqual([{ n: 2 }]);
  });

  it("tells of a value that is not what the sample had, and of damaged files", async () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => `${at}\n`).join("");
    objects.put("lines/a.csv", `a\n${lines}seven\n`);
    await expect(query("SELECT sum(a) FROM lines")).rejects.toThrow(
      "shop.main.lines: a.csv: the column a has seven, which is not of type Int64",
    );
    objects.put("broken/a.parquet", Buffer.alloc(1000, "PAR1"));
    await expect(query("SELECT * FROM broken")).rejects.toThrow(
      /shop\.main\.broken: broken\/a\.parquet cannot be read/,
    );
    objects.put("broken/a.parquet", "");
    await expect(query("SELECT * FROM broken")).rejects.toThrow("there are no files");
  });
});

it("names a JSON file whose nesting its process would die of, and reads the next", async () => {
  const deep = `{"id":1,"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n`;
  objects.put("deep/a.ndjson", '{"id":1}\n');
  objects.put("deep/b.ndjson", deep);
  objects.put("flat/a.ndjson", '{"id":1}\n');
  await expect(query("SELECT id FROM deep")).rejects.toThrow(
    "shop.main.deep: deep/b.ndjson cannot be read: line 1 is nested more than 1000 levels deep",
  );
  expect(await query("SELECT id FROM flat")).toEqual([{ id: 1 }]);
});
