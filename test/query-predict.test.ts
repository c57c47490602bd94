/** `predict('model', rows)` in statements: the answers of `predict`, wherever a table may stand. */

import { tableFromIPC } from "apache-arrow";
import { beforeAll, describe, expect, it } from "vitest";
import { runInDuckdb } from "../server/src/testing/parquet-of.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const W = "/v1/workspaces/acme";
const MANY = 150_000;
const PEOPLE = 240;

type Cells = Readonly<Record<string, unknown>>;
interface Result {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly Cells[];
  readonly truncated: boolean;
  readonly warnings?: readonly string[];
}

let server: SharedServer;
let folder: string;
let churn: string;
let spend: string;
let sequences: string;

const query = (sql: string, more: object = {}): Promise<Result> =>
  server.post(`${W}/query`, { sql, ...more });
const rows = async (sql: string, more: object = {}) => (await query(sql, more)).rows;

async function refused(sql: string, more: object = {}, path = `${W}/query`) {
  const response = await server.postRaw(path, { sql, ...more });
  return { status: response.status, text: await response.text() };
}

/** Rows that differ in each column, with holes and zeros in front. */
const PERSON = `SELECT (9007199254740993 + i)::BIGINT AS id,
    CASE WHEN i % 17 = 0 THEN NULL ELSE 18 + (i * 37) % 60 END AS age,
    ['basic', 'plus', 'it''s "c"'][1 + (i * 7) % 3] AS plan, '0' || (i % 9) AS zip,
    ((i * 7919) % 1009) / 10.0::DOUBLE AS spend,
    CASE WHEN (i * 37) % 60 > 30 THEN 'yes' ELSE 'no' END AS churned,
    DATE '2024-01-01' + i::INTEGER AS since, {'tags': ['a', NULL]} AS detail`;
const STEPS = `SELECT 's' || (i // 12) AS seq, (i % 12)::INTEGER AS step,
    round(sin((i % 12) * (1 + (i // 12) % 2)) + ((i // 12 * 37) % 11) / 50.0, 3) AS x,
    CASE WHEN (i // 12) % 2 = 1 THEN 'fast' ELSE 'slow' END AS speed FROM range(480) t(i)`;

async function makeTables(): Promise<void> {
  await runInDuckdb([
    `COPY (${PERSON} FROM range(${PEOPLE}) t(i)) TO '${folder}/customers.parquet' (FORMAT parquet)`,
    `COPY (SELECT j, person.* FROM (SELECT j, j % ${PEOPLE} AS i FROM range(${MANY}) r(j)) AS all_of,
       LATERAL (${PERSON}) AS person ORDER BY j) TO '${folder}/many.parquet' (FORMAT parquet)`,
    `COPY (SELECT 'basic' AS plan, 10 AS price UNION ALL SELECT 'plus', 20) TO '${folder}/plans.parquet' (FORMAT parquet)`,
    `COPY (${STEPS}) TO '${folder}/steps.parquet' (FORMAT parquet)`,
    `COPY (SELECT 1 AS a) TO '${folder}/predict.parquet' (FORMAT parquet)`,
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
  for (const name of ["customers", "many", "plans", "steps", "predict"]) {
    await server.post(`${W}/catalogs/lake/schemas/s/tables?tableId=${name}`, {
      spec: {
        listing: {
          connector: "workspaces/acme/connectors/files",
          tablePaths: [`file://${folder}/${name}.parquet`],
        },
      },
    });
  }
}

const SMALL = {
  gbdt: { n_estimators: 10, learning_rate: 0.3 },
  minirocket: { features: 1000 },
};

async function train(
  name: string,
  dataset_id: string,
  task: object,
  family: keyof typeof SMALL = "gbdt",
) {
  const fixed = SMALL[family];
  const id = await startRun(server, {
    ...{ dataset_id, task, n_trials: 1, n_cv_splits: 3 },
    hpo_space: { models: [{ family, fixed }] },
  });
  const job = await awaitJob(server, id);
  if (job.status !== "completed") throw new Error(job.error_message);
  const named = await server.request("PATCH", `/v1/models/${job.model_id}`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  if (!named.ok) throw new Error(await named.text());
  return job.model_id;
}

beforeAll(async () => {
  server = await SharedServer.join();
  folder = await server.folder();
  await makeTables();
  const registered = async (sql: string) =>
    (await server.post<{ dataset_id: string }>("/v1/datasets", { name: "rows", sql })).dataset_id;
  const customers = await registered("SELECT age, plan, zip, spend, churned FROM customers");
  const steps = await registered("FROM steps");
  [churn, spend, sequences] = await Promise.all([
    train("churn", customers, { task_kind: "binclass", label_column: "churned" }),
    train("spend", customers, { task_kind: "regression", label_column: "spend" }),
    train(
      "speed",
      steps,
      {
        ...{ task_kind: "sequence_binclass", label_column: "speed" },
        ...{ sequence_column: "seq", order_column: "step" },
      },
      "minirocket",
    ),
  ]);
  const alias = await server.request("PUT", "/v1/registry/churn/aliases/champion", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model_id: churn }),
  });
  if (!alias.ok) throw new Error(await alias.text());
});

