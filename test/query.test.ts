/** SQL over the workspace: formats, joins, what is read of the sources, walls, failures, the end. */

import { mkdir, readdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  Field,
  Int32,
  Message,
  Schema,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
} from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runInDuckdb } from "../server/src/testing/parquet-of.ts";
import { Lake } from "./support/lake.ts";
import { PostgresServer } from "./support/postgres.ts";
import { blackHole, deadPort } from "./support/s3-responder.ts";
import { SharedServer } from "./support/shared-server.ts";

const W = "/v1/workspaces/acme";
const QUERY = `${W}/query`;
const EXPLAIN = `${W}/query:explain`;
const ARROW = "application/vnd.apache.arrow.stream";

let server: SharedServer;
let lake: Lake;
let postgres: PostgresServer;
let folder: string;

interface Result {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly truncated: boolean;
}

interface Problem {
  readonly status: number;
  readonly detail: string;
  readonly position?: { readonly line: number; readonly column: number };
}

interface Plan {
  readonly plan: string;
  readonly columns: Result["columns"];
  readonly scans: readonly {
    readonly table: string;
    readonly source: string;
    readonly columns: readonly string[];
    readonly filter: string | null;
    readonly limit: number | null;
    readonly partitions: { readonly read: number; readonly all: number };
  }[];
}

const query = (sql: string, more: object = {}): Promise<Result> =>
  server.post(QUERY, { sql, ...more });
const rows = async (sql: string, more: object = {}) => (await query(sql, more)).rows;
const explain = (sql: string): Promise<Plan> => server.post(EXPLAIN, { sql });

