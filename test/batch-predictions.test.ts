/** Batch predictions over HTTP: every source, every format, and the answers of `predict`. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { beforeAll, describe, expect, it } from "vitest";
import { readParquet } from "../server/src/testing/parquet-of.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly error_message: string;
  readonly result?: {
    readonly url: string;
    readonly rows: number;
    readonly rows_failed: number;
    readonly columns: readonly { readonly name: string; readonly type: string }[];
    readonly dataset_id?: string;
    readonly warnings: readonly string[];
  };
}

let server: SharedServer;
let folder: string;
let dataset: string;
let binclass: string;
let regression: string;

/** Rows with a hole, a quoted text and zeros in front. */
const CSV = [
  "id,age,plan,zip,spend,churned",
  ...Array.from({ length: 240 }, (_, i) => {
    const age = i % 17 === 0 ? "" : 18 + ((i * 37) % 60);
    const plan = ["basic", "plus", '"a ""b"", c"'][(i * 7) % 3];
    return `u${i},${age},${plan},0${i % 9},${((i * 7919) % 1009) / 10},${(i * 37) % 60 > 30 ? "yes" : "no"}`;
  }),
].join("\n");

beforeAll(async () => {
  server = await SharedServer.join();
  folder = await server.folder();
  dataset = await server.uploadCsv("customers", CSV);
  [binclass, regression] = await Promise.all([
    train({ task_kind: "binclass", label_column: "churned" }),
    train({ task_kind: "regression", label_column: "spend" }),
  ]);
});

async function train(task: object, datasetId = dataset, more: object = {}): Promise<string> {
  const id = await startRun(server, {
    dataset_id: datasetId,
    task: { ignore_columns: ["id"], ...task },
    hpo_space: { models: [{ family: "gbdt", fixed: { n_estimators: 10, learning_rate: 0.3 } }] },
    n_trials: 1,
    n_cv_splits: 3,
    ...more,
  });
  const job = await awaitJob(server, id);
  if (job.status !== "completed") throw new Error(job.error_message);
  return job.model_id;
}

