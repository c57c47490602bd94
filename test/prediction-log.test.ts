/** The prediction log of a serving endpoint over HTTP: what it holds, feedback, live scores, and whose it is. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runInDuckdb } from "../server/src/testing/parquet-of.ts";
import { TokenIssuer } from "./support/issuer.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { removeHomes, TestServer } from "./support/server.ts";

const ENDPOINTS = "/v1/serving/endpoints";
const PATH = `${ENDPOINTS}/churn`;
const ABSENT = "00000000-0000-4000-8000-000000000000";

interface Prediction {
  readonly label: string;
  readonly probabilities: Readonly<Record<string, number>>;
  readonly set: readonly string[];
}

interface NumberPrediction {
  readonly value: number;
  readonly interval: readonly [low: number, high: number];
  readonly quantiles: Readonly<Record<string, number>>;
}

interface Answered {
  readonly id: string;
  readonly modelId: string;
  readonly instances: readonly object[];
  readonly predictions: readonly Prediction[];
}

interface LogFile {
  readonly rows: number;
  readonly bytes: number;
  readonly last_at: string;
  readonly expires_at: string;
  readonly url: string;
}

interface Scores {
  readonly models: readonly {
    readonly model_id: string;
    readonly logged_rows: number;
    readonly labelled_rows: number;
    readonly scores: Readonly<Record<string, number | null>>;
    readonly intervals: Readonly<Record<string, readonly [number, number] | null>>;
    readonly validation_scores: Readonly<Record<string, number | null>>;
    readonly coverage: {
      readonly nominal: number;
      readonly measured: number;
      readonly mean_size: number;
    };
  }[];
  readonly unmatched_labels: number;
  readonly complete: boolean;
}

interface Evaluation {
  readonly status: string;
  readonly result: {
    readonly models: readonly { readonly scores: Readonly<Record<string, number | null>> }[];
  } | null;
}

let server: TestServer;
let issuer: TokenIssuer;
let folder: string;
let models: readonly string[];
let forecaster: string;
const numeric = new Map<string, string>();
const answered: Answered[] = [];

const customer = (row: number) => ({
  age: 18 + ((row * 37) % 60),
  plan: row % 3 === 0 ? "basic" : "plus",
});
const truth = (row: number): string => {
  const { age, plan } = customer(row);
  return age + (plan === "plus" ? 12 : 0) + ((row * 13) % 17) < 55 ? "yes" : "no";
};

async function train(
  dataset: string,
  task: object,
  seed: number,
  family = "linear",
): Promise<string> {
  const id = await startRun(server, {
    dataset_id: dataset,
    task,
    model_families: [family],
    n_trials: 1,
    n_cv_splits: 2,
    random_state: seed,
  });
  const job = await awaitJob(server, id);
  expect(job.error_message).toBe("");
  return job.model_id;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "prediction-log-"));
  issuer = await TokenIssuer.start();
  server = await TestServer.start({ workers: 2, env: issuer.environment });
  const rows = Array.from(
    { length: 90 },
    (_, row) => `${Object.values(customer(row)).join(",")},${truth(row)}`,
  );
  const dataset = await server.uploadCsv("customers", ["age,plan,churned", ...rows].join("\n"));
  const task = { task_kind: "binclass", label_column: "churned" };
  const days = Array.from({ length: 40 }, (_, day) => [
    new Date(Date.UTC(2030, 0, 1 + day)).toISOString().slice(0, 10),
    String(10 + (day % 7)),
  ]);
  const sales = await server.uploadCsv("sales", `day,sold\n${days.join("\n")}`);
  const forecasting = { task_kind: "forecasting", label_column: "sold", time_column: "day" };
  forecaster = await train(sales, { ...forecasting, horizon: 2 }, 1, "theta");
  const spends = Array.from({ length: 60 }, (_, row) => {
    const { age } = customer(row);
    return `${age},${age / 2 + ((row * 7) % 5) - 2}`;
  });
  const spending = await server.uploadCsv("spending", `age,spend\n${spends.join("\n")}`);
  const spend = { label_column: "spend" };
  numeric.set("regression", await train(spending, { ...spend, task_kind: "regression" }, 1));
  const levels = { ...spend, task_kind: "quantile_regression", quantiles: [0.1, 0.9] };
  numeric.set("quantile_regression", await train(spending, levels, 1));
  models = await Promise.all([
    train(dataset, task, 1),
    train(dataset, { ...task, ignore_columns: ["plan"] }, 2),
  ]);
});
afterAll(async () => {
  await server.stop();
  await issuer.stop();
  await removeHomes();
  await rm(folder, { recursive: true, force: true });
});

async function predict(
  instances: readonly object[],
  key: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ id: string | null; model_id: string; predictions: readonly Prediction[] }> {
  const response = await server.request("POST", `${PATH}/predict?key=${key}`, {
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ instances }),
  });
  expect(response.status).toBe(200);
  return { ...(await response.json()), id: response.headers.get("x-prediction-id") };
}

const patch = async (body: object): Promise<Response> =>
  server.request("PATCH", PATH, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

async function faults(labels: readonly object[]): Promise<{ loc: unknown[]; msg: string }[]> {
  const response = await server.postRaw(`${PATH}/feedback`, { labels });
  expect(response.status).toBe(422);
  return (await response.json()).detail;
}

const labelled = (): { prediction_id: string; row: number; label: string }[] =>
  answered.flatMap(({ id, instances }) =>
    instances.map((_, row) => ({ prediction_id: id, row, label: truth(rowOf(id, row)) })),
  );
/** The customer that a logged row is. */
const rows = new Map<string, number>();
const rowOf = (id: string, row: number): number => rows.get(`${id} ${row}`) ?? -1;