/** What must fail, with a problem in the interface's form that shows nothing of the inside. */
async function problem(sql: string, more: object = {}): Promise<Problem> {
  const response = await server.postRaw(QUERY, { sql, ...more });
  const text = await response.text();
  expect(response.headers.get("content-type"), text).toContain("application/problem+json");
  expect(text).not.toMatch(/node_modules|\.ts:\d|at .*\(|distillery-home/);
  const body: Problem = JSON.parse(text);
  expect(body.status).toBe(response.status);
  return body;
}

const table = (name: string, spec: object, schema = "s") =>
  server.post(`${W}/catalogs/lake/schemas/${schema}/tables?tableId=${name}`, { spec });
const listing = (connector: string, path: string, options?: object) => ({
  listing: {
    connector: `workspaces/acme/connectors/${connector}`,
    tablePaths: [path],
    ...(options && { snapshot: { options } }),
  },
});
const relational = (connector: string, sourceTable: string) => ({
  relational: {
    connector: `workspaces/acme/connectors/${connector}`,
    sourceCatalog: "shop",
    sourceSchema: "public",
    sourceTable,
  },
});

async function makeFiles(): Promise<void> {
  await mkdir(join(folder, "sales"));
  await runInDuckdb([
    `COPY (SELECT i AS id, i % 50 AS customer, (i % 7 + 1) * 10.5 AS amount,
       ['north', 'south', 'east', 'west'][1 + i % 4] AS region, 2023 + i // 4 % 2 AS year
     FROM range(8000) t(i)) TO '${folder}/sales' (FORMAT parquet, PARTITION_BY (region, year))`,
    `COPY (SELECT i AS customer, 'customer ' || i AS name, DATE '2020-01-01' + i::INTEGER AS since
     FROM range(50) t(i)) TO '${folder}/customers.csv' (HEADER)`,
    `COPY (SELECT i AS id, {'n': i, 'tags': ['a', NULL]} AS detail FROM range(3) t(i))
     TO '${folder}/events.json'`,
  ]);
  await putSales("sales");
  await writeFile(join(folder, "events.json.gz"), gzipSync('[{"id":1,"ok":true},{"id":2}]'));
  const arrow = tableFromArrays({ id: Int32Array.of(1, 2), name: ["a", "b"] });
  await writeFile(join(folder, "two.arrow"), tableToIPC(arrow, "file"));
  await writeFile(join(folder, "broken.parquet"), `PAR1${"x".repeat(500)}PAR1`);
  await writeFile(join(folder, "secret.txt"), "not for queries");
  // Far from their beginnings, so that rows go out before the fault is met.
  const readings = Array.from({ length: 90_000 }, (_, i) => (i === 80_000 ? '"n/a"' : i));
  await writeFile(join(folder, "readings.csv"), `reading\n${readings.join("\n")}\n`);
  const objects = readings.map((reading) => `{"reading":${reading}}\n`);
  await writeFile(join(folder, "readings.json"), objects.join(""));
  await runInDuckdb([
    `COPY (SELECT IF(i = 80000, 'n/a', i::VARCHAR) AS reading FROM range(90000) t(i)) TO '${folder}/readings.parquet'`,
  ]);
}

/** Eight files, one a partition. */
async function putSales(prefix: string): Promise<void> {
  for (const region of await readdir(join(folder, "sales"))) {
    for (const year of await readdir(join(folder, "sales", region))) {
      const [name = ""] = await readdir(join(folder, "sales", region, year));
      const key = `${prefix}/${region}/${year}/data.parquet`;
      await lake.put(key, join(folder, "sales", region, year, name));
    }
  }
}

beforeAll(async () => {
  server = await SharedServer.join();
  folder = await server.folder();
  [lake, postgres] = await Promise.all([Lake.create(), PostgresServer.create()]);
  await postgres.administer([
    "CREATE ROLE reader LOGIN PASSWORD 'of-the-reader'",
    "CREATE DATABASE shop OWNER reader",
  ]);
  await postgres.administer(
    [
      "CREATE TABLE public.products (id int PRIMARY KEY, title text NOT NULL, price numeric(9, 2), seen timestamptz)",
      "INSERT INTO public.products SELECT i, 'product ' || i, i * 1.25, '2024-01-01Z' FROM generate_series(1, 500) i",
      "GRANT SELECT ON public.products TO reader",
    ],
    "shop",
  );
  await server.post("/v1/workspaces", {
    name: "workspaces/acme",
    sqlDefaults: { defaultCatalog: "lake", defaultSchema: "s" },
  });
  const warehouse = (name: string, port: number) =>
    server.post("/v1/connectors/warehouse", {
      connector_name: name,
      kind: "postgres",
      url: `postgres://127.0.0.1:${port}/shop`,
      credentials: { username: "reader", password: "of-the-reader" },
    });
  await Promise.all([
    makeFiles(),
    server.post("/v1/connectors/objstore", { connector_name: "files", url: `file://${folder}/` }),
    server.post("/v1/connectors/objstore", lake.connector("bucket")),
    warehouse("shop", postgres.port),
    warehouse("gone", await deadPort()),
    server.post(`${W}/catalogs?catalogId=lake`),
  ]);
  await server.post(`${W}/catalogs/lake/schemas?schemaId=s`);
  await server.post(`${W}/catalogs?catalogId=shop`, {
    relational: { connector: "workspaces/acme/connectors/shop", sourceCatalog: "shop" },
  });
  await table("sales", listing("bucket", lake.url("sales/")));
  await table("customers", listing("files", `file://${folder}/customers.csv`));
  await table("products", relational("shop", "products"));
});

afterAll(async () => {
  await Promise.all([lake?.remove(), postgres?.remove()]);
});

describe("results", () => {
  it("are JSON with Arrow's types, cut by maxRows", async () => {
    const sql =
      "SELECT 1::BIGINT AS i, 'é' AS t, NULL::DOUBLE AS x, DATE '2024-02-29' AS d, TIMESTAMPTZ '2024-02-29 10:00:00Z' AS at, 9007199254740993 AS big, [1, 2] AS list FROM range(5)";
    const result = await query(sql, { maxRows: 2 });
    expect(result).toEqual({
      columns: [
        { name: "i", type: "Int64" },
        { name: "t", type: "Utf8" },
        { name: "x", type: "Float64" },
        { name: "d", type: "Date32<DAY>" },
        { name: "at", type: "Timestamp<MICROSECOND, UTC>" },
        { name: "big", type: "Int64" },
        { name: "list", type: "List<Int32>" },
      ],
      rows: Array(2).fill({
        i: 1,
        t: "é",
        x: null,
        d: "2024-02-29",
        at: "2024-02-29T10:00:00Z",
        big: "9007199254740993",
        list: [1, 2],
      }),
      truncated: true,
    });
    expect((await query(sql, { maxRows: 5 })).truncated).toBe(false);
  });

  it("keeps integer parameters beyond 2^53 to the last digit, in every operation that takes them", async () => {
    const ask = async (
      operation: string,
      parameters: string,
      sql = "SELECT $1 = 9007199254740993 AS same",
    ) => {
      const response = await server.request("POST", operation, {
        headers: { "content-type": "application/json" },
        body: `{"sql": ${JSON.stringify(sql)}, "parameters": ${parameters}}`,
      });
      return { status: response.status, body: (await response.json()) as Partial<Result> };
    };
    expect((await ask(QUERY, "[9007199254740993]")).body.rows).toEqual([{ same: true }]);
    expect((await ask(QUERY, "[9007199254740992]")).body.rows).toEqual([{ same: false }]);
    expect((await ask(QUERY, '{"a": -9007199254740993}', "SELECT $a AS a")).body).toMatchObject({
      columns: [{ name: "a", type: "Int64" }],
      rows: [{ a: "-9007199254740993" }],
    });
    expect((await ask(EXPLAIN, "[9007199254740993]")).status).toBe(200);
    expect(await ask(QUERY, `[1${"0".repeat(40)}]`)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("$1 is an integer of more than 128 bits") },
    });
    expect(await ask(QUERY, "[1e20, 1e400]", "SELECT $1")).toMatchObject({ status: 422 });
    expect((await ask(QUERY, "[1e20]", "SELECT typeof($1) AS t")).body.rows).toEqual([
      { t: "DOUBLE" },
    ]);
  });

  it("take parameters by position and by name, never as text of the statement", async () => {
    expect(await rows("SELECT $1 AS a, $2::INT + 1 AS b", { parameters: ["'; x", 2] })).toEqual([
      { a: "'; x", b: 3 },
    ]);
    expect(await rows("SELECT $n AS a", { parameters: { n: null } })).toEqual([{ a: null }]);
    expect((await problem("SELECT $1")).status).toBe(400);
    expect((await problem("SELECT 1", { parameters: [1] })).status).toBe(400);
    const listed = await server.postRaw(QUERY, { sql: "SELECT $1", parameters: [[1, 2]] });
    expect(listed.status).toBe(422);
    expect(await listed.text()).toContain("a parameter is a text, a number, true, false or null");
  });

  it("are an Arrow stream where Accept prefers it", async () => {
    const ask = (accept: string, maxRows = 1000) =>
      server.request("POST", QUERY, {
        headers: { "content-type": "application/json", accept },
        body: JSON.stringify({ sql: "SELECT id, title, price FROM products ORDER BY id", maxRows }),
      });
    const whole = await ask(`${ARROW}, application/json;q=0.9`);
    expect(whole.headers.get("content-type")).toBe(ARROW);
    expect(whole.headers.get("x-truncated")).toBe("false");
    const decoded = tableFromIPC(new Uint8Array(await whole.arrayBuffer()));
    expect(decoded.numRows).toBe(500);
    expect(decoded.schema.fields.map(({ name, type }) => [name, `${type}`])).toEqual([
      ["id", "Int32"],
      ["title", "Utf8"],
      ["price", "Decimal[9e+2]"],
    ]);
    expect(decoded.get(499)?.toJSON()).toMatchObject({ id: 500, title: "product 500" });
    const cut = await ask(ARROW, 7);
    expect(cut.headers.get("x-truncated")).toBe("true");
    expect(tableFromIPC(new Uint8Array(await cut.arrayBuffer())).numRows).toBe(7);
    const json = await ask(`application/json, ${ARROW};q=0.5`);
    expect(json.headers.get("content-type")).toContain("application/json");
    expect(json.headers.get("vary")).toBe("accept");
    const refused = await ask("text/csv");
    expect(refused.status).toBe(406);
  });

  it("are as large as they may be, in both forms, in the same connection", async () => {
    const sql = "SELECT range AS i, repeat('ü', 600) AS a FROM range(2500)";
    const ask = (accept: string) =>
      server.request("POST", QUERY, {
        headers: { "content-type": "application/json", accept },
        body: JSON.stringify({ sql, maxRows: 10_000 }),
      });
    const json = await ask("application/json");
    const body = Buffer.from(await json.arrayBuffer());
    expect(json.headers.get("content-length")).toBe(String(body.length));
    const { columns, rows: all, truncated } = JSON.parse(body.toString());
    expect([columns[1], all.length, all[2499], truncated]).toEqual([
      { name: "a", type: "Utf8" },
      2500,
      { i: 2499, a: "ü".repeat(600) },
      false,
    ]);
    const arrow = await ask(ARROW);
    const bytes = new Uint8Array(await arrow.arrayBuffer());
    expect(arrow.headers.get("x-truncated")).toBe("false");
    expect(arrow.headers.get("content-length")).toBe(String(bytes.length));
    expect(tableFromIPC(bytes).get(2499)?.toJSON()).toEqual({ i: 2499n, a: "ü".repeat(600) });
    expect(await rows("SELECT 1 AS a")).toEqual([{ a: 1 }]);
  });

  it("are cut by size too", async () => {
    const result = await query("SELECT repeat('x', 1000000) AS t FROM range(100)");
    expect(result.truncated).toBe(true);
    expect(result.rows.length).toBeGreaterThan(10);
    expect(result.rows.length).toBeLessThan(40);
  });

  it("refuse a request that breaks the rules, by its place", async () => {
    for (const [body, loc] of [
      [{}, ["body", "sql"]],
      [{ sql: "" }, ["body", "sql"]],
      [{ sql: "SELECT 1", maxRows: 0 }, ["body", "maxRows"]],
      [{ sql: "SELECT 1", maxRows: 100_001 }, ["body", "maxRows"]],
      [{ sql: "SELECT 1", timeoutSeconds: 601 }, ["body", "timeoutSeconds"]],
      [{ sql: "SELECT 1", limit: 1 }, ["body", "limit"]],
    ] as const) {
      const response = await server.postRaw(QUERY, body);
      expect(response.status).toBe(422);
      const { detail }: { detail: { loc: unknown }[] } = await response.json();
      expect(detail[0]?.loc).toEqual(loc);
    }
  });
});

