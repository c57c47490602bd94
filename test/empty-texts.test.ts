/**
 * An empty text, and any other that stands for a missing cell in a file, means the same in every way of asking: a
 * missing cell, unless training data held it as a text of its own.
 */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Table, tableFromIPC, tableToIPC, Utf8, vectorFromArray } from "apache-arrow";
import { beforeAll, describe, expect, it } from "vitest";
import type * as Predict from "../engine/predict/src/index.ts";
import { runInDuckdb } from "../server/src/testing/parquet-of.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const ARROW = "application/vnd.apache.arrow.stream";
/** As archives of models hold it. */
const PREDICTOR = new URL(
  "../server/src/platform/compute/exports/predictor/index.js",
  import.meta.url,
);
const W = "/v1/workspaces/texts";
const NOTES = ["late again", "PAID 12", "call the customer back", "ok", "seen twice, 2024"];
type Cells = Readonly<Record<string, string | number | null>>;

/** Rows in which what is missing tells the label. @param nothing what stands where a note or a plan is missing */
function rowsOf(nothing: string | null): Cells[] {
  return Array.from({ length: 300 }, (_, i) => {
    const [noNote, noPlan] = [i % 3 === 0, i % 5 === 0];
    return {
      note: noNote ? nothing : `${NOTES[(i * 7) % 5]} ${(i * 7919) % 1009}`,
      plan: noPlan ? nothing : ["basic", "plus", "max"][(i * 11) % 3],
      age: i % 7 === 0 ? null : 18 + ((i * 37) % 60),
      since: i % 11 === 0 ? null : `2024-0${1 + (i % 9)}-1${i % 10}`,
      cost: (noNote ? 40 : 0) + (noPlan ? 15 : 0) + ((i * 31) % 7),
    };
  });
}

let server: SharedServer;
let folder: string;
/** Of a CSV, where cells are missing; and of JSON, where there are empty texts. */
const models: Record<"missing" | "held", string> = { missing: "", held: "" };

const csvOf = (rows: readonly Cells[]): string =>
  [Object.keys(rows[0]), ...rows.map((row) => Object.values(row))]
    .map((cells) => cells.map((cell) => `"${cell ?? ""}"`).join())
    .join("\n");

async function uploaded(type: string, body: string): Promise<string> {
  const response = await server.request("POST", "/v1/datasets?name=rows", {
    headers: { "content-type": type },
    body,
  });
  expect(response.status).toBe(200);
  const dataset: { dataset_id: string } = JSON.parse(await response.text());
  return dataset.dataset_id;
}

async function train(dataset_id: string): Promise<string> {
  const id = await startRun(server, {
    ...{ dataset_id, n_trials: 1, n_cv_splits: 2 },
    task: { task_kind: "regression", label_column: "cost" },
    hpo_space: { models: [{ family: "gbdt", fixed: { n_estimators: 20, learning_rate: 0.3 } }] },
  });
  const job = await awaitJob(server, id);
  if (job.status !== "completed") throw new Error(job.error_message);
  return job.model_id;
}

const ndjsonOf = (rows: readonly Cells[]): string =>
  rows.map((row) => JSON.stringify(row)).join("\n");

beforeAll(async () => {
  server = await SharedServer.join();
  folder = await server.folder();
  await server.post("/v1/workspaces", { name: "workspaces/texts" });
  [models.missing, models.held] = await Promise.all([
    uploaded("text/csv", csvOf(rowsOf(null))).then(train),
    uploaded("application/x-ndjson", ndjsonOf(rowsOf(""))).then(train),
  ]);
});

/** Without the label. @param nothing as of `rowsOf`; of numbers and times too */
function asked(nothing: string | null): Cells[] {
  return rowsOf(nothing)
    .slice(0, 60)
    .map(({ cost: _, ...row }) =>
      Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell ?? nothing])),
    );
}

interface Answer {
  readonly predictions: readonly { readonly value: number }[];
  readonly warnings: readonly string[];
}

const valuesOf = ({ predictions }: Answer): number[] => predictions.map(({ value }) => value);