it("logs what is asked for alone, and says what a setting cannot be", async () => {
  const split = models.map((model_id) => ({ model_id, traffic: 50 }));
  const made = await server.post<object>(ENDPOINTS, { name: "churn", models: split });
  expect(made).toMatchObject({ prediction_log: null });
  expect((await predict([customer(0)], "a")).id).toBeNull();
  for (const [setting, member] of [
    [{ sample_rate: 0 }, "sample_rate"],
    [{ sample_rate: 1.5 }, "sample_rate"],
    [{ sample_rate: 1, keep_days: 0 }, "keep_days"],
  ] as const) {
    const response = await patch({ prediction_log: setting });
    expect(response.status).toBe(422);
    expect((await response.json()).detail[0].loc).toEqual(["body", "prediction_log", member]);
  }
  const steps = await server.post<object>(ENDPOINTS, {
    name: "steps",
    models: [{ model_id: forecaster, traffic: 100 }],
  });
  const refused = await server.request("PATCH", `${ENDPOINTS}/steps`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ prediction_log: { sample_rate: 1 } }),
  });
  expect(steps).toMatchObject({ status: "ready" });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("only predictions of single rows are logged");
  const changed = await patch({ prediction_log: { sample_rate: 1 } });
  expect(await changed.json()).toMatchObject({
    prediction_log: { sample_rate: 1, keep_days: 30 },
    revision: "2",
  });
});

it("takes feedback before the log is written, and names each label that cannot be", async () => {
  for (let row = 0; row < 60; row += row % 10 === 0 ? 3 : 1) {
    const count = row % 10 === 0 ? 3 : 1;
    const numbers = Array.from({ length: count }, (_, at) => row + at);
    const instances = numbers.map(customer);
    const { id, model_id, predictions } = await predict(instances, `k${row}`, {
      "x-request-id": `order-${row}`,
    });
    if (id === null) throw new Error("it was not logged");
    for (const [at, number] of numbers.entries()) rows.set(`${id} ${at}`, number);
    answered.push({ id, modelId: model_id, instances, predictions });
  }
  const [first, second] = answered;
  if (!first || !second) throw new Error("nothing was predicted");
  const good = { prediction_id: first.id, label: "no" };
  const told = await faults([
    good,
    { ...good, prediction_id: first.id.replace(/^./, (letter) => (letter === "A" ? "B" : "A")) },
    { ...good, row: 3 },
    { ...good, label: "maybe" },
  ]);
  expect(told.map(({ loc }) => loc.slice(2))).toEqual([
    [1, "prediction_id"],
    [2, "row"],
    [3, "label"],
  ]);
  expect(told.map(({ msg }) => msg).join("\n")).toMatch(
    /X-Prediction-Id[\s\S]*had 3 rows[\s\S]*none of the classes no, yes/,
  );
  const all = labelled();
  const wrong = truth(rowOf(second.id, 0)) === "yes" ? "no" : "yes";
  const feedback = (labels: readonly object[]) =>
    server.post<object>(`${PATH}/feedback`, { labels });
  const other = { prediction_id: second.id, label: wrong };
  expect(await feedback([other])).toMatchObject({ received: 1, added: 1, replaced: 0 });
  expect(await feedback([other, ...all])).toEqual({
    received: all.length + 1,
    added: all.length - 1,
    replaced: 1,
    unchanged: 0,
    repeated: 1,
    not_logged: 0,
    expired: 0,
  });
  expect(await feedback(all)).toMatchObject({ added: 0, replaced: 0, unchanged: all.length });
  const early = await server.get<Scores>(`${PATH}/scores`);
  expect(early).toMatchObject({ models: [], unmatched_labels: all.length, complete: true });
  const { prediction_log: log } = await server.get<{ prediction_log: object }>(`${PATH}/metrics`);
  expect(log).toEqual({
    written: 0,
    waiting: all.length,
    dropped: { overflow: 0, quota: 0, failed: 0 },
  });
  const metrics = await (await server.request("GET", "/metrics")).text();
  expect(metrics).toMatch(
    new RegExp(`distillery_prediction_log_waiting_rows\\{.*\\} ${all.length}\n`),
  );
});