describe("tables", () => {
  it("of all kinds join in one query, by short names in any case", async () => {
    const found = await rows(`
      SELECT c.name, p.title, sum(s.amount) AS total, count(*) AS n
      FROM sales s JOIN S.Customers c USING (customer) JOIN lake.s.PRODUCTS p ON p.id = c.customer
      WHERE s.region = 'north' AND c.since < DATE '2020-01-10'
      GROUP BY ALL ORDER BY c.name`);
    const expected = new Map<number, { total: number; n: number }>();
    for (let id = 0; id < 8000; id += 4) {
      const customer = id % 50;
      if (customer === 0 || customer >= 9) continue;
      const { total, n } = expected.get(customer) ?? { total: 0, n: 0 };
      expected.set(customer, { total: total + ((id % 7) + 1) * 10.5, n: n + 1 });
    }
    expect(found).toEqual(
      [...expected]
        .sort(([a], [b]) => a - b)
        .map(([customer, sums]) => ({
          name: `customer ${customer}`,
          title: `product ${customer}`,
          ...sums,
        })),
    );
  });

  it("of large Parquet files are read by the columns and row groups that are needed", async () => {
    const days = ["2024-01-01", "2024-01-02", "2024-01-03"];
    const paths = days.map((day) => join(folder, `readings-${day}.parquet`));
    for (const [index, path] of paths.entries()) {
      await runInDuckdb([
        `COPY (SELECT ${index} * 40960 + i AS id, hash(i) AS reading, md5(i::VARCHAR) AS note, md5(hash(i)::VARCHAR) AS more
         FROM range(40960) t(i)) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 4096)`,
      ]);
      await lake.put(`readings/day=${days[index]}/1.parquet`, path);
    }
    await table("readings", listing("bucket", lake.url("readings/")));
    const fetched = async (
      sql: string,
    ): Promise<{ rows: unknown; gets: number; bytes: number }> => {
      lake.gets.length = 0;
      const result = await rows(sql);
      const bytes = lake.gets.reduce((sum, get) => sum + get.bytes, 0);
      return { rows: result, gets: lake.gets.length, bytes };
    };
    const chunks = async (columns: string, groups = "true"): Promise<number> => {
      const [row] = await runInDuckdb([
        `SELECT sum(total_compressed_size)::DOUBLE FROM parquet_metadata(['${paths.join("', '")}'])
         WHERE path_in_schema IN (${columns}) AND ${groups}`,
      ]);
      return Number(row?.[0]);
    };
    const described = await fetched("DESCRIBE readings");
    expect(described.gets).toBe(3);

    const distinct = await fetched("SELECT count(DISTINCT day) AS days FROM readings");
    expect(distinct).toEqual({ rows: [{ days: 3 }], gets: 0, bytes: 0 });

    expect(await fetched("SELECT count(*) AS n FROM readings")).toEqual({
      rows: [{ n: 122880 }],
      gets: 0,
      bytes: 0,
    });

    const one = await fetched("SELECT id FROM readings LIMIT 1");
    expect(one.gets).toBe(1);
    expect(one.bytes).toBeLessThan(1.2 * (await chunks("'id'", "row_group_id = 0")));

    const last = await fetched(
      "SELECT count(*) AS n, min(note) AS m FROM readings WHERE id >= 118784",
    );
    expect(last.rows).toEqual([{ n: 4096, m: expect.stringMatching(/^00/) }]);
    const needed = await chunks("'id', 'note'", "row_group_id = 9 AND file_name LIKE '%01-03%'");
    expect(last.bytes).toBeGreaterThan(0.9 * needed);
    expect(last.bytes).toBeLessThan(1.2 * needed);

    const column = await fetched(
      "SELECT sum(reading)::VARCHAR AS s FROM readings WHERE day < '2024-01-03'",
    );
    const two = (2 / 3) * (await chunks("'reading'"));
    expect(column.bytes).toBeGreaterThan(0.9 * two);
    expect(column.bytes).toBeLessThan(1.2 * two);
  });

  it("are read from files of every format", async () => {
    await table("nested", listing("files", `file://${folder}/events.json`));
    await table(
      "zipped",
      listing("files", `file://${folder}/events.json.gz`, { fileType: "json" }),
    );
    await table("arrow", listing("files", `file://${folder}/two.arrow`));
    expect(
      await rows("SELECT detail.n AS n, detail.tags[1] AS tag FROM nested ORDER BY n"),
    ).toEqual([
      { n: 0, tag: "a" },
      { n: 1, tag: "a" },
      { n: 2, tag: "a" },
    ]);
    expect(await rows("SELECT * FROM zipped ORDER BY id")).toEqual([
      { id: 1, ok: true },
      { id: 2, ok: null },
    ]);
    expect(await rows("SELECT * FROM arrow ORDER BY id")).toEqual([
      { id: 1, name: "a" },
      { id: 2, name: "b" },
    ]);
  });

  it("fetch only the files of the partitions that the query needs", async () => {
    await putSales("pruned");
    await table("pruned", listing("bucket", lake.url("pruned/")));
    lake.takeReads();
    const sql =
      "SELECT count(*) AS n, max(amount) AS top FROM pruned WHERE region = 'north' AND year = 2024";
    expect((await explain(sql)).scans).toEqual([
      {
        table: "lake.s.pruned",
        source: expect.stringContaining("pruned/"),
        columns: ["amount", "region", "year"],
        filter: expect.stringMatching(/region.*north.*year.*2024/),
        limit: null,
        partitions: { read: 1, all: 8 },
      },
    ]);
    expect(await rows(sql)).toEqual([{ n: 1000, top: 73.5 }]);
    expect(lake.takeReads()).toEqual(["pruned/region=north/year=2024/data.parquet"]);
    const nested =
      "WITH n AS (SELECT * FROM pruned) SELECT sum(amount) AS n FROM n WHERE region = 'south'";
    expect(await rows(nested)).toHaveLength(1);
    expect(lake.takeReads()).toEqual([
      "pruned/region=south/year=2023/data.parquet",
      "pruned/region=south/year=2024/data.parquet",
    ]);
    expect(await rows("SELECT count(*) AS n FROM pruned WHERE region = 'nowhere'")).toEqual([
      { n: 0 },
    ]);
    expect(lake.takeReads()).toEqual([]);
  });

  it("of a warehouse get projection, filter and limit at the source", async () => {
    const { scans, columns } = await explain(
      "SELECT title FROM shop.public.products WHERE id > 490",
    );
    expect(scans).toMatchObject([
      {
        table: "shop.public.products",
        columns: ["id", "title"],
        filter: expect.stringMatching(/id.*490/),
      },
    ]);
    expect(columns).toEqual([{ name: "title", type: "Utf8" }]);
    expect((await explain("SELECT * FROM products LIMIT 3")).scans[0]?.limit).toBe(3);
    expect(await rows("SELECT count(*) AS n FROM shop.public.products WHERE id > 490")).toEqual([
      { n: 10 },
    ]);
  });

  it("are all seen by name, the warehouse's too", async () => {
    const found = await rows(
      "SELECT table_catalog || '.' || table_name AS name FROM information_schema.tables ORDER BY name",
    );
    expect(found).toEqual(
      expect.arrayContaining([{ name: "lake.sales" }, { name: "shop.products" }]),
    );
    const wrong = await problem("SELECT * FROM lake.s.custommers");
    expect(wrong.status).toBe(400);
    expect(wrong.detail).toMatch(/custommers[\s\S]*customers/);
  });

  it.each([
    ["delta", "_delta_log/00000000000000000000.json", "Delta Lake", ""],
    ["iceberg", "metadata/00000-6c1d.metadata.json", "Iceberg", "data/"],
  ])(
    "of %s are told apart from files, when written and when read",
    async (name, log, format, data) => {
      const root = join(folder, name);
      await mkdir(join(root, data), { recursive: true });
      await mkdir(join(root, log.split("/")[0]!));
      await runInDuckdb([`COPY (SELECT 1 AS id) TO '${root}/${data}a.parquet'`]);
      const inLog = join(root, log);
      // It was no such table when it was defined.
      await table(name, listing("files", `file://${root}/${data}`));
      expect(await rows(`FROM ${name}`)).toEqual([{ id: 1 }]);
      await writeFile(inLog, "{}");
      const told = expect.stringContaining(`${name}/ is a ${format} table`);
      expect(await problem(`FROM ${name}`)).toMatchObject({ status: 400, detail: told });
      const page = `${W}/catalogs/lake/schemas/s/tables/${name}`;
      for (const path of [`${page}/preview`, `${page}/profile`]) {
        const response = await server.request("GET", path);
        expect([response.status, await response.json()]).toMatchObject([400, { detail: told }]);
      }
      for (const path of [`${root}/`, root, `${root}/**/*.parquet`, `${root}/${data}a.parquet`]) {
        const spec = listing("files", `file://${path}`);
        const refused = {
          detail: [{ loc: ["body", "spec", "listing", "tablePaths", 0], msg: told }],
        };
        const made = await server.postRaw(`${W}/catalogs/lake/schemas/s/tables?tableId=again`, {
          spec,
        });
        expect([path, made.status, await made.json()]).toMatchObject([path, 422, refused]);
        const patched = await server.request(
          "PATCH",
          `${W}/catalogs/lake/schemas/s/tables/customers`,
          {
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ spec }),
          },
        );
        expect([path, patched.status, await patched.json()]).toMatchObject([path, 422, refused]);
      }
    },
  );

  it("whose connector is gone, of the wrong kind or out of reach say so", async () => {
    await server.post("/v1/connectors/objstore", {
      connector_name: "nobody",
      url: "s3://bucket/lake/",
    });
    await table("orphan", listing("nobody", "s3://bucket/lake/sales/"));
    await server.request("DELETE", "/v1/connectors/objstore/nobody?force=true");
    expect(await problem("SELECT * FROM orphan")).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/lake\.s\.orphan.*connectors\/nobody.*does not exist/),
    });
    await server.post("/v1/connectors/warehouse", {
      connector_name: "nobody",
      kind: "postgres",
      url: `postgres://127.0.0.1:${postgres.port}/shop`,
    });
    expect((await problem("SELECT * FROM orphan")).detail).toMatch(/is a warehouse connector/);
    await table("unreachable", relational("gone", "products"));
    expect((await problem("SELECT * FROM unreachable")).status).toBe(502);
    await table("unknown", relational("shop", "nothing_of_this_name"));
    expect((await problem("SELECT * FROM unknown")).status).toBe(400);
    expect(await rows("SELECT count(*) AS n FROM customers")).toEqual([{ n: 50 }]);
  });
});

