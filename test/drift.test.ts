/** The drift of endpoints' rows over HTTP: seen where it is, not seen where it is not, kept, and whose it is. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseExposition } from "./support/exposition.ts";
import { TokenIssuer } from "./support/issuer.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { removeHomes, TestServer } from "./support/server.ts";
import { randomOf } from "./support/small-models.ts";

const ENDPOINTS = "/v1/serving/endpoints";

interface Compared {
  readonly name: string;
  readonly level: string;
  readonly psi: number | null;
  readonly rows_needed: number | null;
  readonly bins: readonly {
    readonly up_to: number | null;
    readonly value: string | null;
    readonly share: number | null;
    readonly in_training: number | null;
  }[];
}
interface ComparedColumn extends Compared {
  readonly missing: number | null;
  readonly missing_in_training: number | null;
  readonly outside: number | null;
  readonly outside_in_training: number | null;
}
interface Drift {
  readonly id: string;
  readonly hours: number;
  readonly models: readonly {
    readonly model_id: string;
    readonly unavailable: string | null;
    readonly rows: number;
    readonly training_rows: number | null;
    readonly level: string | null;
    readonly columns: readonly ComparedColumn[];
    readonly predictions: readonly Compared[];
  }[];
}

interface Customer {
  readonly age: number;
  readonly plan: string;
  readonly tenure: number | null;
  readonly joined: string;
}

function customers(seed: number, count: number): Customer[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, () => ({
    age: 18 + Math.floor(60 * random()),
    plan: random() < 0.4 ? "basic" : random() < 0.8 ? "plus" : "pro",
    tenure: random() < 0.1 ? null : Math.round(1000 * random()) / 10,
    joined: `2031-0${1 + Math.floor(9 * random())}-1${Math.floor(10 * random())}`,
  }));
}

const labelled = (rows: readonly Customer[]): string =>
  [
    "age,plan,tenure,joined,churned",
    ...rows.map(({ age, plan, tenure, joined }, at) => {
      const churned = age + (plan === "basic" ? 0 : 12) + ((at * 7919) % 20) < 55;
      return `${age},${plan},${tenure ?? ""},${joined},${churned ? "yes" : "no"}`;
    }),
  ].join("\n");

/** Older customers with a plan that nobody had, most without a tenure, and a year later. */
const shifted = (rows: readonly Customer[]) =>
  rows.map(({ age, plan, tenure, joined }, at) => ({
    age: age + 30,
    plan: at % 2 === 0 ? "gold" : plan,
    tenure: at % 4 === 0 ? tenure : null,
    joined: joined.replace("2031", "2032"),
  }));

let server: TestServer;
let issuer: TokenIssuer;
let model: string;
let forecaster: string;

const start = (home?: { readonly home: string }): Promise<TestServer> =>
  TestServer.start({ ...home, workers: 2, env: issuer.environment });

async function train(dataset: string, task: object, family: string): Promise<string> {
  const id = await startRun(server, {
    dataset_id: dataset,
    task,
    model_families: [family],
    n_trials: 1,
    n_cv_splits: 2,
  });
  const job = await awaitJob(server, id);
  expect(job.error_message).toBe("");
  return job.model_id;
}

beforeAll(async () => {
  issuer = await TokenIssuer.start();
  server = await start();
  const sales = Array.from({ length: 40 }, (_, day) => {
    const date = new Date(Date.UTC(2031, 0, 1 + day)).toISOString().slice(0, 10);
    return `${date},${10 + (day % 7)}`;
  });
  const forecasting = { label_column: "sold", time_column: "day", horizon: 3 };
  [model, forecaster] = await Promise.all([
    train(
      await server.uploadCsv("customers", labelled(customers(1, 1500))),
      { task_kind: "binclass", label_column: "churned" },
      "linear",
    ),
    train(
      await server.uploadCsv("sales", ["day,sold", ...sales].join("\n")),
      { task_kind: "forecasting", ...forecasting },
      "seasonal_naive",
    ),
  ]);
});
afterAll(async () => {
  await server.stop();
  await issuer.stop();
  await removeHomes();
});

