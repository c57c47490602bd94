/**
 * Rows whose dates are all of twelve days a month, of which no order of day and month can be told: a model reads them as its
 * training data were written, whatever way they come.
 */

import { writeFile } from "node:fs/promises";
import { tableFromArrays, tableFromIPC, tableToIPC } from "apache-arrow";
import { beforeAll, expect, it } from "vitest";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const two = (value: number): string => String(value).padStart(2, "0");
/** Days of 2021 with the day first; the label is the month. */
const TRAINED = Array.from({ length: 336 }, (_, i) => {
  const [day, month] = [1 + (i % 28), 1 + Math.floor(i / 28)];
  return `${two(day)}/${two(month)}/2021,${month * 10}`;
});
/** Could be of either order, and mean another month in the other. */
const ASKED = Array.from({ length: 12 }, (_, i) => `${two(1 + ((i + 5) % 12))}/${two(1 + i)}/2021`);
const LABELLED = ASKED.map((day, i) => `${day},${(1 + i) * 10}`);

interface Batch {
  readonly status: string;
  readonly error_message: string;
  readonly result?: { readonly url: string; readonly warnings: readonly string[] };
}

interface Evaluation {
  readonly status: string;
  readonly result?: {
    readonly models: readonly { readonly scores: Readonly<Record<string, number>> }[];
  };
}

let server: SharedServer;
let model = "";
/** Of `ASKED`, one by one. */
let expected: number[] = [];

beforeAll(async () => {
  server = await SharedServer.join();
  await server.post("/v1/workspaces", { name: "workspaces/learned" });
  const dataset = await server.uploadCsv("days", ["day,y", ...TRAINED].join("\n"));
  const job = await startRun(server, {
    dataset_id: dataset,
    task: { task_kind: "regression", label_column: "y" },
    hpo_space: { models: [{ family: "gbdt", fixed: { n_estimators: 40, learning_rate: 0.3 } }] },
    ...{ n_trials: 1, n_cv_splits: 3, ensemble: false },
  });
  const ended = await awaitJob(server, job);
  expect(ended.error_message).toBe("");
  model = ended.model_id;
  const { predictions } = await server.post<{ predictions: { value: number }[] }>(
    `/v1/models/${model}/predict`,
    { instances: ASKED.map((day) => ({ day })) },
  );
  expected = predictions.map(({ value }) => value);
  // The other order would be five months off.
  for (const [i, value] of expected.entries())
    expect(Math.abs(value - (1 + i) * 10)).toBeLessThan(15);
});