describe("a statement that fails", () => {
  it.each([
    ["SELECT 1\nFROM customers\nWHERE nonsense = 1", { line: 3, column: 7 }],
    ["SELEC 1", { line: 1, column: 1 }],
    ["SELECT\n  frobnicate(1)", { line: 2, column: 3 }],
    ["SELECT name FROM nowhere", { line: 1, column: 18 }],
  ])("says where: %j", async (sql, position) => {
    const { status, detail, ...rest } = await problem(sql);
    expect(status).toBe(400);
    expect(detail).toMatch(/\w/);
    expect(rest).toMatchObject({ position });
  });

  it.each([
    "SELECT CAST(name AS INTEGER) FROM customers",
    "SELECT 9223372036854775807 + 1",
    "SELECT error('mine')",
  ])("on its data is a 400: %s", async (sql) => {
    expect((await problem(sql)).status).toBe(400);
  });

  it("is stopped in time", async () => {
    const endless =
      "WITH RECURSIVE r AS (SELECT 1::BIGINT AS n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r";
    expect((await problem(endless, { timeoutSeconds: 1 })).status).toBe(408);
  });

  it.each([
    "SELECT 1; SELECT 2",
    "COPY (SELECT 1) TO '/tmp/x.csv'",
    "CREATE TABLE t AS SELECT 1",
    "DROP VIEW customers",
    "ATTACH '/tmp/x.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET memory_limit = '100GB'",
    "PRAGMA database_list",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/**')",
    "SELECT getenv('HOME')",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM read_parquet('https://example.com/x.parquet')",
  ])("does not get past the walls: %s", async (sql) => {
    const { status, detail } = await problem(sql);
    expect(status).toBe(400);
    expect(detail).not.toContain("root:");
  });

  it("does not reach other files of the operator's folders either", async () => {
    const path = join(folder, "secret.txt");
    expect((await problem(`SELECT * FROM read_text('${path}')`)).status).toBe(400);
  });

  it("for a file that cannot be read says table, file and row, and nothing of the inside", async () => {
    const good = "id,n\n1,2\n";
    const files: [string, string | Uint8Array, RegExp][] = [
      [
        "short.csv",
        `${good}3\n`,
        /^lake\.s\.f0: short\.csv: row 2 has 1 field, and there are 2 columns/,
      ],
      ["long.csv", `${good}3,4,5\n`, /^lake\.s\.f1: long\.csv: row 2 has 3 fields/],
      [
        "open.csv",
        `${good}3,"4\n5,6\n`,
        /^lake\.s\.f2: open\.csv: A quote that opens in Row 2 is never closed/,
      ],
      [
        "cell.csv",
        `${good}${"3,4\n".repeat(30_000)}5;x,six\n`,
        /^lake\.s\.f3: cell\.csv: the column n has six, which is not of type Int64 \(row 30002\)$/,
      ],
      [
        "damaged.csv",
        Buffer.concat([Buffer.from("id,n\n1,éè\n2,"), Buffer.of(0xe9, 0x61), Buffer.from("\n")]),
        /^lake\.s\.f4: damaged\.csv cannot be read: line 3 is not valid UTF-8/,
      ],
      ["cut.ndjson", '{"id":1}\n{"id":\n', /^lake\.s\.f5: \S*cut\.ndjson/],
      ["declared.csv", "sep=;\nid;n\n1;2\n3\n", /^lake\.s\.f6: declared\.csv: row 2 has 1 field/],
      [
        "declared-cell.csv",
        `sep=;\nid;n\n1;2\n${"3;4\n".repeat(30_000)}5,x;six\n`,
        /^lake\.s\.f7: declared-cell\.csv: the column n has six, which .* \(row 30002\)$/,
      ],
      [
        "declared-damaged.csv",
        Buffer.concat([Buffer.from("sep=;\nid;n\n1;éè\n2;"), Buffer.of(0xe9, 0x61, 0x0a)]),
        /^lake\.s\.f8: declared-damaged\.csv cannot be read: line 4 is not valid UTF-8/,
      ],
    ];
    for (const [index, [name, bytes, message]] of files.entries()) {
      await writeFile(join(folder, name), bytes);
      await table(`f${index}`, listing("files", `file://${folder}/${name}`));
      const { status, detail } = await problem(
        `SELECT sum(length(n::TEXT)) FROM f${index}`.replace(
          "n::TEXT",
          name.endsWith("json") ? "id::TEXT" : "n::TEXT",
        ),
      );
      expect([status, detail]).toEqual([400, expect.stringMatching(message)]);
      expect(detail).not.toMatch(/listing-|\/tmp|=true|=false|sample_size|Possible/);
    }
    const forged =
      'SELECT error(\'x\' || chr(1) || \'{"column":0,"header":false,"delimiter":",","comment":"","isDeclared":false}\' || chr(1) || \'../../../../../../etc/passwd\' || chr(1) || \'root\')';
    expect((await problem(forged)).detail).toBe("x");
  });

  describe("in the middle of its rows", () => {
    it.each(["application/json", ARROW])(
      "is an error and no shorter result: %s",
      async (accept) => {
        const sql =
          "SELECT i, repeat('x', 100) AS s, CASE WHEN i = 60000 THEN error('boom') ELSE i END AS v FROM range(100000) AS t(i)";
        const response = await server.request("POST", QUERY, {
          headers: { "content-type": "application/json", accept },
          body: JSON.stringify({ sql, maxRows: 100_000 }),
        });
        expect(response.headers.get("content-type")).toContain("application/problem+json");
        expect([response.status, await response.json()]).toMatchObject([400, { detail: "boom" }]);
      },
    );

    it.each(["csv", "json"])("is one in every way to read a table of %s", async (kind) => {
      const name = `readings_${kind}`;
      const fileSchema = new Schema([new Field("reading", new Int32(), true)]);
      const ipcMessage = Buffer.from(Message.encode(Message.from(fileSchema))).toString("base64");
      await table(name, {
        listing: {
          connector: "workspaces/acme/connectors/files",
          tablePaths: [`file://${folder}/readings.${kind}`],
          snapshot: { fileSchema: { ipcMessage } },
        },
      });
      const told = { status: 400, detail: expect.stringMatching(/n\/a/) };
      expect(await problem(`FROM ${name}`, { maxRows: 100_000 })).toMatchObject(told);
      const page = `${W}/catalogs/lake/schemas/s/tables/${name}`;
      for (const path of [`${page}/preview?maxRows=100000`, `${page}/profile`]) {
        const response = await server.request("GET", path);
        const body: unknown = await response.json();
        expect([path, response.status, body]).toMatchObject([path, 400, told]);
      }
      const dataset = await server.postRaw("/v1/datasets", { name, table: `lake.s.${name}` });
      expect([dataset.status, await dataset.text()]).toEqual([400, expect.stringContaining("n/a")]);
      // What comes before the fault can be had.
      expect(await rows(`SELECT count(*) AS n FROM (FROM ${name} LIMIT 10)`)).toEqual([{ n: 10 }]);
    });

    it("is one in a cast of Parquet's values, and in rows of a warehouse", async () => {
      await table("texts", listing("files", `file://${folder}/readings.parquet`));
      const cast = "SELECT CAST(reading AS INTEGER) AS reading FROM texts";
      expect(await problem(cast, { maxRows: 100_000 })).toMatchObject({
        status: 400,
        detail: expect.stringContaining("Could not convert string 'n/a' to INT32"),
        position: { line: 1, column: 8 },
      });
      const pairs =
        "SELECT IF(a.id = 400 AND b.id = 90, error('at ' || a.title), 1) AS v FROM products a, products b WHERE b.id < 100";
      expect(await problem(pairs, { maxRows: 100_000 })).toMatchObject({
        status: 400,
        detail: "at product 400",
      });
    });
  });

  it("by memory or a damaged file leaves the service as it was", async () => {
    const bomb =
      "SELECT count(DISTINCT a.range || '-' || b.range || repeat('x', 1000)) AS n FROM range(100000) a, range(100000) b";
    expect([400, 408]).toContain((await problem(bomb, { timeoutSeconds: 5 })).status);
    await table("broken", listing("files", `file://${folder}/broken.parquet`));
    const { status, detail } = await problem("SELECT * FROM broken");
    expect([status, detail]).toEqual([
      400,
      expect.stringMatching(/^lake\.s\.broken: broken\.parquet cannot be read: /),
    ]);
    expect(detail).not.toMatch(/schema-|\b0-broken|listing-|table-\d/);
    expect(await rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });
});

it("ends a query whose caller has hung up, and gives its place to others", async () => {
  const endless =
    "SELECT sum(hash(a.range) % 7 + b.range) AS n FROM range(1000000) a, range(10000000) b";
  // As many as take every place there is.
  const hangUp = new AbortController();
  const open = Array.from({ length: availableParallelism() + 2 }, () =>
    server
      .request("POST", QUERY, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ sql: endless, timeoutSeconds: 600 }),
        signal: hangUp.signal,
      })
      .then(
        () => "answered",
        () => "hung up",
      ),
  );
  const tried = (): Promise<number> =>
    server.postRaw(QUERY, { sql: "SELECT 1", timeoutSeconds: 1 }).then(({ status }) => status);
  try {
    // They take their places as they arrive.
    await expect.poll(tried).toBe(408);
  } finally {
    hangUp.abort();
  }
  expect(new Set(await Promise.all(open))).toEqual(new Set(["hung up"]));
  expect(await rows("SELECT 1 AS one", { timeoutSeconds: 20 })).toEqual([{ one: 1 }]);
});

describe("a table's page", () => {
  const path = (name: string) => `${W}/catalogs/lake/schemas/s/tables/${name}`;

  it("previews the first rows, as JSON or Arrow", async () => {
    const preview: Result = await server.get(`${path("products")}/preview?maxRows=3`);
    expect(preview.rows.length).toBe(3);
    expect(preview.truncated).toBe(true);
    expect(Object.keys(preview.rows[0] ?? {})).toEqual(["id", "title", "price", "seen"]);
    expect((await server.get<Result>(`${path("customers")}/preview`)).truncated).toBe(false);
    const arrow = await server.request("GET", `${path("customers")}/preview?maxRows=2`, {
      headers: { accept: ARROW },
    });
    expect(tableFromIPC(new Uint8Array(await arrow.arrayBuffer())).numRows).toBe(2);
    expect((await server.request("GET", `${path("none")}/preview`)).status).toBe(404);
    expect((await server.request("GET", `${path("customers")}/preview?maxRows=0`)).status).toBe(
      422,
    );
  });

  it("profiles it from one scan, kept until the files or the definition change", async () => {
    interface Profile {
      readonly rows: number;
      readonly columns: readonly { name: string; datatype: { kind: string }; nullable: boolean }[];
      readonly profile: readonly Readonly<Record<string, unknown>>[];
      readonly revision: string;
      readonly revisionHash: string;
      readonly computeTime: string;
    }
    await lake.put("people/1.csv", join(folder, "customers.csv"));
    await table("people", listing("bucket", lake.url("people/")));
    const profile = (more = "") => server.get<Profile>(`${path("people")}/profile${more}`);
    lake.takeReads();
    const first = await profile();
    expect(first.columns).toEqual([
      { name: "customer", datatype: { kind: "numeric" }, nullable: false },
      { name: "name", datatype: { kind: "categorical" }, nullable: false },
      { name: "since", datatype: { kind: "timestamp" }, nullable: false },
    ]);
    expect(first).toMatchObject({ rows: 50, revision: "1" });
    expect(first.profile[0]).toMatchObject({
      name: "customer",
      count: 50,
      missing: 0,
      distinct: 50,
      min: 0,
      max: 49,
      mean: 24.5,
      quantiles: expect.arrayContaining([{ q: 0.5, value: 24.5 }]),
      histogram: { counts: expect.any(Array), edges: expect.any(Array) },
    });
    expect(first.profile[1]?.["top_values"]).toHaveLength(10);
    expect(first.profile[2]).toMatchObject({ min: "2020-01-01T00:00:00.000Z" });
    expect(lake.takeReads()).toEqual(["people/1.csv"]);
    expect(await profile()).toEqual(first);
    expect(lake.takeReads()).toEqual([]);
    expect((await profile("?refresh=true")).computeTime).not.toBe(first.computeTime);
    await lake.put("people/2.csv", join(folder, "customers.csv"));
    expect((await profile()).rows).toBe(100);
    await server.request("PATCH", path("people"), {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ spec: listing("bucket", lake.url("people/2.csv")) }),
    });
    const changed = await profile();
    expect(changed).toMatchObject({ rows: 50, revision: "2" });
    expect(changed.revisionHash).not.toBe(first.revisionHash);
    const ofWarehouse = await server.get<Profile>(`${path("products")}/profile`);
    expect(ofWarehouse.rows).toBe(500);
    expect(await server.get(`${path("products")}/profile`)).toEqual(ofWarehouse);
    expect((await server.request("GET", `${path("none")}/profile`)).status).toBe(404);
  });

  it("are profiled but for the columns whose cells are no single values", async () => {
    const photos = join(folder, "photos.parquet");
    await runInDuckdb([
      `COPY (SELECT i AS id, IF(i < 3, NULL, 'ab'::BLOB) AS "a photo", [i] AS tags, NULL::BLOB AS none
         FROM range(10) t(i)) TO '${photos}' (FORMAT parquet)`,
    ]);
    await table("photos", listing("files", `file://${photos}`));
    const { columns, profile, warnings } = await server.get<{
      columns: unknown[];
      profile: unknown[];
      warnings: string[];
    }>(`${path("photos")}/profile`);
    const other = { datatype: { kind: "other" }, nullable: true };
    expect(columns).toEqual([
      { name: "id", datatype: { kind: "numeric" }, nullable: false },
      { ...other, name: "a photo" },
      { ...other, name: "tags", nullable: false },
      { ...other, name: "none" },
    ]);
    expect(profile).toEqual([
      expect.objectContaining({ name: "id", mean: 4.5 }),
      { name: "a photo", kind: "other", type: "BLOB", count: 10, missing: 3 },
      { name: "tags", kind: "other", type: "BIGINT[]", count: 10, missing: 0 },
      { name: "none", kind: "other", type: "BLOB", count: 10, missing: 10 },
    ]);
    expect(warnings[0]).toBe(
      'Column "a photo" is of the type BLOB, which does not have one value per row: its missing values are counted, and nothing else is told of it.',
    );
    expect(warnings).toHaveLength(3);
  });
});

it("belongs to its organization, and asks for the scope", async () => {
  const stranger = { authorization: `Bearer ${server.token("others")}` };
  const post = (path: string, headers: Record<string, string>) =>
    server.request("POST", path, {
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ sql: "SELECT * FROM lake.s.customers" }),
    });
  for (const path of [QUERY, EXPLAIN]) {
    expect((await post(path, stranger)).status).toBe(404);
    expect((await post(path, { authorization: "" })).status).toBe(401);
    expect((await post(path.replace("acme", "nowhere"), {})).status).toBe(404);
  }
  await server.request("POST", "/v1/workspaces", {
    headers: { "content-type": "application/json", ...stranger },
    body: JSON.stringify({ name: "workspaces/acme" }),
  });
  expect((await post(QUERY, stranger)).status).toBe(400);
  const { key }: { key: string } = await server.post("/v1/api_keys", {
    name: "models only",
    scopes: ["models:read"],
  });
  expect((await post(QUERY, { authorization: `Bearer ${key}` })).status).toBe(403);
});

async function arrowOf(sql: string) {
  const headers = { "content-type": "application/json", accept: ARROW };
  const response = await server.request("POST", QUERY, { headers, body: JSON.stringify({ sql }) });
  return tableFromIPC(await response.bytes());
}

const warningsOf = ({ schema }: { schema: Schema }): unknown =>
  JSON.parse(schema.metadata.get("warnings") ?? "null");

it("tells in every form of an answer how the columns that it has are read", async () => {
  const ids = ["01234", "90210", "10001"];
  const days = ["01/02/2024", "03/04/2024", "05/06/2024"];
  const text = ids.map((id, i) => `${id},${days[i]},9007199254740993,1\n`).join("");
  await writeFile(join(folder, "codes.csv"), `zip,day,id,n\n${text}`);
  await table("codes", listing("files", `file://${folder}/codes.csv`));
  const zip = expect.stringMatching(
    /^lake\.s\.codes: the column zip .* "01234" \(row 1 of .*codes/,
  );
  const day = expect.stringMatching(/^lake\.s\.codes: the column day .* read as month\/day\/year/);
  const all = await query("SELECT * FROM codes");
  expect(all).toMatchObject({ warnings: [zip, day] });
  expect(all.rows[0]).toEqual({ zip: "01234", day: "2024-01-02", id: "9007199254740993", n: 1 });
  expect(await query("SELECT n FROM codes")).not.toHaveProperty("warnings");
  expect(warningsOf(await arrowOf("SELECT day, n FROM codes"))).toEqual([day]);
  expect(warningsOf(await arrowOf("SELECT n FROM codes"))).toBeNull();
  const path = `${W}/catalogs/lake/schemas/s/tables/codes`;
  const id = expect.stringContaining(
    '"id" has integers whose last digits a 64-bit float would lose',
  );
  expect(await server.get(`${path}/preview`)).toMatchObject({ warnings: [zip, day] });
  expect(await server.get(`${path}/profile`)).toMatchObject({ warnings: [zip, day, id] });
  const dataset = await server.post("/v1/datasets", { name: "codes", table: "lake.s.codes" });
  expect(dataset).toMatchObject({
    warnings: [zip, day, id],
    columns: ["categorical", "timestamp", "categorical", "numeric"].map((kind) => ({
      datatype: { kind },
    })),
  });
});

it("finds tables of the lake while a warehouse says nothing, and names it", async () => {
  const silent = await blackHole();
  await server.post("/v1/connectors/warehouse", {
    connector_name: "silent",
    kind: "postgres",
    url: `postgres://127.0.0.1:${silent.port}/shop`,
    credentials: { username: "reader", password: "of-the-reader" },
  });
  await server.post(`${W}/catalogs?catalogId=silent`, {
    relational: { connector: "workspaces/acme/connectors/silent", sourceCatalog: "shop" },
  });
  const told = expect.stringContaining("The connector 'silent' did not answer within");
  const shown = await server.post<Result & { warnings?: readonly string[] }>(QUERY, {
    sql: "SHOW ALL TABLES",
  });
  const names = shown.rows.map((row) => `${row["database"]}.${row["schema"]}.${row["name"]}`);
  expect(names).toEqual(expect.arrayContaining(["lake.s.customers", "shop.public.products"]));
  expect(shown.warnings).toEqual([told]);
  expect(warningsOf(await arrowOf("SHOW ALL TABLES"))).toEqual([told]);
  const { status, detail } = await problem("FROM custmers");
  expect([status, detail]).toEqual([400, expect.stringContaining('Did you mean "customers"?')]);
  expect(detail).toEqual(told);
  await server.request("DELETE", `${W}/catalogs/silent`);
  await silent.close();
  expect(await query("SHOW TABLES")).not.toHaveProperty("warnings");
});

it("exports all rows as a file, and answers a statement that fails with its fault", async () => {
  const sql =
    "SELECT range AS n, if(range = 1, '', 'a\"b') AS t, NULL AS m FROM range(250000) ORDER BY 1";
  const exported = async (format: string) => {
    const response = await server.request("POST", `${W}/query:export`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ sql, format }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-rows")).toBe("250000");
    return new Uint8Array(await response.arrayBuffer());
  };
  const csv = new TextDecoder().decode(await exported("csv")).split("\n");
  expect(csv.slice(0, 3)).toEqual(["n,t,m", '0,"a""b",', '1,"",']);
  expect(csv).toHaveLength(250_002);
  const parquet = await exported("parquet");
  expect(new TextDecoder().decode(parquet.subarray(0, 4))).toBe("PAR1");
  expect(tableFromIPC(await exported("arrow")).numRows).toBe(250_000);
  const refused = await server.request("POST", `${W}/query:export`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      sql: "SELECT CAST(range || 'x' AS INT) FROM range(9)",
      format: "arrow",
    }),
  });
  expect(refused.status).toBe(400);
});