const create = (name: string, model_id = model): Promise<{ id: string }> =>
  server.post(ENDPOINTS, { name, models: [{ model_id, traffic: 100 }] });

const predict = (endpoint: string, instances: readonly object[]): Promise<unknown> =>
  server.post(`${ENDPOINTS}/${endpoint}/predict`, { instances });

async function driftOf(endpoint: string) {
  const drift = await server.get<Drift>(`${ENDPOINTS}/${endpoint}/drift`);
  const [of] = drift.models;
  if (!of) throw new Error("no model");
  const all = [...of.columns, ...of.predictions];
  return {
    ...of,
    column: (name: string) => of.columns.find((column) => column.name === name),
    levels: Object.fromEntries(all.map(({ name, level }) => [name, level])),
  };
}

describe("drift of an endpoint", () => {
  it("is none for rows like those of the training data, whatever they come in", async () => {
    await create("steady");
    const rows = customers(2, 1200);
    await predict("steady", rows.slice(0, 600));
    for (const row of rows.slice(600, 620)) await predict("steady", [row]);
    const columns = ["age", "plan", "tenure", "joined"];
    const data = rows.slice(620, 1000).map((row) => [row.age, row.plan, row.tenure, row.joined]);
    await server.post(`${ENDPOINTS}/steady/predict`, { columns, data });
    const tensor = (name: string, datatype: string, values: readonly (string | number)[]) => ({
      name,
      datatype,
      shape: [values.length],
      data: values,
    });
    const last = rows.slice(1000).filter(({ tenure }) => tenure !== null);
    await server.post("/v2/models/steady/infer", {
      inputs: [
        tensor(
          "age",
          "FP64",
          last.map(({ age }) => age),
        ),
        tensor(
          "plan",
          "BYTES",
          last.map(({ plan }) => plan),
        ),
        tensor(
          "tenure",
          "FP64",
          last.map(({ tenure }) => tenure ?? 0),
        ),
        tensor(
          "joined",
          "BYTES",
          last.map(({ joined }) => joined),
        ),
      ],
    });
    // Neither is an explanation of what came, nor rows that were refused.
    await server.post(`${ENDPOINTS}/steady/explain`, { instances: rows.slice(0, 3) });
    const bad = { instances: [{ age: "old" }] };
    expect((await server.postRaw(`${ENDPOINTS}/steady/predict`, bad)).status).toBe(422);
    const drift = await driftOf("steady");
    expect(drift).toMatchObject({ rows: 1000 + last.length, training_rows: 1500, level: "none" });
    expect(drift.levels).toEqual({
      age: "none",
      plan: "none",
      tenure: "none",
      joined: "not_compared",
      "probability of yes": "none",
      label: "none",
    });
    expect(drift.column("age")?.psi).toBeLessThan(0.05);
    const inTraining = customers(1, 1500).filter(({ tenure }) => tenure === null).length / 1500;
    expect(drift.column("tenure")?.missing_in_training).toBeCloseTo(inTraining, 12);
    const inRows = rows.slice(0, 1000).filter(({ tenure }) => tenure === null).length;
    expect(drift.column("tenure")?.missing).toBeCloseTo(inRows / drift.rows, 12);
    expect(drift.column("plan")).toMatchObject({ outside: 0, outside_in_training: 0 });
  });

  it("is large where rows, categories, missing values and predictions shift, and outlives the process", async () => {
    const { id } = await create("shifting");
    const rows = shifted(customers(3, 800));
    await predict("shifting", rows.slice(0, 500));
    const before = await driftOf("shifting");
    expect(before).toMatchObject({ model_id: model, rows: 500, level: "large" });
    expect(before.levels).toMatchObject({
      age: "large",
      plan: "large",
      tenure: "large",
      joined: "not_compared",
      label: "large",
    });
    const beyond = (part: readonly Customer[]): number =>
      part.filter(({ age }) => age > 77).length / part.length;
    expect(before.column("age")?.outside).toBeCloseTo(beyond(rows.slice(0, 500)), 12);
    expect(before.column("plan")?.outside).toBe(0.5);
    const others = before.column("plan")?.bins.find(({ value }) => value === null);
    expect(others).toMatchObject({ share: 0.5, in_training: 0 });
    const sum = before.column("tenure")?.bins.reduce((all, { share }) => all + (share ?? 0), 0);
    expect(sum).toBeCloseTo(1 - (before.column("tenure")?.missing ?? 0), 12);
    expect(before.column("joined")).toMatchObject({
      psi: null,
      outside: 1,
      outside_in_training: 0,
    });
    expect(before.column("tenure")?.missing).toBeGreaterThan(0.7);
    await predict("shifting", rows.slice(500));
    await server.stop();
    server = await start({ home: server.home });
    const after = await driftOf("shifting");
    expect(after.rows).toBe(800);
    expect(after.column("age")?.outside).toBeCloseTo(beyond(rows), 12);
    await predict("shifting", rows.slice(0, 100));
    expect((await driftOf("shifting")).rows).toBe(900);
    const exposed = parseExposition(await (await server.request("GET", "/metrics")).text());
    const figures = (name: string) =>
      exposed.filter(({ name: own, labels }) => own === name && labels["endpoint"] === id);
    expect(figures("distillery_endpoint_drift_rows")).toMatchObject([
      { labels: { endpoint: id, model }, value: 900 },
    ]);
    const psi = figures("distillery_endpoint_input_drift_psi");
    expect(psi.map(({ labels }) => labels["column"]).sort()).toEqual(["age", "plan", "tenure"]);
    for (const { value } of psi) expect(value).toBeGreaterThan(0.25);
    expect(figures("distillery_endpoint_input_missing_ratio")).toHaveLength(4);
    const levels = figures("distillery_endpoint_drift_columns");
    expect(levels.find(({ labels }) => labels["level"] === "large")?.value).toBe(3);
    const predictions = figures("distillery_endpoint_prediction_drift_psi");
    expect(predictions.map(({ labels }) => labels["prediction"])).toContain("label");
  });

  it("is not judged by few rows, nor where nobody keeps what to compare with, and says so", async () => {
    await create("quiet");
    expect(await driftOf("quiet")).toMatchObject({ rows: 0, level: "too_few_rows" });
    await predict("quiet", shifted(customers(4, 20)));
    const drift = await driftOf("quiet");
    expect(drift).toMatchObject({ rows: 20, level: "too_few_rows" });
    const age = drift.column("age");
    expect(age?.psi).toBeGreaterThan(0.25);
    expect(age?.rows_needed).toBeGreaterThan(200);
    expect(age?.rows_needed).toBeLessThan(500);
    await create("sales", forecaster);
    await server.post(`${ENDPOINTS}/sales/predict`, { horizon: 2 });
    const forecasts = await driftOf("sales");
    expect(forecasts).toMatchObject({ level: null, training_rows: null, columns: [] });
    expect(forecasts.unavailable).toMatch(/series and sequences is not measured/);
  });

  it("refuses hours that there are none of, and is of its organization alone", async () => {
    await create("own");
    for (const hours of ["0", "745", "half"]) {
      const response = await server.request("GET", `${ENDPOINTS}/own/drift?hours=${hours}`);
      expect(response.status).toBe(422);
      const { detail }: { detail: readonly { loc: readonly string[] }[] } = await response.json();
      expect(detail[0]?.loc).toEqual(["query", "hours"]);
    }
    expect((await server.get<Drift>(`${ENDPOINTS}/own/drift?hours=744`)).hours).toBe(744);
    expect((await server.request("GET", `${ENDPOINTS}/nowhere/drift`)).status).toBe(404);
    const rival = { headers: { authorization: `Bearer ${issuer.token("rival")}` } };
    const foreign = await fetch(`${server.baseUrl}${ENDPOINTS}/own/drift`, rival);
    expect(foreign.status).toBe(404);
    const metrics = await fetch(`${server.baseUrl}/metrics`, rival);
    expect(await metrics.text()).not.toContain("distillery_endpoint");
  });
});