async function settled(id: string): Promise<Required<Batch>["result"]> {
  for (;;) {
    const batch = await server.get<Batch>(`/v1/batch_predictions/${id}`);
    if (batch.status === "completed" && batch.result) return batch.result;
    if (batch.status === "failed") throw new Error(batch.error_message);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

interface Rows {
  readonly days: readonly string[];
  readonly predictions: readonly number[];
  readonly warnings: readonly string[];
}

async function rowsOf(id: string): Promise<Rows> {
  const { url, warnings } = await settled(id);
  const text = await (await fetch(url)).text();
  const [header = "", ...lines] = text.trim().split("\n");
  const names = header.split(",");
  const column = (name: string): string[] =>
    lines.map((line) => line.split(",")[names.indexOf(name)] ?? "");
  return { days: column("day"), predictions: column("prediction").map(Number), warnings };
}

async function ofFile(text: string, type: string, query = ""): Promise<Rows> {
  const response = await server.request(
    "POST",
    `/v1/batch_predictions?model_id=${model}&format=csv${query}`,
    { headers: { "content-type": type }, body: text },
  );
  expect(response.status).toBe(200);
  const { job_id }: { job_id: string } = await response.json();
  return rowsOf(job_id);
}

async function ofSource(source: object): Promise<Rows> {
  const { job_id } = await server.post<{ job_id: string }>("/v1/batch_predictions", {
    ...{ model_id: model, source, output: { format: "csv" } },
  });
  return rowsOf(job_id);
}

const SAID = /"day" has dates that could be of either order; they are read as day, month, year/;
/** As the service writes the days, read with the day first. */
const WRITTEN = ASKED.map((day) => day.split("/").reverse().join("-"));

function expectLearned({ days, predictions, warnings }: Rows, written: readonly string[]): void {
  expect(predictions).toEqual(expected);
  expect(days.map((day) => day.slice(0, 10))).toEqual(written);
  expect(warnings).toContainEqual(expect.stringMatching(SAID));
}

it("a file of CSV", async () => {
  expectLearned(await ofFile(["day", ...ASKED].join("\n"), "text/csv"), WRITTEN);
});

it("a file of JSON", async () => {
  const lines = ASKED.map((day) => JSON.stringify({ day }));
  expectLearned(await ofFile(lines.join("\n"), "application/x-ndjson"), WRITTEN);
});

it("a file one of whose cells is no date", async () => {
  const { predictions } = await ofFile(
    ["day,n", ...[...ASKED, "soon"].map((day, i) => `${day},${i}`)].join("\n"),
    "text/csv",
    "&on_error=null",
  );
  expect(predictions).toEqual([...expected, 0]);
});

it("a dataset that was read otherwise", async () => {
  const dataset_id = await server.uploadCsv(
    "asked",
    ["day,n", ...ASKED.map((day) => `${day},1`)].join("\n"),
  );
  expectLearned(await ofSource({ dataset_id }), WRITTEN);
});

it("a query's texts", async () => {
  const values = ASKED.map((day) => `('${day}')`).join();
  expectLearned(await ofSource({ sql: `SELECT * FROM (VALUES ${values}) t(day)` }), WRITTEN);
});

it("datasets that a statement reads for the model, whatever it calls their dates", async () => {
  const lines = ["day,n", ...ASKED.map((day, i) => `${day},${i}`)].join("\n");
  await server.uploadCsv("asked in sql", lines);
  const source = "SELECT day, n FROM datasets.asked_in_sql WHERE month(day) > 0";
  expectLearnedBySql(await ofSource({ sql: source }));
  const ask = (sql: string) =>
    server.post<{ rows: { day: string; prediction: number }[]; warnings: string[] }>(
      "/v1/workspaces/learned/query",
      { sql },
    );
  const named = (rows: string) => `SELECT * FROM predict('${model}', (${rows})) ORDER BY n`;
  const renamed = "SELECT d AS day, n FROM (SELECT day AS d, n FROM datasets.asked_in_sql)";
  for (const rows of [source, renamed]) {
    const { rows: found, warnings } = await ask(named(rows));
    const predictions = found.map(({ prediction }) => prediction);
    expectLearnedBySql({ days: found.map(({ day }) => day), predictions, warnings });
  }
  // Nobody says how a statement without a model is to read them.
  const { rows } = await ask("SELECT day FROM datasets.asked_in_sql ORDER BY n");
  expect(rows.map(({ day }) => day.slice(0, 10))).not.toEqual(WRITTEN);
});

it("files of a listed table, in a statement and in a batch", async () => {
  const folder = await server.folder();
  await writeFile(
    `${folder}/asked.csv`,
    ["day,n", ...ASKED.map((day, i) => `${day},${i}`)].join("\n"),
  );
  await server.post("/v1/connectors/objstore", {
    ...{ connector_name: "files", url: `file://${folder}/` },
  });
  const space = "/v1/workspaces/learned";
  await server.post(`${space}/catalogs?catalogId=lake`);
  await server.post(`${space}/catalogs/lake/schemas?schemaId=s`);
  const listing = {
    connector: "workspaces/learned/connectors/files",
    tablePaths: [`file://${folder}/asked.csv`],
  };
  await server.post(`${space}/catalogs/lake/schemas/s/tables?tableId=t`, { spec: { listing } });
  const sql = `SELECT day, prediction FROM predict('${model}', TABLE lake.s.t) WHERE month(day) > 0 ORDER BY n`;
  const { rows, warnings } = await server.post<{
    rows: { day: string; prediction: number }[];
    warnings: string[];
  }>(`${space}/query`, { sql });
  const days = rows.map(({ day }) => day);
  expectLearnedBySql({ days, predictions: rows.map(({ prediction }) => prediction), warnings });
  expectLearnedBySql(await ofSource({ table: "lake.s.t" }));
  const alone = await server.post<{ rows: { day: string }[] }>(`${space}/query`, {
    sql: "SELECT day FROM lake.s.t ORDER BY n",
  });
  expect(alone.rows.map(({ day }) => day.slice(0, 10))).not.toEqual(WRITTEN);
});

function expectLearnedBySql({ days, predictions, warnings }: Rows): void {
  expect(predictions).toEqual(expected);
  expect(days.map((day) => day.slice(0, 10))).toEqual(WRITTEN);
  expect(warnings).toContainEqual(expect.stringMatching(/day has dates .* as day, month, year/));
}

it("labelled rows of an evaluation", async () => {
  const dataset_id = await server.uploadCsv("labelled", ["day,y", ...LABELLED].join("\n"));
  const { job_id } = await server.post<{ job_id: string }>("/v1/evaluations", {
    ...{ model_id: model, dataset_id },
  });
  for (;;) {
    const evaluation = await server.get<Evaluation>(`/v1/evaluations/${job_id}`);
    expect(evaluation.status).not.toBe("failed");
    const mae = evaluation.result?.models[0]?.scores["mae"];
    if (mae !== undefined) {
      const errors = expected.map((value, i) => Math.abs(value - (1 + i) * 10));
      const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
      expect(mae).toBeCloseTo(mean, 6);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

it("a request in Arrow", async () => {
  const body = tableToIPC(tableFromArrays({ day: ASKED }), "stream");
  const response = await server.request("POST", `/v1/models/${model}/predict`, {
    headers: {
      "content-type": "application/vnd.apache.arrow.stream",
      accept: "application/vnd.apache.arrow.stream",
    },
    body: Buffer.from(body),
  });
  expect(response.status).toBe(200);
  const answer = tableFromIPC(new Uint8Array(await response.arrayBuffer()));
  expect(Array.from(answer.getChild("value") ?? [])).toEqual(expected);
});