/** Of models of numbers: what each was told of the ages that it predicted from. */
const ages = [20, 31, 44, 58, 63];
const ageAsked = new Map<string, { readonly predictions: readonly NumberPrediction[] }>();

it.each(["regression", "quantile_regression"])("takes numbers as labels of %s", async (kind) => {
  const model_id = numeric.get(kind) ?? "";
  const path = `${ENDPOINTS}/${kind}`;
  await server.post(ENDPOINTS, {
    name: kind,
    models: [{ model_id, traffic: 100 }],
    prediction_log: { sample_rate: 1 },
  });
  const response = await server.postRaw(`${path}/predict`, {
    columns: ["age"],
    data: ages.map((age) => [age]),
  });
  const prediction_id = response.headers.get("x-prediction-id") ?? "";
  ageAsked.set(kind, await response.json());
  const labels = ages.map((age, row) => ({ prediction_id, row, label: age / 2 }));
  expect(await server.post(`${path}/feedback`, { labels })).toMatchObject({ added: ages.length });
  const refused = await server.postRaw(`${path}/feedback`, {
    labels: [{ prediction_id, label: "12" }],
  });
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("a number is predicted");
  // One endpoint's ids are nothing to another.
  expect((await faults([{ prediction_id, label: "yes" }]))[0]?.loc.at(-1)).toBe("prediction_id");
});

let file: LogFile;

it("keeps what was waiting when the server is stopped, as Parquet that others read", async () => {
  // Of the Open Inference Protocol, with a part of the outputs.
  const infer = await server.request("POST", "/v2/models/churn/infer", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      inputs: [
        { name: "age", datatype: "FP64", shape: [1], data: [33] },
        { name: "plan", datatype: "BYTES", shape: [1], data: ["plus"] },
      ],
      outputs: [{ name: "label" }],
    }),
  });
  const inferred = infer.headers.get("x-prediction-id");
  const { home } = server;
  await server.stop();
  server = await TestServer.start({ home, env: issuer.environment });
  const list = await server.get<{ files: readonly LogFile[] }>(`${PATH}/prediction_log`);
  expect(list.files).toHaveLength(1);
  file = list.files[0] ?? file;
  const all = labelled();
  expect(file.rows).toBe(all.length + 1);
  const path = join(folder, "predictions.parquet");
  const bytes = new Uint8Array(await (await fetch(file.url)).arrayBuffer());
  expect(bytes.length).toBe(file.bytes);
  await writeFile(path, bytes);
  const found = await runInDuckdb([
    `select prediction_id, row, model_id, request_id, inputs, label, probabilities, "set",
       (inputs::json ->> '$.age')::double, latency_ms > 0,
       time between (now() - interval 1 hour)::timestamp and now()::timestamp
     from '${path}' order by time, row`,
  ]);
  const expected = answered.flatMap(({ id, modelId, instances, predictions }) =>
    predictions.map(({ label, probabilities, set }, row) => [
      ...[id, row, modelId, `order-${rowOf(id, 0)}`, JSON.stringify(instances[row]), label],
      ...[JSON.stringify(probabilities), JSON.stringify(set), customer(rowOf(id, row)).age, true],
      true,
    ]),
  );
  expect(found.slice(0, -1)).toEqual(expected);
  const [last, , , own, inputs] = found.at(-1) ?? [];
  expect([last, own, JSON.parse(String(inputs))]).toEqual([
    inferred,
    null,
    { age: 33, plan: "plus" },
  ]);
  const lists = ["regression", "quantile_regression"].map((name) =>
    server.get<{ files: readonly LogFile[] }>(`${ENDPOINTS}/${name}/prediction_log`),
  );
  const others = (await Promise.all(lists)).flatMap(({ files }) => files);
  expect(others.map((each) => each.rows)).toEqual([ages.length, ages.length]);
  const { prediction_logs } = await server.get<{ prediction_logs: object }>("/v1/usage");
  const stored = [file, ...others].reduce((sum, each) => sum + each.bytes, 0);
  expect(prediction_logs).toEqual({ count: 3, bytes: stored });
});