async function batch(model: string, type: string, body: string | Uint8Array<ArrayBuffer>) {
  const path = `/v1/batch_predictions?model_id=${model}&format=arrow`;
  const headers = { "content-type": type };
  const response = await server.request("POST", path, { headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  const { job_id }: { job_id: string } = JSON.parse(text);
  return settled(job_id);
}

async function settled(id: string): Promise<number[]> {
  for (;;) {
    const done = await server.get<{
      readonly status: string;
      readonly error_message: string;
      readonly result?: { readonly url: string };
    }>(`/v1/batch_predictions/${id}`);
    if (done.status === "failed") throw new Error(done.error_message);
    if (done.result) {
      const table = tableFromIPC(await (await fetch(done.result.url)).arrayBuffer());
      return [...(table.getChild("prediction")?.toArray() ?? [])];
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const textOf = (cell: string | number | null | undefined): string | null =>
  cell === null || cell === undefined ? null : String(cell);

function arrowOf(rows: readonly Cells[]): Uint8Array<ArrayBuffer> {
  const columns = Object.keys(rows[0]).map((name) => [
    name,
    vectorFromArray(
      rows.map((row) => textOf(row[name])),
      new Utf8(),
    ),
  ]);
  return new Uint8Array(tableToIPC(new Table(Object.fromEntries(columns)), "stream"));
}

/** Every way that takes an empty text for what it is. */
const WAYS: Readonly<Record<string, (model: string, rows: readonly Cells[]) => Promise<number[]>>> =
  {
    "Predict, of instances": async (model, instances) =>
      valuesOf(await server.post(`/v1/models/${model}/predict`, { instances })),
    "Predict, of columns and data": async (model, rows) =>
      valuesOf(
        await server.post(`/v1/models/${model}/predict`, {
          columns: Object.keys(rows[0]),
          data: rows.map((row) => Object.values(row)),
        }),
      ),
    "Predict, of Arrow": async (model, rows) => {
      const response = await server.request("POST", `/v1/models/${model}/predict`, {
        headers: { "content-type": ARROW, accept: "application/json" },
        body: arrowOf(rows),
      });
      return valuesOf(JSON.parse(await response.text()));
    },
    tRPC: async (model_id, instances) => {
      const response = await server.request("POST", "/trpc/models.predict", {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model_id, instances }),
      });
      const { result }: { result: { data: Answer } } = JSON.parse(await response.text());
      return valuesOf(result.data);
    },
    "the Open Inference Protocol": async (model, rows) => {
      const answer = await server.post<{ outputs: { data: number[] }[] }>(
        `/v2/models/${model}/infer`,
        {
          inputs: Object.keys(rows[0]).map((name) => ({
            ...{ name, datatype: "BYTES", shape: [rows.length] },
            data: rows.map((row) => textOf(row[name])),
          })),
        },
      );
      return answer.outputs[0].data;
    },
    "a batch of JSON": (model, rows) => batch(model, "application/x-ndjson", ndjsonOf(rows)),
    "a batch of Arrow": (model, rows) => batch(model, ARROW, arrowOf(rows)),
    "a batch of Parquet": async (model, rows) => {
      const [from, to] = ["rows.json", "rows.parquet"].map((name) => join(folder, name));
      await writeFile(from, ndjsonOf(rows));
      const columns = Object.keys(rows[0]).map((name) => `${name}: 'VARCHAR'`);
      await runInDuckdb([
        `COPY (FROM read_json('${from}', columns = {${columns.join()}})) TO '${to}' (FORMAT parquet)`,
      ]);
      return batch(model, "application/vnd.apache.parquet", new Uint8Array(await readFile(to)));
    },
    "a statement": async (model, rows) => {
      const quoted = (cell: string | number | null): string =>
        cell === null ? "NULL" : `'${cell}'`;
      const values = rows.map((row) => `(${Object.values(row).map(quoted).join()})`);
      const answer = await server.post<{ rows: { prediction: number }[] }>(`${W}/query`, {
        sql: `SELECT prediction FROM predict('${model}', (SELECT * FROM (VALUES ${values.join()}) t(${Object.keys(rows[0]).join()})))`,
      });
      return answer.rows.map(({ prediction }) => prediction);
    },
    "@distillery/predict": async (model, rows) => {
      const response = await server.request("GET", `/v1/models/${model}/archive`);
      const library: typeof Predict = await import(PREDICTOR.href);
      const loaded = await library.loadModel(new Uint8Array(await response.arrayBuffer()));
      return valuesOf((await loaded.predict([...rows])) as Answer);
    },
  };

describe.each(Object.entries(WAYS))("%s", (_, ask) => {
  it.each(["", "NA", " "])(
    "takes %j as a missing cell, where training data held none",
    async (nothing) => {
      const [given, missing] = [asked(nothing), asked(null)];
      const expected = valuesOf(
        await server.post(`/v1/models/${models.missing}/predict`, { instances: missing }),
      );
      expect(await ask(models.missing, given)).toEqual(expected);
    },
  );

  it("keeps an empty text where training data held some", async () => {
    const [given, missing] = [asked(""), asked(null)];
    const expected = valuesOf(
      await server.post(`/v1/models/${models.held}/predict`, { instances: given }),
    );
    expect(await ask(models.held, given)).toEqual(expected);
    expect(await ask(models.held, missing)).not.toEqual(expected);
  });
});

it("is missing in a CSV, where nothing tells the two apart", async () => {
  const expected = valuesOf(
    await server.post(`/v1/models/${models.missing}/predict`, { instances: asked("") }),
  );
  expect(await batch(models.missing, "text/csv", csvOf(asked(null)))).toEqual(expected);
});