async function settled(id: string): Promise<{ readonly status: string }> {
  for (;;) {
    const job = await server.get<{ status: string }>(`/v1/batch_predictions/${id}`);
    if (job.status === "completed" || job.status === "failed") return job;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

interface Answer {
  readonly value?: number;
  readonly label?: string;
  readonly interval?: readonly number[];
  readonly probabilities?: Readonly<Record<string, number>>;
}

async function answered(model: string, where = "true", options = ""): Promise<readonly Answer[]> {
  const instances = await rows(
    `SELECT age, plan, zip, spend, churned FROM customers WHERE ${where} ORDER BY id`,
  );
  return (
    await server.post<{ predictions: Answer[] }>(`/v1/models/${model}/predict${options}`, {
      instances,
    })
  ).predictions;
}

describe("answers as predict does", () => {
  it("beside the rows' columns, whose types stay what they are", async () => {
    const { columns, rows: found } = await query(
      "SELECT * FROM predict('churn@champion', TABLE customers) ORDER BY id",
    );
    const plain = await query("FROM customers ORDER BY id");
    expect(columns).toEqual([
      ...plain.columns,
      { name: "prediction", type: "Utf8" },
      { name: "probability_no", type: "Float64" },
      { name: "probability_yes", type: "Float64" },
    ]);
    const answers = await answered(churn);
    expect(found).toEqual(
      plain.rows.map((row, at) => ({
        ...row,
        prediction: answers[at]!.label,
        probability_no: answers[at]!.probabilities?.["no"],
        probability_yes: answers[at]!.probabilities?.["yes"],
      })),
    );
  });

  it("with intervals and contributions under a prefix, of a query's rows, by parameters", async () => {
    const found = await rows(
      "SELECT * FROM predict($model, (SELECT * FROM customers WHERE spend > $least), intervals := $level, contributions => true, prefix = 'p_') WHERE age > $age ORDER BY id",
      { parameters: { model: spend, least: 20, level: 0.8, age: 40 } },
    );
    const answers = await answered(spend, "spend > 20 AND age > 40", "?coverage=0.8");
    expect(found.map((row) => [row["p_prediction"], row["p_prediction_lower"]])).toEqual(
      answers.map(({ value, interval }) => [value, interval?.[0]]),
    );
    expect(Object.keys(found[0]!)).toContain("p_contribution_age");
  });

  it("by parameters that are counted", async () => {
    const [found] = await rows(
      "SELECT count(*) AS n, ? AS said FROM predict(?, (FROM customers WHERE age > ?)) WHERE spend > ?",
      { parameters: ["x", "churn", 40, 50] },
    );
    const [wanted] = await rows(
      "SELECT count(*) AS n, 'x' AS said FROM customers WHERE age > 40 AND spend > 50",
    );
    expect(found).toEqual(wanted);
  });

  it("row by row in a table of several groups of rows", async () => {
    expect(
      await rows(
        `SELECT count(*) AS n, count(*) FILTER (WHERE m.probability_yes <> c.probability_yes
           OR m.prediction <> c.prediction) AS other FROM predict('churn', many) AS m
         JOIN predict('churn', customers) AS c ON c.id = m.id`,
        { timeoutSeconds: 120 },
      ),
    ).toEqual([{ n: MANY, other: 0 }]);
    // No more rows are scored than are needed.
    const { scans } = await server.post<{ scans: { table: string; limit: number | null }[] }>(
      `${W}/query:explain`,
      { sql: "FROM predict('churn', many) LIMIT 3" },
    );
    expect(scans[0]).toMatchObject({ limit: 3 });
    expect(await rows("SELECT j, prediction FROM predict('churn', many) LIMIT 3")).toHaveLength(3);
  });

  it("of sequences, one row each", async () => {
    const found = await rows("FROM predict('speed', TABLE steps)");
    expect(found).toHaveLength(40);
    const instances = await rows("SELECT seq, step, x FROM steps");
    const { predictions } = await server.post<{ predictions: (Answer & { id: string })[] }>(
      `/v1/models/${sequences}/predict`,
      { instances },
    );
    expect(found.map(({ seq, prediction }) => [seq, prediction])).toEqual(
      predictions.map(({ id, label }) => [id, label]),
    );
  });

  it("of no rows, none", async () => {
    const { columns, rows: none } = await query(
      "FROM predict('churn', (FROM customers WHERE false))",
    );
    expect(none).toEqual([]);
    expect(columns.at(-1)).toEqual({ name: "probability_yes", type: "Float64" });
  });
});

describe("stands wherever a table stands", () => {
  it("in joins, with filters and groups, several times, inside itself and common table expressions", async () => {
    expect(
      await rows(
        `WITH young AS (FROM customers WHERE age < 50),
           scored AS (SELECT * FROM predict('churn', young))
         SELECT plan, price, count(*) AS n, avg(p.prediction) AS mean
         FROM scored s
         JOIN predict('spend', (SELECT id, age, plan, zip, churned FROM scored), prefix := '') AS p
           USING (id, plan)
         JOIN plans USING (plan) WHERE s.probability_yes > 0 GROUP BY ALL ORDER BY plan`,
      ),
    ).toMatchObject([
      { plan: "basic", price: 10, n: expect.any(Number) },
      { plan: "plus", price: 20, n: expect.any(Number) },
    ]);
    const nested = await rows(
      "SELECT a_prediction, prediction FROM predict('churn', (FROM predict('spend', customers, prefix := 'a_'))) ORDER BY id",
    );
    const [first, second] = [await answered(spend), await answered(churn)];
    expect(nested).toEqual(
      first.map(({ value }, at) => ({ a_prediction: value, prediction: second[at]!.label })),
    );
  });

  it("as an Arrow stream", async () => {
    const response = await server.request("POST", `${W}/query`, {
      headers: {
        "content-type": "application/json",
        accept: "application/vnd.apache.arrow.stream",
      },
      body: JSON.stringify({
        sql: "SELECT prediction FROM predict('churn', customers) ORDER BY id",
      }),
    });
    const table = tableFromIPC(new Uint8Array(await response.arrayBuffer()));
    expect(table.toArray().map(({ prediction }) => prediction)).toEqual(
      (await answered(churn)).map(({ label }) => label),
    );
  });

  it("as a dataset, which names the model, and as rows of a batch", async () => {
    const sql = "SELECT id, prediction AS churns FROM predict('churn@champion', customers)";
    const { dataset_id } = await server.post<{ dataset_id: string }>("/v1/datasets", {
      name: "scored",
      sql,
    });
    expect(await server.get(`/v1/datasets/${dataset_id}`)).toMatchObject({
      rows: PEOPLE,
      source: {
        kind: "sql",
        tables: [{ table: expect.stringContaining("customers") }],
        models: [{ model_id: churn, model: "churn@champion" }],
      },
    });
    const { edges } = await server.get<{ edges: object[] }>(`/v1/models/${churn}/lineage`);
    expect(edges).toContainEqual({
      from: { kind: "model", id: churn },
      to: { kind: "query", id: dataset_id },
      relation: "predicted",
    });
    const { job_id } = await server.post<{ job_id: string }>("/v1/batch_predictions", {
      model_id: "spend",
      source: { sql: "SELECT * EXCLUDE (detail) FROM predict('churn', customers, prefix := 'c_')" },
      output: { register_dataset: "twice" },
    });
    expect(await settled(job_id)).toMatchObject({
      status: "completed",
      result: { rows: PEOPLE },
    });
    const lineage = await server.get<{ nodes: { kind: string; name: string }[] }>(
      `/v1/models/${spend}/lineage`,
    );
    expect(lineage.nodes).toContainEqual(
      expect.objectContaining({ kind: "dataset", name: "twice" }),
    );
  });

  it("not where only the name is, which a table may have", async () => {
    expect(await rows("SELECT predict.a, 'FROM predict(''x'', t)' AS t FROM predict")).toEqual([
      { a: 1, t: "FROM predict('x', t)" },
    ]);
  });

  it("in a plan, which tells model and rows and scores nothing", async () => {
    const { plan, scans, columns } = await server.post<{
      plan: string;
      scans: { table: string; source: string }[];
      columns: { name: string }[];
    }>(`${W}/query:explain`, {
      sql: "SELECT prediction FROM predict('churn@champion', (FROM customers WHERE age > 30))",
    });
    expect(columns).toEqual([{ name: "prediction", type: "Utf8" }]);
    expect(plan).toContain(`predictions of churn@champion (${churn})`);
    expect(scans.map(({ source }) => source)).toEqual([
      `predictions of churn@champion (${churn})`,
      expect.stringContaining("customers.parquet"),
    ]);
  });
});

describe("what is wrong", () => {
  it.each([
    [
      "FROM predict('nobody@best', customers)",
      /predict\('nobody@best', …\): there is no such model \(line 1, column 6\)/,
    ],
    ["FROM predict('churn', customers, intervalls := true)", /predict has no option intervalls/],
    [
      "FROM predict('churn', customers, intervals := 3)",
      /intervals of predict should be true, false/,
    ],
    [
      "SELECT 1\nFROM predict('churn')",
      /a comma and the rows, where \) stands \(line 2, column 21\)/,
    ],
    [
      "FROM predict('churn', (SELECT *, 1 AS Prediction FROM customers))",
      /two columns named 'prediction'/,
    ],
    ["FROM predict('churn', (SELECT 1 AS nothing))", /none of the columns that the model reads/],
    [
      "FROM predict('churn', (SELECT * REPLACE ('old' AS age) FROM customers))",
      /Column \\"age\\" should be numeric, but row 1 holds \\"old\\"/,
    ],
  ])("is said of the statement: %s", async (sql, said) => {
    const { status, text } = await refused(sql);
    expect(status, text).toBe(422);
    expect(text).toContain('"loc":["body","sql"]');
    expect(text).toMatch(said);
  });

  it.each([
    ["SELECT predict('churn', age) FROM customers", "stands where a table stands"],
    ["SELECT *\nFROM predict('churn',\n  (SELECT nothing FROM customers))", "nothing"],
    ["SELECT nothing FROM predict('churn', customers)", "nothing"],
    ["FROM predict('churn', (DELETE FROM customers))", "DELETE"],
    ["FROM predict('churn', (SELECT 1; SELECT 2))", ";"],
    ["FROM predict('churn', absent)", "absent"],
  ])("is said by the engine, at its place: %s", async (sql, said) => {
    const { status, text } = await refused(sql);
    expect(status, text).toBe(400);
    expect(text).toContain(said);
  });

  it("is told at the place in the whole statement", async () => {
    const { text } = await refused(
      "SELECT *\nFROM predict('churn',\n  (SELECT nothing FROM customers))",
    );
    expect(JSON.parse(text)).toMatchObject({ position: { line: 3, column: 11 } });
  });

  it("is a missing parameter, or one too many", async () => {
    expect(
      (await refused("FROM predict('churn', (FROM customers WHERE age > $1))")).text,
    ).toContain("Parameter $1");
    expect((await refused("FROM predict('churn', customers)", { parameters: [1] })).text).toContain(
      "$1 has a value and is not in the statement",
    );
  });

  it("is a column that is missing, which is told as predict tells it", async () => {
    const { rows: found, warnings } = await query("FROM predict('churn', plans) ORDER BY price");
    const answer = await server.post<{ predictions: Answer[]; warnings: string[] }>(
      `/v1/models/${churn}/predict`,
      { instances: [{ plan: "basic" }, { plan: "plus" }] },
    );
    expect(found.map(({ prediction }) => prediction)).toEqual(
      answer.predictions.map(({ label }) => label),
    );
    expect(warnings).toEqual(answer.warnings.map((warning) => `predict('churn', …): ${warning}`));
    expect(warnings).not.toEqual([]);
  });

  it("is a row that cannot be read, which may stand without a prediction", async () => {
    const found = await rows(
      `FROM predict('churn', (SELECT * REPLACE (CASE WHEN id % 100 = 0 THEN 'old' ELSE age::VARCHAR END AS age)
         FROM customers), on_error := 'null')`,
    );
    const failed = found.filter(({ prediction }) => prediction === null);
    expect(failed.length).toBeGreaterThan(0);
    for (const row of failed) expect(row["prediction_error"]).toContain('holds "old"');
  });

  it("is another organization's model, and a key that may not use models", async () => {
    const token = server.token("strangers");
    const theirs = (method: string, path: string, body: object) =>
      server.request(method, path, {
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    await theirs("POST", "/v1/workspaces", { name: "workspaces/strange", sqlDefaults: {} });
    const said = async (model: string) => {
      const sql = `FROM predict('${model}', (SELECT 1 AS age))`;
      const response = await theirs("POST", "/v1/workspaces/strange/query", { sql });
      return [response.status, (await response.text()).replaceAll(model, "…")];
    };
    const missing = await said("00000000-0000-4000-8000-000000000000");
    expect(missing[0]).toBe(422);
    expect(await said(churn)).toEqual(missing);
    expect(await said("churn@champion")).toEqual(missing);

    const { key } = await server.post<{ key: string }>("/v1/api_keys", {
      name: "narrow",
      scopes: ["workspace:read"],
    });
    const narrow = await server.request("POST", `${W}/query`, {
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ sql: "FROM predict('churn', customers)" }),
    });
    expect(narrow.status).toBe(403);
    expect(await narrow.text()).toContain("models:read");
  });
});