it("scores each model as plain sums over its labelled rows do", async () => {
  const { models: scored, ...rest } = await server.get<Scores>(`${PATH}/scores`);
  expect(rest).toMatchObject({ unmatched_labels: 0, complete: true });
  expect(scored.map(({ model_id }) => model_id)).toEqual([...models].sort());
  for (const one of scored) {
    const own = answered
      .filter(({ modelId }) => modelId === one.model_id)
      .flatMap(({ id, predictions }) =>
        predictions.map((prediction, row) => ({ ...prediction, true: truth(rowOf(id, row)) })),
      );
    expect(one.labelled_rows).toBe(own.length);
    const mean = (of: (row: (typeof own)[number]) => number) =>
      own.reduce((sum, row) => sum + of(row), 0) / own.length;
    expect(one.scores["accuracy"]).toBeCloseTo(
      mean((row) => Number(row.label === row.true)),
      12,
    );
    expect(one.scores["log_loss"]).toBeCloseTo(
      mean((row) => -Math.log(row.probabilities[row.true] ?? 0)),
      12,
    );
    expect(one.coverage.measured).toBeCloseTo(
      mean((row) => Number(row.set.includes(row.true))),
      12,
    );
    expect(one.coverage.mean_size).toBeCloseTo(
      mean((row) => row.set.length),
      12,
    );
    const [low, high] = one.intervals["log_loss"] ?? [0, 0];
    expect(low).toBeLessThan(one.scores["log_loss"] ?? 0);
    expect(high).toBeGreaterThan(one.scores["log_loss"] ?? 0);
    const { card } = await server.get<{ card: { scores: object } }>(`/v1/models/${one.model_id}`);
    expect(one.validation_scores).toEqual(card.scores);
  }
  expect(scored.reduce((sum, { logged_rows }) => sum + logged_rows, 0)).toBe(file.rows);
  const since = new Date(Date.now() - 1).toISOString();
  const none = await server.get<Scores>(`${PATH}/scores?since=${since}`);
  expect(none.models).toEqual([]);
  const turned = await server.request(
    "GET",
    `${PATH}/scores?since=${since}&until=2020-01-01T00:00:00Z`,
  );
  expect(turned.status).toBe(422);
});

it.each(["regression", "quantile_regression"])("scores numbers of %s", async (kind) => {
  const { models: scored } = await server.get<Scores>(`${ENDPOINTS}/${kind}/scores`);
  const { predictions = [] } = ageAsked.get(kind) ?? {};
  const mean = (of: (prediction: NumberPrediction, label: number) => number) =>
    predictions.reduce((sum, each, row) => sum + of(each, (ages[row] ?? 0) / 2), 0) / ages.length;
  const [one] = scored;
  expect(one).toMatchObject({ model_id: numeric.get(kind), labelled_rows: ages.length });
  if (kind === "regression") {
    const squared = mean(({ value }, label) => (value - label) ** 2);
    expect(one?.scores["rmse"]).toBeCloseTo(Math.sqrt(squared), 12);
    expect(one?.coverage?.measured).toBeCloseTo(
      mean(({ interval: [low, high] }, label) => Number(low <= label && label <= high)),
      12,
    );
  } else {
    const loss = (level: number) =>
      mean(({ quantiles }, label) => {
        const over = label - (quantiles[String(level)] ?? Number.NaN);
        return Math.max(level * over, (level - 1) * over);
      });
    expect(one?.scores["pinball"]).toBeCloseTo((loss(0.1) + loss(0.9)) / 2, 12);
  }
});

