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
