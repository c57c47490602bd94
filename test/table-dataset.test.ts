/** From a table to a dataset to a trained model, and what can go wrong on the way. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runInDuckdb } from "../server/src/testing/parquet-of.ts";
import { awaitJob, downloadModel, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const W = "/v1/workspaces/acme";
const TABLES = `${W}/catalogs/lake/schemas/s/tables`;
const ROWS = 120_000;

let server: SharedServer;
let folder: string;

interface Dataset {
  readonly dataset_id: string;
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly hash: string;
  readonly source: Readonly<Record<string, unknown>>;
  readonly columns: readonly {
    readonly name: string;
    readonly datatype: { readonly kind: string };
    readonly nullable: boolean;
  }[];
  readonly warnings: readonly string[];
  readonly sql_name: string;
  readonly sql_stable_name: string;
}

interface Profiled extends Dataset {
  readonly profile: readonly Readonly<Record<string, unknown>>[];
}

const register = (body: object): Promise<Dataset> => server.post("/v1/datasets", body);
const define = (name: string, file: string) =>
  server.post(`${TABLES}?tableId=${name}`, {
    spec: {
      listing: {
        connector: "workspaces/acme/connectors/files",
        tablePaths: [`file://${folder}/${file}`],
      },
    },
  });
const count = async () =>
  (await server.get<{ datasets: unknown[] }>("/v1/datasets?limit=500")).datasets.length;

beforeAll(async () => {
  server = await SharedServer.join();
  folder = await server.folder();
  await runInDuckdb([
    `COPY (SELECT i AS id, i % 13 AS week, ['red', 'green', 'blue'][1 + i // 7 % 3] AS color,
       (i * 7919 % 1000) / 10 AS x, CASE WHEN i % 11 > 0 THEN i * 104729 % 997 END AS z,
       TIMESTAMP '2024-01-01' + INTERVAL (i) MINUTE AS at, i % 5 = 0 AS flag,
       'note ' || i % 40 AS note, (i * 7919 % 1000) / 5 + i % 13 + hash(i) % 10 AS y
     FROM range(${ROWS}) t(i)) TO '${folder}/orders.parquet'`,
    `COPY (SELECT i AS id, i % 3 AS k FROM range(20) t(i)) TO '${folder}/small.csv' (HEADER)`,
    `COPY (SELECT 1 AS id, [1, 2] AS list) TO '${folder}/nested.parquet'`,
    `COPY (SELECT 1 AS id WHERE false) TO '${folder}/empty.parquet'`,
  ]);
  await server.post("/v1/workspaces", {
    name: "workspaces/acme",
    sqlDefaults: { defaultCatalog: "lake", defaultSchema: "s" },
  });
  await server.post("/v1/connectors/objstore", {
    connector_name: "files",
    url: `file://${folder}/`,
  });
  await server.post(`${W}/catalogs?catalogId=lake`);
  await server.post(`${W}/catalogs/lake/schemas?schemaId=s`);
  await define("orders", "orders.parquet");
  await define("small", "small.csv");
  await define("nested", "nested.parquet");
  await define("empty", "empty.parquet");
});

const revisions = (name: string) =>
  server.get<{ name: string; revision: string; revisionHash: string }>(`${TABLES}/${name}`);

describe("a dataset of a table", () => {
  it("knows its rows, its columns' kinds and where it came from", async () => {
    const { name, revision, revisionHash } = await revisions("orders");
    const dataset = await register({ name: "orders", table: "lake.s.orders" });
    expect(dataset).toMatchObject({
      name: "orders",
      rows: ROWS,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      source: { kind: "table", table: name, revision, revisionHash },
      warnings: [],
    });
    const uploaded: Dataset = await (
      await server.request("POST", "/v1/datasets?name=orders", {
        headers: { "content-type": "application/vnd.apache.parquet" },
        body: new Uint8Array(await readFile(join(folder, "orders.parquet"))),
      })
    ).json();
    expect(dataset.columns).toEqual(uploaded.columns);
    const of = ({ dataset_id }: Dataset) => server.get<Profiled>(`/v1/datasets/${dataset_id}`);
    const [bySql, byEngine] = [await of(dataset), await of(uploaded)];
    for (const [at, column] of byEngine.profile.entries()) {
      for (const member of [
        "name",
        "kind",
        "count",
        "missing",
        "distinct",
        "min",
        "max",
        "histogram",
        "top_values",
      ]) {
        expect([member, bySql.profile[at]?.[member]]).toEqual([member, column[member]]);
      }
    }
  });

  it("is named in full or in short, and stays as it was when the table goes", async () => {
    const { name } = await revisions("small");
    const one = await register({ name: "one", table: name });
    const two = await register({ name: "two", table: "SMALL" });
    expect(two.hash).toBe(one.hash);
    expect((await server.request("DELETE", `${TABLES}/small`)).status).toBe(200);
    expect((await server.postRaw("/v1/datasets", { name: "x", table: name })).status).toBe(404);
    const kept = await server.get<Profiled>(`/v1/datasets/${one.dataset_id}`);
    expect(kept).toMatchObject({ rows: 20, hash: one.hash, source: one.source });
    await define("small", "small.csv");
    expect(Number((await revisions("small")).revision)).toBeGreaterThan(
      Number(one.source["revision"]),
    );
  });

  it("of SQL keeps the statement and the tables it read", async () => {
    const sql =
      "SELECT o.color, avg(o.y) AS y, count(*) AS n FROM orders o JOIN small s USING (id) WHERE o.x > $low GROUP BY o.color";
    const dataset = await register({ name: "joined", sql, parameters: { low: 1 } });
    expect(dataset.rows).toBe(3);
    expect(dataset.source).toEqual({
      kind: "sql",
      sql,
      parameters: { low: 1 },
      tables: await Promise.all(
        ["orders", "small"].map(async (table) => {
          const { name, revision, revisionHash } = await revisions(table);
          return { table: name, revision, revisionHash };
        }),
      ),
    });
    expect(dataset.columns.map(({ name, datatype }) => [name, datatype.kind])).toEqual([
      ["color", "categorical"],
      ["y", "numeric"],
      ["n", "numeric"],
    ]);
  });

  it("honours Idempotency-Key", async () => {
    const ask = async () => {
      const response = await server.request("POST", "/v1/datasets", {
        headers: { "content-type": "application/json", "idempotency-key": "once" },
        body: JSON.stringify({ name: "once", sql: "SELECT 1 AS a, 2 AS b" }),
      });
      return ((await response.json()) as Dataset).dataset_id;
    };
    expect(await ask()).toBe(await ask());
  });
});

describe("a request for a dataset", () => {
  it.each([
    [{ name: "x" }, ["body"]],
    [{ name: "x", table: "small", sql: "SELECT 1" }, ["body"]],
    [{ name: "x", table: "small", parameters: [] }, ["body", "parameters"]],
    [{ table: "small" }, ["body", "name"]],
    [{ name: "", table: "small" }, ["body", "name"]],
    [{ name: "x", table: "not a name" }, ["body", "table"]],
    [{ name: "x", table: "a.b.c.d" }, ["body", "table"]],
    [{ name: "x", table: "nested" }, ["body", "table"]],
    [{ name: "x", table: "empty" }, ["body", "table"]],
    [{ name: "x", sql: "SELECT 1 AS a WHERE false" }, ["body", "sql"]],
    [{ name: "x", sql: "SELECT 1 AS a, 'x'::BLOB AS bytes" }, ["body", "sql"]],
    [{ name: "x", sql: "SELECT 1 AS a, 2 AS a" }, ["body", "sql"]],
    [{ name: "x", sql: 'SELECT 1 AS " "' }, ["body", "sql"]],
  ])("is refused with 422: %j", async (body, loc) => {
    const before = await count();
    const response = await server.postRaw("/v1/datasets", body);
    const answer: { detail: { loc: unknown; msg: string }[] } = await response.json();
    expect(response.status, JSON.stringify(answer)).toBe(422);
    expect(answer.detail[0]?.loc).toEqual(loc);
    expect(await count()).toBe(before);
  });

  it("names the column that no dataset can hold", async () => {
    const response = await server.postRaw("/v1/datasets", { name: "x", table: "nested" });
    const { detail }: { detail: { msg: string; ctx: unknown }[] } = await response.json();
    expect(detail[0]?.msg).toMatch(/"list".*INTEGER\[\]/);
    expect(detail[0]?.ctx).toMatchObject({ column: "list" });
  });

  it.each(["row(1, 2)", "[row(1, 2)]", "union_value(k := row(1, 2))", "{'a': 1}", "'a'::BLOB"])(
    "names the column of a query that none can hold: %s",
    async (odd) => {
      const sql = `SELECT 1 AS a, ${odd} AS odd`;
      const response = await server.postRaw("/v1/datasets", { name: "x", sql });
      expect(response.status).toBe(422);
      expect(await response.text()).toMatch(/Column \\"odd\\" is of the type .* leave it out/);
    },
  );

  it("fails as its query does, and leaves nothing", async () => {
    const before = await count();
    for (const [body, status] of [
      [{ name: "x", sql: "SELECT nonsense FROM orders" }, 400],
      [{ name: "x", sql: "SELECT 1; SELECT 2" }, 400],
      [{ name: "x", sql: "SELECT error('late') FROM orders WHERE id = 119999" }, 400],
      [{ name: "x", table: "lake.s.none" }, 404],
    ] as const) {
      expect((await server.postRaw("/v1/datasets", body)).status).toBe(status);
    }
    expect(await count()).toBe(before);
  });
});

describe("training", () => {
  const row = {
    id: 5,
    week: 3,
    color: "red",
    x: 12.5,
    z: 4,
    at: "2024-03-01",
    flag: true,
    note: "note 7",
  };
  const run = (datasetId: string, filter?: object) =>
    startRun(server, {
      dataset_id: datasetId,
      name: "orders",
      task: { task_kind: "regression", label_column: "y", ignore_columns: ["id"] },
      ...(filter && { filter }),
      hpo_space: {
        models: [{ family: "gbdt", fixed: { n_estimators: 10 } }, { family: "linear" }],
      },
      n_trials: 1,
      n_cv_splits: 2,
    });

  it("on a table's rows predicts", async () => {
    const { dataset_id } = await register({
      name: "orders",
      sql: "SELECT * FROM orders WHERE id < 3000",
    });
    const { model_id, status, error_message } = await awaitJob(server, await run(dataset_id));
    expect([status, error_message]).toEqual(["completed", ""]);
    const { predictions }: { predictions: { value: number }[] } = await server.post(
      `/v1/models/${model_id}/predict`,
      { instances: [row] },
    );
    expect(predictions[0]?.value).toBeGreaterThan(5);
    expect(predictions[0]?.value).toBeLessThan(60);
  });

  it("makes the same model of a filter's rows, whichever way the dataset came", async () => {
    const filter = {
      op: "and",
      exprs: [
        { column: "week", op: "in", value: [2, 3, 5] },
        { column: "at", op: "ge", value: "2024-01-20T00:00:00Z" },
        { expr: { column: "color", op: "eq", value: "red" } },
        {
          op: "or",
          exprs: [
            { column: "z", op: "is_null" },
            { column: "x", op: "lt", value: 40.5 },
          ],
        },
      ],
    };
    const narrowed = await register({ name: "orders", table: "orders" });
    const whole: Dataset = await (
      await server.request("POST", "/v1/datasets?name=orders", {
        headers: { "content-type": "application/vnd.apache.parquet" },
        body: new Uint8Array(await readFile(join(folder, "orders.parquet"))),
      })
    ).json();
    const models: Map<string, Buffer>[] = [];
    for (const { dataset_id } of [narrowed, whole]) {
      const job = await awaitJob(server, await run(dataset_id, filter));
      expect([job.status, job.error_message]).toEqual(["completed", ""]);
      models.push(await downloadModel(server, job.model_id));
    }
    const [one, other] = models;
    expect([...(one?.keys() ?? [])].sort()).toEqual([...(other?.keys() ?? [])].sort());
    for (const [path, bytes] of one ?? []) {
      expect(bytes.equals(other?.get(path) ?? Buffer.alloc(0)), path).toBe(true);
    }
  });

  it("is told of a filter that leaves too little in the numbers of the dataset", async () => {
    const { dataset_id } = await register({ name: "orders", table: "orders" });
    const response = await server.postRaw("/v1/trainer/run", {
      dataset_id,
      task: { task_kind: "regression", label_column: "y" },
      filter: { column: "id", op: "lt", value: 4 },
    });
    expect(response.status).toBe(422);
    const { detail }: { detail: { loc: unknown; msg: string }[] } = await response.json();
    expect(detail[0]).toMatchObject({
      loc: ["body", "filter"],
      msg: expect.stringContaining(`leaves 4 of ${ROWS} rows`),
    });
  });
});

describe("an uploaded dataset in SQL", () => {
  const query = async (sql: string, more: object = {}) =>
    await server.post<{ columns: { name: string; type: string }[]; rows: unknown[] }>(
      `${W}/query`,
      { sql, ...more },
    );
  const fault = async (sql: string) => {
    const response = await server.postRaw(`${W}/query`, { sql });
    const { detail }: { detail: string } = await response.json();
    return { status: response.status, detail };
  };
  const upload = async (name: string, csv: string): Promise<Dataset> =>
    await (
      await server.request("POST", `/v1/datasets?name=${encodeURIComponent(name)}`, {
        headers: { "content-type": "text/csv" },
        body: csv,
      })
    ).json();
  const ODD = [
    "id,Id,flag,seen,name,code,big,share",
    '1,10,true,2024-02-29T10:05:06Z,"a ""b"", <c>",01,9007199254740993,0.5',
    "2,,false,2024-03-01T00:00:00.250Z,,02,12,0.25",
    "-3,30,,,\u00e9\u4e2d,01,,-1e300",
  ].join("\n");
  let odd: Dataset;

  it("is missed by a message that says where datasets come from, while there is none", async () => {
    const other = server.token("without-datasets");
    const ask = (path: string, body: object) =>
      fetch(`${server.baseUrl}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${other}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    await ask("/v1/workspaces", { name: "workspaces/acme" });
    const response = await ask(`${W}/query`, { sql: "FROM datasets.churn" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      detail: expect.stringContaining("There is no dataset yet: upload one with POST /v1/datasets"),
    });
  });

  beforeAll(async () => {
    odd = await upload("Odd R\u00e9sum\u00e9s.csv", ODD);
  });

  it("is there by a name that its record tells, as its rows are", async () => {
    expect(odd.sql_name).toBe("odd_resumes");
    expect(odd.sql_stable_name).toBe(`odd_resumes_${odd.dataset_id.slice(-12)}`);
    const { columns, rows } = await server.get<{ columns: string[]; rows: unknown[][] }>(
      `/v1/datasets/${odd.dataset_id}/rows`,
    );
    for (const name of [odd.sql_name, `main.${odd.sql_name}`, odd.sql_stable_name]) {
      const answer = await query(`SELECT * FROM datasets.${name}`);
      expect(answer.columns.map(({ name }) => name)).toEqual(
        columns.map((name) => (name === "Id" ? "Id_1" : name)),
      );
      expect(answer.rows.map((row) => Object.values(row as object))).toEqual(rows.map(asShown));
    }
    expect((await query(`FROM datasets.${odd.sql_name}`)).columns.map(({ type }) => type)).toEqual([
      "Int64",
      "Int64",
      "Bool",
      "Timestamp<MICROSECOND, UTC>",
      "Utf8",
      expect.any(String),
      expect.any(String),
      "Float64",
    ]);
  });

  it("is filtered, counted, joined with tables, explained and exported", async () => {
    const orders = await register({ name: "orders in sql", table: "orders" });
    const { sql_name } = orders;
    expect((await query(`SELECT count(*) AS n FROM datasets.${sql_name}`)).rows).toEqual([
      { n: ROWS },
    ]);
    for (const where of [
      "id >= 119990",
      "id BETWEEN 65530 AND 65540",
      "\"at\" < TIMESTAMP '2024-01-01 00:10:00' OR id = 119999",
      "z IS NULL AND id > 119000",
      "color = 'red' AND x > 99.5",
      "NOT flag AND week IN (1, 12)",
      "id < 0",
      "note = 'note 7' AND \"at\" >= DATE '2024-03-20'",
    ]) {
      const sums = (table: string) =>
        query(`SELECT count(*) AS n, sum(id) AS s, max(y) AS m FROM ${table} WHERE ${where}`);
      expect((await sums(`datasets.${sql_name}`)).rows, where).toEqual((await sums("orders")).rows);
    }
    const joined = await query(
      `SELECT count(*) AS n FROM datasets.${sql_name} JOIN small USING (id)`,
    );
    expect(joined.rows).toEqual([{ n: 20 }]);
    const plan = await server.post<{ scans: unknown[] }>(`${W}/query:explain`, {
      sql: `SELECT week FROM datasets.${sql_name} WHERE id > 7`,
    });
    expect(plan.scans).toEqual([
      {
        table: `datasets.main.${sql_name}`,
        source: `dataset orders in sql (${orders.dataset_id})`,
        columns: ["id", "week"],
        filter: expect.stringContaining("7"),
        limit: null,
        partitions: { read: 1, all: 1 },
      },
    ]);
    const exported = await server.postRaw(`${W}/query:export`, {
      sql: `SELECT id FROM datasets.${sql_name} WHERE id % 40000 = 1 ORDER BY id`,
      format: "csv",
    });
    expect(await exported.text()).toBe("id\n1\n40001\n80001\n");
  });

  it("has whole numbers below 2^53 as such, wherever they go", async () => {
    const most = 2 ** 53 - 1;
    await upload("ids.csv", `long,unsafe\n${most},9007199254740992\n-3000000000,1\n,2`);
    const sql = `SELECT long, unsafe FROM datasets.ids WHERE long <> 9007199254740990`;
    const types = async (name: string) =>
      (await query(`FROM datasets.${name}`)).columns.map(({ type }) => type);
    expect((await query(sql)).rows).toEqual([
      { long: most, unsafe: 9007199254740992 },
      { long: -3e9, unsafe: 1 },
    ]);
    expect(await types("ids")).toEqual(["Int64", "Float64"]);
    const exported = await server.postRaw(`${W}/query:export`, { sql, format: "csv" });
    expect(await exported.text()).toBe(
      "long,unsafe\n9007199254740991,9007199254740992.0\n-3000000000,1.0\n",
    );
    const { sql_name } = await register({ name: "ids again", sql: "FROM datasets.ids" });
    expect(await types(sql_name)).toEqual(["Int64", "Float64"]);
  });

  it("has times that were written with zones as instants, and others as what a clock showed", async () => {
    const times = [
      "id,zoned,offset,clock,some,near",
      "1,2024-03-31T01:30:00Z,2024-03-31T03:30:00+02:00,2024-03-31 01:30:00,2024-03-31T01:30:00Z,03/04/2024 01:00Z",
      "2,,2024-07-01T02:00:00+02:00,,2024-07-01 00:00:00,04/05/2024 01:00Z",
      "3,2024-01-01T00:00:00.5Z,2024-01-01T01:00:00+01:00,2024-01-01 00:00:00,,05/06/2024 01:00Z",
    ];
    await upload("times.csv", times.join("\n"));
    const { columns } = await query("FROM datasets.times");
    const [instant, clock] = ["Timestamp<MICROSECOND, UTC>", "Timestamp<MICROSECOND>"];
    expect(columns.map(({ type }) => type)).toEqual([
      "Int64",
      ...[instant, instant, clock, clock, instant],
    ]);
    const ofBerlin = (name: string) => `${name} AT TIME ZONE 'Europe/Berlin' AS ${name}`;
    const { rows } = await query(
      `SELECT ${["zoned", "offset", "clock", "near"].map((name) => ofBerlin(`"${name}"`)).join(", ")}
       FROM datasets.times WHERE zoned > TIMESTAMPTZ '2024-03-01 00:00:00+00'`,
    );
    const summer = "2024-03-31T03:30:00";
    // A clock's time is taken to be of the zone, which is the other way round.
    const shown = { zoned: summer, offset: summer, near: "2024-03-04T02:00:00" };
    expect(rows).toEqual([{ ...shown, clock: "2024-03-31T00:30:00Z" }]);
    // Filters leave out no row by their kind, and a dataset of a query keeps what its columns are.
    const early =
      "SELECT id FROM datasets.times WHERE zoned < '2024-02-01' OR clock < '2024-02-01'";
    expect((await query(early)).rows).toEqual([{ id: 3 }]);
    const { sql_name } = await register({ name: "times again", sql: "FROM datasets.times" });
    expect((await query(`FROM datasets.${sql_name}`)).columns.slice(1)).toMatchObject([
      ...[instant, instant, clock, clock, instant].map((type) => ({ type })),
    ]);
  });

  it("is listed where names are looked for, and a misspelt one is corrected", async () => {
    const { rows } = await query(
      "SELECT column_name FROM information_schema.columns WHERE table_catalog = 'datasets' AND table_name = 'odd_resumes' ORDER BY ordinal_position LIMIT 2",
    );
    expect(rows).toEqual([{ column_name: "id" }, { column_name: "Id_1" }]);
    const { status, detail } = await fault("SELECT * FROM datasets.odd_resume");
    expect(status).toBe(400);
    expect(detail).toContain('Did you mean "datasets.odd_resumes"?');
    const asFile = await fault('SELECT * FROM datasets."Odd résumé scores.csv"');
    expect(asFile.detail).toContain('Names of datasets that are like it: "datasets.odd_resumes"');
    const unlike = await fault("SELECT * FROM datasets.zzz");
    expect(unlike.detail).toMatch(/No dataset has a name like it\. The newest: "datasets\.\w+"/);
  });

  it("has the short name while it is the newest of its name, and the other for good", async () => {
    const first = await upload("twice", "a\n1");
    const second = await upload("TWICE.csv", "a\n2");
    expect([first.sql_name, second.sql_name]).toEqual(["twice", "twice"]);
    const again = await server.get<Dataset>(`/v1/datasets/${first.dataset_id}`);
    expect(again.sql_name).toBe(first.sql_stable_name);
    const values = (name: string) => query(`SELECT a FROM datasets.${name}`);
    expect((await values("twice")).rows).toEqual([{ a: 2 }]);
    expect((await values(first.sql_stable_name)).rows).toEqual([{ a: 1 }]);
    await server.request("DELETE", `/v1/datasets/${second.dataset_id}`);
    expect((await values("Twice")).rows).toEqual([{ a: 1 }]);
    expect((await fault(`FROM datasets.${second.sql_stable_name}`)).status).toBe(400);
  });

  it("becomes a dataset again, which knows its parent", async () => {
    const sql = `SELECT id, share * 2 AS twice FROM datasets.${odd.sql_name} WHERE id > 0`;
    const made = await register({ name: "made", sql });
    const table = { table: `datasets.main.${odd.sql_name}`, dataset_id: odd.dataset_id };
    expect(made.source).toEqual({ kind: "sql", sql, parameters: [], tables: [table] });
    const copied = await register({ name: "copied", table: `datasets.${odd.sql_name}` });
    expect(copied.source).toEqual({ kind: "table", ...table });
    interface Lineage {
      readonly nodes: readonly { readonly kind: string; readonly id: string }[];
    }
    const nodes = async (id: string) =>
      (await server.get<Lineage>(`/v1/datasets/${id}/lineage`)).nodes
        .filter(({ kind }) => kind === "dataset")
        .map((node) => node.id);
    expect((await nodes(made.dataset_id)).sort()).toEqual([made.dataset_id, odd.dataset_id].sort());
    expect((await nodes(odd.dataset_id)).sort()).toEqual(
      [made.dataset_id, odd.dataset_id, copied.dataset_id].sort(),
    );
  });

  it("has a preview and a profile as a table has", async () => {
    const table = `${W}/catalogs/datasets/schemas/main/tables/${odd.sql_name}`;
    const { rows, truncated } = await server.get<{ rows: unknown[]; truncated: boolean }>(
      `${table}/preview?maxRows=2`,
    );
    expect([rows.length, truncated]).toEqual([2, true]);
    const { profile } = await server.get<Profiled>(`/v1/datasets/${odd.dataset_id}`);
    expect(await server.get(`${table}/profile`)).toMatchObject({
      rows: 3,
      profile,
      revisionHash: odd.hash,
    });
  });

  it("is for those alone who may read datasets of its organization", async () => {
    const { key }: { key: string } = await server.post("/v1/api_keys", {
      name: "workspace alone",
      scopes: ["workspace:read"],
    });
    const asked = await server.request("POST", `${W}/query`, {
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ sql: `FROM datasets.${odd.sql_name}` }),
    });
    expect([asked.status, ((await asked.json()) as { detail: string }).detail]).toEqual([
      403,
      "This needs the scope datasets:read.",
    ]);
    const listed = await server.request("POST", `${W}/query`, {
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({
        sql: "SELECT count(*) AS n FROM information_schema.tables WHERE table_catalog = 'datasets'",
      }),
    });
    expect(await listed.json()).toMatchObject({ rows: [{ n: 0 }] });
    const { key: writer }: { key: string } = await server.post("/v1/api_keys", {
      name: "datasets alone",
      scopes: ["datasets:read", "datasets:write"],
    });
    for (const from of [{ table: "lake.s.orders" }, { sql: "FROM orders" }, { sql: "FROM nix" }]) {
      const made = await server.request("POST", "/v1/datasets", {
        headers: { "content-type": "application/json", authorization: `Bearer ${writer}` },
        body: JSON.stringify({ name: "copied", ...from }),
      });
      expect([made.status, ((await made.json()) as { detail: string }).detail]).toEqual([
        403,
        "This needs the scope workspace:read.",
      ]);
    }
    const stranger = await SharedServer.join();
    await stranger.post("/v1/workspaces", { name: "workspaces/acme" });
    const other = await stranger.postRaw(`${W}/query`, {
      sql: `FROM datasets.${odd.sql_stable_name}`,
    });
    expect(other.status).toBe(400);
  });

  it("leaves an organization's own catalog of that name as it was", async () => {
    const own = await upload("small", "id\n1");
    expect((await query("SELECT count(*) AS n FROM datasets.small")).rows).toEqual([{ n: 1 }]);
    await server.post(`${W}/catalogs?catalogId=datasets`);
    await server.post(`${W}/catalogs/datasets/schemas?schemaId=main`);
    await server.post(`${W}/catalogs/datasets/schemas/main/tables?tableId=small`, {
      spec: {
        listing: {
          connector: "workspaces/acme/connectors/files",
          tablePaths: [`file://${folder}/small.csv`],
        },
      },
    });
    expect((await query("SELECT count(*) AS n FROM datasets.small")).rows).toEqual([{ n: 20 }]);
    expect((await query(`FROM datasets.${own.sql_stable_name}`)).rows).toEqual([{ id: 1 }]);
  });
});

/** Times as SQL writes them: without zeros at the end of a second. */
const asShown = (row: readonly unknown[]): unknown[] =>
  row.map((cell) =>
    typeof cell === "string" && /^\d{4}-.*T.*Z$/.test(cell)
      ? cell.replace(/(\.\d*?)0+Z$/, "$1Z")
      : cell,
  );