async function settled(id: string): Promise<Batch> {
  for (;;) {
    const batch = await server.get<Batch>(`/v1/batch_predictions/${id}`);
    if (batch.status === "completed" || batch.status === "failed") return batch;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function run(body: object): Promise<Batch & Required<Pick<Batch, "result">>> {
  const { job_id } = await server.post<{ job_id: string }>("/v1/batch_predictions", body);
  const batch = await settled(job_id);
  if (batch.result === undefined) throw new Error(batch.error_message);
  return { ...batch, result: batch.result };
}

async function bytesOf(batch: Batch): Promise<ArrayBuffer> {
  const response = await fetch(batch.result?.url ?? "");
  expect(response.status).toBe(200);
  return response.arrayBuffer();
}

type Cells = Readonly<Record<string, unknown>>;

/** As DuckDB reads it. */
async function rowsOf(batch: Batch): Promise<Cells[]> {
  const path = join(folder, `${batch.id}.parquet`);
  await writeFile(path, new Uint8Array(await bytesOf(batch)));
  const { rows } = await readParquet(path);
  return rows as Cells[];
}

const textOf = async (batch: Batch): Promise<string> =>
  Buffer.from(await bytesOf(batch)).toString();

async function refused(body: object): Promise<readonly [status: number, said: string]> {
  const response = await server.postRaw("/v1/batch_predictions", body);
  return [response.status, await response.text()];
}

const of = (model_id: string, more: object = {}) => ({
  model_id,
  source: { dataset_id: dataset },
  ...more,
});

/** The rows as a client would send them one by one. */
const INSTANCES = CSV.split("\n")
  .slice(1)
  .map((line) => {
    const [, age, plan, zip, spend, churned = ""] =
      /^(?:[^,]*),([^,]*),("(?:[^"]|"")*"|[^,]*),([^,]*),([^,]*),(.*)$/.exec(line) ?? [];
    const text = plan?.startsWith('"') ? plan.slice(1, -1).replaceAll('""', '"') : plan;
    return {
      age: age === "" ? null : Number(age),
      plan: text ?? "",
      zip: zip ?? "",
      spend: Number(spend),
      churned,
    };
  });

interface Answer {
  readonly value?: number;
  readonly label?: string;
  readonly interval?: readonly number[];
  readonly probabilities?: Readonly<Record<string, number>>;
  readonly set?: readonly string[];
  readonly quantiles?: Readonly<Record<string, number>> | null;
  readonly id?: string;
  readonly series?: Readonly<Record<string, string>>;
  readonly time?: unknown;
}

const predicted = async (model: string, body: object, query = ""): Promise<readonly Answer[]> =>
  (await server.post<{ predictions: Answer[] }>(`/v1/models/${model}/predict${query}`, body))
    .predictions;

/** What the columns of a batch should hold, by the answers to the same rows. */
const asColumns = ({
  value,
  label,
  probabilities = {},
  quantiles,
  interval,
  set,
}: Answer): Cells => ({
  prediction: label ?? value,
  ...Object.fromEntries(
    Object.entries(probabilities).map(([name, p]) => [`probability_${name}`, p]),
  ),
  ...Object.fromEntries(Object.entries(quantiles ?? {}).map(([at, q]) => [`quantile_${at}`, q])),
  ...(set ? { prediction_set: JSON.stringify(set) } : {}),
  ...(interval ? { prediction_lower: interval[0], prediction_upper: interval[1] } : {}),
});

describe("answers as predict does", () => {
  it("for two classes, with sets, beside the columns of the rows", async () => {
    const batch = await run(of(binclass, { intervals: 0.8 }));
    expect(batch.result).toMatchObject({
      rows: 240,
      rows_read: 240,
      rows_failed: 0,
      format: "parquet",
    });
    const rows = await rowsOf(batch);
    const answers = await predicted(binclass, { instances: INSTANCES }, "?coverage=0.8");
    expect(rows).toEqual(
      answers.map((answer, i) => ({
        id: `u${i}`,
        ...INSTANCES[i],
        ...asColumns(answer),
      })),
    );
  });

  it("for a value, with intervals and contributions, and chosen columns under a prefix", async () => {
    const batch = await run(
      of(regression, {
        intervals: true,
        contributions: true,
        output: { columns: ["spend", "id"], prefix: "p_" },
      }),
    );
    const rows = await rowsOf(batch);
    const answers = await predicted(regression, { instances: INSTANCES });
    for (const [i, row] of rows.entries()) {
      const { value, interval } = answers[i]!;
      expect(row).toMatchObject({
        ...{ spend: INSTANCES[i]?.spend, id: `u${i}`, p_prediction: value },
        ...{ p_prediction_lower: interval?.[0], p_prediction_upper: interval?.[1] },
      });
    }
    expect(Object.keys(rows[0]!).slice(0, 2)).toEqual(["spend", "id"]);
    const { explanations } = await server.post<{
      explanations: { base_value: number; contributions: Record<string, number> }[];
    }>(`/v1/models/${regression}/explain`, { instances: INSTANCES.slice(0, 50) });
    for (const [i, { base_value, contributions }] of explanations.entries()) {
      const told = Object.entries(contributions).map(([name, by]) => [
        `p_contribution_${name}`,
        by,
      ]);
      expect(rows[i]).toMatchObject({ p_base_value: base_value, ...Object.fromEntries(told) });
    }
  });

  it.each([
    [{ task_kind: "multiclass", label_column: "plan" }],
    [{ task_kind: "quantile_regression", label_column: "spend", quantiles: [0.2, 0.5, 0.8] }],
  ])("for %j", async (task) => {
    const model = await train(task);
    const rows = await rowsOf(await run(of(model, { output: { columns: [] } })));
    const answers = await predicted(model, { instances: INSTANCES });
    expect(rows).toEqual(answers.map(({ set: _set, ...answer }) => asColumns(answer)));
  });

  it("for sequences, one row each", async () => {
    const lines = Array.from({ length: 40 * 12 }, (_, at) => {
      const [id, step] = [Math.floor(at / 12), at % 12];
      return `s${id},${step},${(Math.sin(step * (1 + (id % 2))) + ((id * 37) % 11) / 50).toFixed(3)},${id % 2 ? "fast" : "slow"}`;
    });
    const steps = await server.uploadCsv("steps", `seq,step,x,speed\n${lines.join("\n")}\n`);
    const model = await train(
      {
        ...{ task_kind: "sequence_binclass", label_column: "speed", ignore_columns: [] },
        ...{ sequence_column: "seq", order_column: "step" },
      },
      steps,
      { hpo_space: { models: [{ family: "minirocket", fixed: { features: 1000 } }] } },
    );
    const rows = await rowsOf(await run({ model_id: model, source: { dataset_id: steps } }));
    const instances = lines.map((line) => {
      const [seq, step, x] = line.split(",");
      return { seq: seq!, step: Number(step), x: Number(x) };
    });
    const answers = await predicted(model, { instances });
    expect(rows).toEqual(
      answers.map(({ id, set: _set, ...answer }) => ({ seq: id, ...asColumns(answer) })),
    );
  });

  it("for every series of a forecast, without rows", async () => {
    const lines = Array.from({ length: 2 * 60 }, (_, at) => {
      const [shop, day] = [Math.floor(at / 60), at % 60];
      const date = new Date(Date.UTC(2030, 0, 1 + day)).toISOString().slice(0, 10);
      return `${date},${shop ? "north" : "south"},${10 + (day % 7) + shop * 5 + ((day * 37) % 5) / 10}`;
    });
    const sales = await server.uploadCsv("sales", `day,shop,sold\n${lines.join("\n")}\n`);
    const model = await train(
      {
        ...{ task_kind: "forecasting", label_column: "sold", ignore_columns: [] },
        ...{ time_column: "day", series_columns: ["shop"], horizon: 5 },
      },
      sales,
      { hpo_space: { models: [{ family: "theta" }] }, n_cv_splits: 2 },
    );
    const rows = await rowsOf(await run({ model_id: model, intervals: true }));
    const answers = await predicted(model, {});
    expect(rows).toHaveLength(10);
    expect(rows).toEqual(
      answers.map(({ series, time, interval, ...answer }) => ({
        ...series,
        day: String(time),
        ...asColumns(answer),
        prediction_lower: interval?.[0] ?? null,
        prediction_upper: interval?.[1] ?? null,
      })),
    );
  });
});

describe("formats", () => {
  it("say the same as CSV and as an Arrow stream", async () => {
    const rows = await rowsOf(await run(of(binclass)));
    const arrow = tableFromIPC(
      new Uint8Array(await bytesOf(await run(of(binclass, { output: { format: "arrow" } })))),
    );
    expect(arrow.toArray().map((row) => row.toJSON())).toEqual(rows);
    const csv = await textOf(await run(of(binclass, { output: { format: "csv" } })));
    expect(csv.split("\n")[0]).toBe(Object.keys(rows[0]!).join(","));
    expect(csv).toContain('u2,32,"a ""b"", c",02,');
    expect(csv.trimEnd().split("\n")).toHaveLength(241);
  });

  it("become a dataset on demand, which says where it came from", async () => {
    const { result, id } = await run(of(binclass, { output: { register_dataset: "scored" } }));
    const scored = await server.get<{
      name: string;
      rows: number;
      source: object;
      columns: { name: string; datatype: { kind: string } }[];
    }>(`/v1/datasets/${result.dataset_id}`);
    expect(scored).toMatchObject({
      name: "scored",
      rows: 240,
      source: { kind: "batch_prediction", job_id: id, model_id: binclass },
    });
    expect(scored.columns.map(({ name }) => name)).toContain("probability_yes");
  });
});

describe("rows", () => {
  it("of a file that is sent are read as the model reads them", async () => {
    const response = await server.request(
      "POST",
      `/v1/batch_predictions?model_id=${binclass}&format=csv&columns=id&intervals=true`,
      { headers: { "content-type": "text/csv" }, body: CSV.split("\n").slice(0, 30).join("\n") },
    );
    const { job_id } = (await response.json()) as { job_id: string };
    const batch = await settled(job_id);
    const csv = await textOf(batch);
    const answers = await predicted(binclass, { instances: INSTANCES.slice(0, 29) });
    const labels = csv.trimEnd().split("\n").slice(1);
    expect(labels.map((line) => line.split(",")[1])).toEqual(answers.map(({ label }) => label));
  });

  it("say what their reading has to say, and are chosen by any name", async () => {
    const [head, ...lines] = CSV.split("\n").slice(0, 4);
    const body = Buffer.from(
      [`${head},"Straße, ""Nr."""`, ...lines.map((line) => `${line},ß`)].join("\n"),
      "latin1",
    );
    const send = (columns: string) =>
      server.request(
        "POST",
        `/v1/batch_predictions?model_id=${binclass}&format=csv&columns=${encodeURIComponent(columns)}`,
        { headers: { "content-type": "text/csv" }, body },
      );
    const response = await send('"Straße, ""Nr.""", id');
    const batch = await settled(((await response.json()) as { job_id: string }).job_id);
    expect(batch.result?.warnings[0]).toContain("read as Windows-1252");
    expect((await textOf(batch)).split("\n")[0]).toMatch(/^"Straße, ""Nr.""",id,prediction,/);
    for (const columns of ['"id', '"id" x', 'i"d']) {
      const refusal = await send(columns);
      expect([refusal.status, await refusal.text()]).toEqual([
        422,
        expect.stringContaining("a name in double quotes must be closed"),
      ]);
    }
  });

  it("of a table and of a query are those of when the job begins", async () => {
    await writeFile(join(folder, "new.csv"), CSV.split("\n").slice(0, 11).join("\n"));
    await server.post("/v1/workspaces", { name: "workspaces/acme", sqlDefaults: {} });
    await server.post("/v1/connectors/objstore", {
      connector_name: "files",
      url: `file://${folder}/`,
    });
    const w = "/v1/workspaces/acme";
    await server.post(`${w}/catalogs?catalogId=lake`);
    await server.post(`${w}/catalogs/lake/schemas?schemaId=s`);
    await server.post(`${w}/catalogs/lake/schemas/s/tables?tableId=new`, {
      spec: {
        listing: {
          connector: "workspaces/acme/connectors/files",
          tablePaths: [`file://${folder}/new.csv`],
          snapshot: { options: { fileType: "csv" } },
        },
      },
    });
    const table = await run({ model_id: binclass, source: { table: "lake.s.new" } });
    const query = await run({
      model_id: binclass,
      source: { sql: "SELECT * FROM lake.s.new WHERE spend > $1", parameters: [0] },
    });
    const answers = await predicted(binclass, { instances: INSTANCES.slice(0, 10) });
    const labels = answers.map(({ label }) => label);
    expect((await rowsOf(table)).map(({ prediction }) => prediction)).toEqual(labels);
    expect((await rowsOf(query)).map(({ prediction }) => prediction)).toEqual(
      labels.filter((_, i) => INSTANCES[i]!.spend > 0),
    );
    const [status, said] = await refused({
      model_id: binclass,
      source: { sql: "SELECT nothing FROM lake.s.new" },
    });
    expect(status).toBe(400);
    expect(said).toContain("nothing");
  });

  it("with a cell that cannot be read end the job, or have no prediction and say why", async () => {
    const broken = CSV.replace("u3,129", "u3,old").replace(/\nu5,\d+,/, "\nu5,ancient,");
    const id = await server.uploadCsv("broken", broken);
    const { job_id } = await server.post<{ job_id: string }>("/v1/batch_predictions", {
      model_id: binclass,
      source: { dataset_id: id },
    });
    expect(await settled(job_id)).toMatchObject({
      status: "failed",
      error_message: 'Column "age" should be numeric, but row 6 holds "ancient".',
    });
    const batch = await run({ model_id: binclass, source: { dataset_id: id }, on_error: "null" });
    expect(batch.result.rows_failed).toBe(1);
    const rows = await rowsOf(batch);
    expect(rows[5]).toMatchObject({
      prediction: null,
      probability_yes: null,
      prediction_error: 'Column "age" should be numeric, but row 6 holds "ancient".',
    });
    expect(rows.filter(({ prediction_error }) => prediction_error !== null)).toHaveLength(1);
    expect(rows.filter(({ prediction }) => prediction === null)).toHaveLength(1);
  });
});

const ofSql = (sql: string) => ({ model_id: binclass, source: { sql } });

describe("what is wrong", () => {
  it.each([
    [() => of("00000000-0000-4000-8000-000000000000"), 404, "model"],
    [
      () => ({
        model_id: binclass,
        source: { dataset_id: "00000000-0000-4000-8000-000000000000" },
      }),
      404,
      "dataset",
    ],
    [() => ({ model_id: binclass, source: { table: "lake.s.absent" } }), 404, "table"],
    [() => ({ model_id: binclass }), 422, '["body","source"]'],
    [() => ({ model_id: binclass, source: {} }), 422, "exactly one of"],
    [() => of(binclass, { output: { columns: ["absent"] } }), 422, '["body","output","columns",0]'],
    [() => of(binclass, { output: { format: "xlsx" } }), 422, '["body","output","format"]'],
    [() => of(binclass, { output: { columns: ["age", "age"] } }), 422, "'age' is named twice"],
    [() => ofSql("SELECT 1 AS other"), 422, "none of the columns that the model reads"],
    [() => ofSql("SELECT 1 AS age, 2 AS age"), 422, "give each a name of its own by AS"],
    [() => ofSql("SELECT 1 AS age, 1 AS __proto__"), 422, "choose another name"],
    [() => ofSql("SELECT 1 AS age, [1, 2] AS odd"), 422, "of the type INTEGER[], which"],
    [() => ofSql("SELECT 1 AS age, {'a': 1} AS odd"), 422, "take to_json of it"],
    [() => ofSql("SELECT 1 AS age, row(1, 2) AS odd"), 422, "take to_json of it"],
    [() => ofSql("SELECT 1 AS age, MAP {1: 2} AS odd"), 422, "MAP(INTEGER, INTEGER)"],
    [() => ofSql("SELECT 1 AS age, 'a'::BLOB AS odd"), 422, "take to_hex of it"],
    [() => ofSql("SELECT 1 AS age, INTERVAL 1 DAY AS odd"), 422, "the seconds by epoch of it"],
    [() => ofSql("SELECT 1 AS age, uuid() AS odd"), 422, "cast it to VARCHAR"],
  ])("is said before a job begins: %s", async (body, status, said) => {
    const [answered, text] = await refused(body());
    expect(answered, text).toBe(status);
    expect(text).toContain(said);
  });

  it("is a member beside a file that belongs into the query", async () => {
    const form = new FormData();
    form.append("format", "csv");
    form.append("file", new Blob([CSV], { type: "text/csv" }), "rows.csv");
    const path = `/v1/batch_predictions?model_id=${binclass}`;
    const response = await server.request("POST", path, { body: form });
    expect([response.status, await response.text()]).toEqual([
      422,
      expect.stringContaining('["body","format"]'),
    ]);
  });

  it("is two columns of one name", async () => {
    const id = await server.uploadCsv("named", CSV.replace("id,age", "prediction,age"));
    const [status, text] = await refused({ model_id: binclass, source: { dataset_id: id } });
    expect(status).toBe(422);
    expect(text).toContain("two columns of the output would be named 'prediction'");
  });

  it("is a dataset with none of the model's columns", async () => {
    const id = await server.uploadCsv("other", "a,b\n1,2\n3,4\n");
    const [status, text] = await refused({ model_id: binclass, source: { dataset_id: id } });
    expect(status).toBe(422);
    expect(text).toContain("none of the columns that the model reads");
  });

  it("is another organization's job, and a key that may not look", async () => {
    const { id } = await run(of(binclass));
    const other = await server.request("GET", `/v1/batch_predictions/${id}`, {
      headers: { authorization: "Bearer nobody" },
    });
    expect(other.status).toBe(401);
    const { key } = await server.post<{ key: string }>("/v1/api_keys", {
      name: "narrow",
      scopes: ["models:read"],
    });
    const narrow = await server.request("GET", `/v1/batch_predictions/${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(narrow.status).toBe(403);
  });
});

it("of a dataset that is deleted with it is refused, keeps it, or ends in words", async () => {
  const [header, ...lines] = CSV.split("\n");
  for (const named of [true, false]) {
    const id = await server.uploadCsv("short-lived", [header, ...lines.slice(0, 20)].join("\n"));
    const source = named ? { dataset_id: id } : { sql: "FROM datasets.short_lived" };
    const [made, deleted] = await Promise.all([
      server.postRaw("/v1/batch_predictions", { model_id: binclass, source }),
      server.request("DELETE", `/v1/datasets/${id}`),
    ]);
    if (named) expect(["200 409", "404 200"]).toContain(`${made.status} ${deleted.status}`);
    else expect(["200 200", "400 200"]).toContain(`${made.status} ${deleted.status}`);
    if (made.status !== 200) {
      if (!named) expect(await made.text()).toMatch(/was deleted|does not exist/);
      continue;
    }
    const { job_id }: { job_id: string } = await made.json();
    const { status, result, error_message } = await settled(job_id);
    if (status === "completed") expect(result?.rows).toBe(20);
    else expect(error_message).toMatch(/was deleted|does not exist/);
    if (named) expect(status).toBe("completed");
  }
});

it("lists, tells its result as that of any job, and goes with its output when it is deleted", async () => {
  const batch = await run(of(regression, { name: "nightly" }));
  const { batch_predictions: listed } = await server.get<{ batch_predictions: Batch[] }>(
    "/v1/batch_predictions?status=completed&limit=1",
  );
  expect(listed).toMatchObject([{ id: batch.id, name: "nightly", progress: { phase: "done" } }]);
  const jobs = await server.get<{ training_jobs: { id: string }[] }>("/v1/training_jobs?limit=500");
  expect(jobs.training_jobs.map(({ id }) => id)).not.toContain(batch.id);
  expect(await server.get(`/v1/results/${batch.id}`)).toMatchObject({
    kind: "batch_prediction",
    status: "completed",
    result: { rows: 240, url: expect.stringContaining("http") },
  });
  expect(await server.get(`/v1/jobs/${batch.id}/metrics`)).toMatchObject({
    metrics: { kind: "batch_prediction", progress: { rows_done: 240, rows_total: 240 } },
  });
  const cancelled = await server.postRaw(`/v1/batch_predictions/${batch.id}/cancel`, {});
  expect(cancelled.status).toBe(409);
  const deleted = await server.request("DELETE", `/v1/batch_predictions/${batch.id}`);
  expect(await deleted.json()).toEqual({ id: batch.id, deleted: true });
  expect((await fetch(batch.result.url)).status).toBe(404);
  expect((await server.request("GET", `/v1/batch_predictions/${batch.id}`)).status).toBe(404);
});