it("makes a dataset of what was sent and what was true, in the order of time", async () => {
  const dataset = await server.post<{ dataset_id: string; rows: number; columns: unknown }>(
    `${PATH}/labelled_dataset`,
    { name: "as it came out" },
  );
  expect(dataset).toMatchObject({ rows: labelled().length, source: { kind: "prediction_log" } });
  expect(dataset.columns).toEqual(
    [
      ["age", "numeric"],
      ["plan", "categorical"],
      ["churned", "categorical"],
    ].map(([name, kind]) => ({ name, datatype: { kind }, nullable: false })),
  );
  const [model = ""] = models;
  const { job_id } = await server.post<{ job_id: string }>("/v1/evaluations", {
    model_id: model,
    dataset_id: dataset.dataset_id,
  });
  let job = await server.get<Evaluation>(`/v1/evaluations/${job_id}`);
  while (!["completed", "failed"].includes(job.status)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    job = await server.get<Evaluation>(`/v1/evaluations/${job_id}`);
  }
  const all = answered.flatMap(({ id, instances }) => instances.map((_, row) => rowOf(id, row)));
  const { predictions } = await server.post<{ predictions: readonly Prediction[] }>(
    `/v1/models/${model}/predict`,
    { instances: all.map(customer) },
  );
  const right = predictions.filter(({ label }, at) => label === truth(all[at] ?? -1));
  expect(job.result?.models[0]?.scores["accuracy"]).toBeCloseTo(right.length / all.length, 12);
  const until = "2020-01-01T00:00:00Z";
  const none = await server.postRaw(`${PATH}/labelled_dataset`, { name: "none", until });
  expect(none.status).toBe(422);
  expect(await none.text()).toContain("no prediction of that time has a label");
});

it("belongs to its organization, and is read by whoever may read data", async () => {
  const ask = (token: string, method: string, path: string, body?: object): Promise<Response> =>
    fetch(server.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const labels = [{ prediction_id: answered[0]?.id, label: "no" }];
  for (const [token, path] of [
    [issuer.token("rival"), PATH],
    [undefined, `${ENDPOINTS}/${ABSENT}`],
  ] as const) {
    const send = (method: string, at: string, body?: object) =>
      token === undefined
        ? server.request(method, at, {
            headers: { "content-type": "application/json" },
            ...(body && { body: JSON.stringify(body) }),
          })
        : ask(token, method, at, body);
    expect((await send("GET", `${path}/prediction_log`)).status).toBe(404);
    expect((await send("GET", `${path}/scores`)).status).toBe(404);
    expect((await send("POST", `${path}/feedback`, { labels })).status).toBe(404);
    expect((await send("POST", `${path}/labelled_dataset`, { name: "d" })).status).toBe(404);
  }
  const { key } = await server.post<{ key: string }>("/v1/api_keys", {
    name: "predicts",
    scopes: ["serving:read"],
  });
  expect((await ask(key, "GET", `${PATH}/prediction_log`)).status).toBe(403);
  expect((await ask(key, "POST", `${PATH}/labelled_dataset`, { name: "d" })).status).toBe(403);
  expect((await ask(key, "POST", `${PATH}/feedback`, { labels })).status).toBe(200);
});

it("goes by its days, stays when logging ends, and goes with its endpoint", async () => {
  const days = ({ last_at, expires_at }: LogFile): number =>
    (Date.parse(expires_at) - Date.parse(last_at)) / 86_400_000;
  expect(days(file)).toBe(30);
  await patch({ prediction_log: { sample_rate: 0.5, keep_days: 7 } });
  const list = async () =>
    (await server.get<{ files: readonly LogFile[] }>(`${PATH}/prediction_log`)).files;
  expect((await list()).map(days)).toEqual([7]);
  // The same request is logged again, or again is not.
  const ids = Array.from({ length: 12 }, (_, at) => `again-${at}`);
  const logged = async () => {
    const each: boolean[] = [];
    for (const id of ids) {
      each.push((await predict([customer(1)], "a", { "x-request-id": id })).id !== null);
    }
    return each;
  };
  const once = await logged();
  expect(new Set(once)).toEqual(new Set([true, false]));
  expect(await logged()).toEqual(once);
  await patch({ prediction_log: null });
  expect((await predict([customer(1)], "a")).id).toBeNull();
  expect(await list()).toHaveLength(1);
  expect((await fetch(file.url)).status).toBe(200);
  for (const name of ["churn", "regression", "quantile_regression"]) {
    await server.request("DELETE", `${ENDPOINTS}/${name}`);
  }
  expect((await fetch(file.url)).status).toBe(404);
  const { prediction_logs } = await server.get<{ prediction_logs: object }>("/v1/usage");
  expect(prediction_logs).toEqual({ count: 0, bytes: 0 });
});
