/** The main path over HTTP: formats in, a run, its records, the model's answers, the end of it. */

import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { createClient } from "@distillery/client";
import { tableFromArrays, tableFromIPC, tableToIPC } from "apache-arrow";
import { beforeAll, describe, expect, it } from "vitest";
import { awaitJob, type Job, readLog, startRun } from "./support/jobs.ts";
import { fixture } from "./support/server.ts";
import { SharedServer } from "./support/shared-server.ts";

const ARROW = "application/vnd.apache.arrow.stream";
const ABSENT = "00000000-0000-4000-8000-000000000000";

let server: SharedServer;
beforeAll(async () => {
  server = await SharedServer.join();
});

interface Dataset {
  readonly dataset_id: string;
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly hash: string;
  readonly columns: readonly {
    readonly name: string;
    readonly datatype: { readonly kind: string };
  }[];
}

async function upload(path: string, init: RequestInit): Promise<Dataset> {
  const response = await server.request("POST", path, init);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}

describe("datasets", () => {
  const csv =
    "n,c,t,b\n1.5,x,2024-01-31,true\n2,y,2024-02-01,false\n,x,2024-02-02T10:00:00Z,true\n";
  const kinds = { n: "numeric", c: "categorical", t: "timestamp", b: "boolean" };
  const kindsOf = (dataset: Dataset): Record<string, string> =>
    Object.fromEntries(dataset.columns.map(({ name, datatype }) => [name, datatype.kind]));

  it("takes CSV, and tells rows, bytes, hash and kinds", async () => {
    const dataset = await upload("/v1/datasets?name=plain", {
      headers: { "content-type": "text/csv; charset=utf-8" },
      body: csv,
    });
    expect(dataset).toMatchObject({ name: "plain", rows: 3, bytes: csv.length });
    expect(dataset.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(kindsOf(dataset)).toEqual(kinds);
  });

  it("takes gzip by Content-Encoding and kinds by query", async () => {
    const dataset = await upload(
      `/v1/datasets?name=packed&kinds=${encodeURIComponent('{"c":"text"}')}`,
      {
        headers: { "content-type": "text/csv", "content-encoding": "gzip" },
        body: gzipSync(csv),
      },
    );
    expect(kindsOf(dataset)).toEqual({ ...kinds, c: "text" });
  });

  it("takes multipart with one file, named by it", async () => {
    const form = new FormData();
    form.append("file", new Blob([csv], { type: "text/csv" }), "orders.csv");
    const dataset = await upload("/v1/datasets", { body: form });
    expect(dataset).toMatchObject({ name: "orders.csv", rows: 3 });
  });

  it("takes Arrow, Parquet and newline-delimited JSON", async () => {
    const arrow = tableToIPC(tableFromArrays({ a: [1, 2, 3], s: ["x", "y", "x"] }), "stream");
    const fromArrow = await upload("/v1/datasets?name=arrow", {
      headers: { "content-type": "application/vnd.apache.arrow.stream" },
      body: new Uint8Array(arrow),
    });
    expect(fromArrow.rows).toBe(3);
    const parquet = await readFile(
      new URL("../engine/src/data/readers/fixtures/plain.parquet", import.meta.url),
    );
    const fromParquet = await upload("/v1/datasets?name=parquet", {
      headers: { "content-type": "application/vnd.apache.parquet" },
      body: new Uint8Array(parquet),
    });
    expect(fromParquet.rows).toBeGreaterThan(0);
    const fromJson = await upload("/v1/datasets?name=ndjson", {
      headers: { "content-type": "application/x-ndjson" },
      body: '{"a":1,"b":"x"}\n{"a":2}\n',
    });
    expect(fromJson).toMatchObject({ rows: 2 });
  });

  it("takes a data frame as pandas writes it, compressed, and trains on it", async () => {
    const feather = await readFile(
      new URL("../engine/src/data/readers/fixtures/frame.feather", import.meta.url),
    );
    const form = new FormData();
    form.append("file", new Blob([new Uint8Array(feather)]), "frame.feather");
    const dataset = await upload("/v1/datasets", { body: form });
    expect(dataset.rows).toBe(400);
    expect(kindsOf(dataset)).toEqual({
      when: "timestamp",
      season: "categorical",
      station: "categorical",
      celsius: "numeric",
      holiday: "boolean",
      rides: "numeric",
    });
    const jobId = await startRun(server, {
      dataset_id: dataset.dataset_id,
      task: { task_kind: "regression", label_column: "rides" },
      hpo_space: { models: [{ family: "linear" }] },
      metrics: ["r2"],
      n_trials: 1,
      n_cv_splits: null,
    });
    const job = await awaitJob(server, jobId);
    expect(job.status).toBe("completed");
    const gone = await server.request("DELETE", `/v1/models/${job.model_id}`);
    expect(gone.status).toBe(200);
    await server.request("DELETE", `/v1/datasets/${dataset.dataset_id}`);
  });

  it("refuses a truncated Parquet file", async () => {
    const parquet = await readFile(
      new URL("../engine/src/data/readers/fixtures/plain.parquet", import.meta.url),
    );
    const response = await server.request("POST", "/v1/datasets?name=cut", {
      headers: { "content-type": "application/vnd.apache.parquet" },
      body: new Uint8Array(parquet.subarray(0, parquet.length - 20)),
    });
    expect(response.status).toBe(422);
  });

  it("lists newest first in pages, gets with a profile, deletes", async () => {
    interface Page {
      readonly datasets: readonly Dataset[];
      readonly next_page_token: string | null;
    }
    const all = await server.get<Page>("/v1/datasets");
    const paged: string[] = [];
    let token: string | null = "";
    while (token !== null) {
      const query: string = token === "" ? "" : `&page_token=${token}`;
      const page: Page = await server.get(`/v1/datasets?limit=2${query}`);
      paged.push(...page.datasets.map(({ name }) => name));
      token = page.next_page_token;
    }
    expect(paged).toEqual(all.datasets.map(({ name }) => name));
    expect(paged[0]).toBe("ndjson");
    const part = await server.get<Page>("/v1/datasets?contains=Pa&limit=1");
    expect(part.datasets.map(({ name }) => name)).toEqual(["parquet"]);
    const further = `/v1/datasets?contains=Pa&limit=1&page_token=${part.next_page_token}`;
    expect((await server.get<Page>(further)).datasets.map(({ name }) => name)).toEqual(["packed"]);
    expect((await server.get<Page>("/v1/datasets?contains=%25")).datasets).toEqual([]);
    const elsewhere = further.replace("contains=Pa", "contains=plain");
    expect((await server.request("GET", elsewhere)).status).toBe(422);
    const [{ dataset_id }] = all.datasets;
    const found = await server.get<{ profile: { name: string; missing: number }[] }>(
      `/v1/datasets/${dataset_id}`,
    );
    expect(found.profile).toMatchObject([
      { name: "a", missing: 0 },
      { name: "b", missing: 1 },
    ]);
    const { columns, rows } = await server.get<{ columns: string[]; rows: unknown[][] }>(
      `/v1/datasets/${dataset_id}/rows?offset=1&limit=1`,
    );
    expect(columns).toEqual(["a", "b"]);
    expect(rows).toHaveLength(1);
    const deleted = await server.request("DELETE", `/v1/datasets/${dataset_id}`);
    expect((await server.request("GET", `/v1/datasets/${dataset_id}/rows`)).status).toBe(404);
    expect(await deleted.json()).toEqual({ id: dataset_id, deleted: true });
    expect((await server.request("GET", `/v1/datasets/${dataset_id}`)).status).toBe(404);
  });
});

describe("a training run", () => {
  let datasetId: string;
  let job: Job & Record<string, unknown>;
  const row: Record<string, number> = {};
  beforeAll(async () => {
    const csv = await fixture("breast_cancer_wdbc/data.csv");
    const [header, first] = csv.split("\n").map((line) => line.trim().split(","));
    for (const [index, name] of header.entries()) {
      if (name !== "diagnosis") row[name] = Number(first[index]);
    }
    datasetId = await server.uploadCsv("cells", csv);
    const jobId = await startRun(server, {
      dataset_id: datasetId,
      name: "diagnosis",
      task: { task_kind: "binclass", label_column: "diagnosis" },
      filter: { column: "mean_radius", op: "gt", value: 8 },
      hpo_space: {
        models: [{ family: "gbdt", fixed: { n_estimators: 40 } }, { family: "linear" }],
      },
      metrics: ["roc_auc", "log_loss"],
      n_trials: 2,
      n_cv_splits: 3,
      job_tags: { team: "cells" },
    });
    await awaitJob(server, jobId);
    job = await server.get(`/v1/training_jobs/${jobId}`);
  });

  it("says what can be trained for each kind of task, the default metric first", async () => {
    const { training } = createClient({ url: server.baseUrl, token: server.key });
    const { task_kinds: kinds, metrics } = await training.options.query();
    expect(await server.get("/v1/trainer/options")).toMatchObject({ metrics });
    const named = (kind: string) => kinds.find(({ task_kind: each }) => each === kind);
    const twoClasses = named("binclass");
    expect(twoClasses).toMatchObject({ target: "class", most_classes: 2, required: [] });
    expect(twoClasses?.metrics[0]).toBe("log_loss");
    expect(twoClasses?.families).toContain("gbdt");
    const required = ["time_column", "horizon"];
    expect(named("forecasting")).toMatchObject({ row: "series", required });
    expect(metrics).toContainEqual({ metric: "rmse", direction: "minimize", needs: "value" });
  });

  it("fills every member of the interface's record", () => {
    expect(job.error_message).toBe("");
    expect(job).toMatchObject({
      name: "diagnosis",
      status: "completed",
      tags: { team: "cells" },
      model_ids: [job.model_id],
      model_name: "diagnosis",
      model_names: ["diagnosis"],
      model_short_id: job.model_id.slice(0, 8),
      model_short_ids: [job.model_id.slice(0, 8)],
      metric_names: ["roc_auc", "log_loss"],
      result_uri: expect.stringContaining(`/v1/reports/${job.id}?expires=`),
      config: {
        dataframe: { version: 1 },
        job_tags: { team: "cells" },
        task: { label_column: "diagnosis", task_kind: "binclass" },
        metrics: ["roc_auc", "log_loss"],
        optimizer: { kind: "tpe", n_trials_per_step: 2, n_steps: 1 },
        n_cv_splits: 3,
        ensemble: true,
        random_state: 0,
      },
      progress: { phase: "done", trials_planned: 4, trials_done: 4, trials_failed: 0 },
    });
    const values = job["pareto_values"];
    expect(values).toEqual([[expect.any(Number), expect.any(Number)]]);
    for (const time of ["created_at", "updated_at", "started_at", "finished_at"]) {
      expect(new Date(String(job[time])).getTime()).toBeGreaterThan(0);
    }
    const config = job["config"];
    expect(config).toMatchObject({
      hpo_space: {
        models: [
          { family: "gbdt", fixed: { n_estimators: 40 } },
          { family: "linear", search: expect.any(Object) },
        ],
      },
    });
  });

  it("is listed by status, with bounds on the limit", async () => {
    const listed = await server.get<{ training_jobs: Job[] }>(
      "/v1/training_jobs?status=completed&limit=1",
    );
    expect(listed.training_jobs.map(({ id }) => id)).toEqual([job.id]);
    const none = await server.get<{ training_jobs: Job[] }>("/v1/training_jobs?status=failed");
    expect(none.training_jobs).toEqual([]);
    const ids = async (query: string) => {
      const { training_jobs } = await server.get<{ training_jobs: Job[] }>(
        `/v1/training_jobs?${query}`,
      );
      return training_jobs.map(({ id }) => id);
    };
    const name = encodeURIComponent(`${String(job["name"]).slice(0, 3)}*`);
    const asked = `name=${name}&dataset_id=${String(job["dataset_id"])}&created_from=${String(job["created_at"])}`;
    expect(await ids(asked)).toContain(job.id);
    expect(await ids(`${asked}&tag=nobody:has`)).toEqual([]);
    for (const query of ["created_from=today", "dataset_id=1", "tag=", "names=a"]) {
      const response = await server.request("GET", `/v1/training_jobs?${query}`);
      expect(response.status, query).toBe(422);
    }
    for (const limit of ["0", "501", "many"]) {
      const response = await server.request("GET", `/v1/training_jobs?limit=${limit}`);
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ detail: [{ loc: ["query", "limit"] }] });
    }
  });

  it("shows its metrics: trials with folds, series, final scores", async () => {
    const { metrics } = await server.get<{
      metrics: {
        trials: { state: string; fold_values: unknown[]; values: Record<string, number> }[];
        series: Record<string, unknown[]>;
        scores: Record<string, number>;
        best: { number: number };
      };
    }>(`/v1/jobs/${job.id}/metrics`);
    expect(metrics.trials.map(({ state }) => state)).toEqual(Array(4).fill("finished"));
    expect(metrics.trials[0].fold_values.length).toBe(3);
    expect(metrics.series["roc_auc"].length).toBe(4);
    expect(metrics.scores["roc_auc"]).toBeGreaterThan(0.98);
    const aucs = metrics.trials.map(({ values }) => values["roc_auc"]);
    expect(aucs[metrics.best.number]).toBe(Math.max(...aucs));
  });

  it("streams its log, and goes on from Last-Event-ID", async () => {
    const log = await readLog(server, job.id);
    expect(log[0].event.type).toBe("planned");
    expect(log.at(-1)?.event.type).toBe("done");
    expect(log.map(({ id }) => id)).toEqual(log.map((_, index) => index + 1));
    expect(await readLog(server, job.id, () => false, 3)).toEqual(log.slice(3));
  });

  it("has a result and a model status", async () => {
    expect(await server.get(`/v1/results/${job.id}`)).toMatchObject({
      job_id: job.id,
      kind: "training",
      status: "completed",
      result: { model_id: job.model_id },
    });
    expect(await server.get(`/v1/models/${job.model_id}/status`)).toEqual({
      model_id: job.model_id,
      status: "completed",
    });
  });

  it("predicts by objects and by lists alike, and warns of what is odd", async () => {
    const path = `/v1/models/${job.model_id}/predict`;
    const byObject = await server.post<{ predictions: unknown[]; warnings: string[] }>(path, {
      instances: [row],
    });
    expect(byObject.predictions).toEqual([
      { label: expect.any(String), probabilities: expect.any(Object), set: expect.any(Array) },
    ]);
    expect(byObject.warnings).toEqual([]);
    const byList = await server.post<{ predictions: unknown[] }>(path, {
      columns: Object.keys(row),
      data: [Object.values(row)],
    });
    expect(byList.predictions).toEqual(byObject.predictions);
    const sent = tableToIPC(
      tableFromArrays(
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, [value]])),
      ),
    );
    const asArrow = (body: Uint8Array, accept: string): Promise<Response> =>
      server.request("POST", path, {
        headers: { "content-type": ARROW, accept },
        body: Buffer.from(body),
      });
    const asJson = await asArrow(sent, "application/json");
    expect(await asJson.json()).toMatchObject({ predictions: byObject.predictions });
    const answered = await asArrow(sent, "*/*");
    expect(answered.headers.get("content-type")).toBe(ARROW);
    const { label, set, ...others } =
      tableFromIPC(await answered.arrayBuffer())
        .get(0)
        ?.toJSON() ?? {};
    const probabilities = Object.entries(others).map(([name, value]) => [
      name.replace("probability_", ""),
      value,
    ]);
    expect({ label, set: [...set], probabilities: Object.fromEntries(probabilities) }).toEqual(
      byObject.predictions[0],
    );
    expect((await asArrow(sent, "text/html")).status).toBe(406);
    expect((await asArrow(Buffer.from("no Arrow"), "*/*")).status).toBe(422);
    const odd = await server.post<{ warnings: string[] }>(path, {
      instances: [{ mean_area: 3, x: 1 }],
    });
    expect(odd.warnings.join(" ")).toMatch(/mean_radius[\s\S]*"x"|"x"[\s\S]*mean_radius/);
  });

  it("answers the typed client alike, and names its members where rows cannot be read", async () => {
    const client = createClient({ url: server.baseUrl, token: server.key });
    const model_id = String(job.model_id);
    const path = `/v1/models/${model_id}`;
    const lists = { columns: Object.keys(row), data: [Object.values(row)] };
    expect(await client.models.predict.mutate({ model_id, instances: [row] })).toEqual(
      await server.post(`${path}/predict`, { instances: [row] }),
    );
    expect(await client.models.predict.mutate({ model_id, coverage: 0.6, ...lists })).toEqual(
      await server.post(`${path}/predict?coverage=0.6`, lists),
    );
    expect(await client.models.explain.mutate({ model_id, ...lists })).toEqual(
      await server.post(`${path}/explain`, lists),
    );
    const odd = { model_id, instances: [row, { ...row, mean_area: "large" }] };
    await expect(client.models.predict.mutate(odd)).rejects.toMatchObject({
      faults: [{ loc: ["instances", 1, "mean_area"] }],
    });
  });

  it("says which classes may be true, at the level asked for, and in the card how often they are", async () => {
    const at = async (coverage: string) => {
      const { predictions } = await server.post<{
        predictions: { label: string; set: string[] }[];
      }>(`/v1/models/${job.model_id}/predict?coverage=${coverage}`, {
        instances: [row, { mean_area: 500 }],
      });
      return predictions;
    };
    const [narrow, wide] = [await at("0.6"), await at("0.99")];
    for (const [index, { label, set }] of narrow.entries()) {
      expect(set).toContain(label);
      expect(wide[index].set).toEqual(expect.arrayContaining(set));
    }
    const { card } = await server.get<{ card: { uncertainty: object } }>(
      `/v1/models/${job.model_id}`,
    );
    expect(card.uncertainty).toMatchObject({
      kind: "set",
      coverage: 0.9,
      measured: expect.any(Number),
      meanSize: expect.any(Number),
    });
    const beyond = await server.postRaw(`/v1/models/${job.model_id}/predict?coverage=1.5`, {
      instances: [row],
    });
    expect(beyond.status).toBe(422);
    const body: { detail: { loc: unknown; type: string }[] } = await beyond.json();
    expect(body.detail).toEqual([
      expect.objectContaining({ loc: ["query", "coverage"], type: "less_than_equal" }),
    ]);
  });

  it("says which instance and column of a request cannot be read", async () => {
    const response = await server.postRaw(`/v1/models/${job.model_id}/predict`, {
      instances: [row, { ...row, mean_area: "large" }],
    });
    expect(response.status).toBe(422);
    const body: { detail: { loc: unknown[]; msg: string; ctx: object }[] } = await response.json();
    expect(body.detail[0].loc).toEqual(["body", "instances", 1, "mean_area"]);
    expect(body.detail[0].msg).toMatch(/mean_area/);
    expect(body.detail[0].msg).toMatch(/instance 1/i);
    expect(body.detail[0].ctx).toMatchObject({ column: "mean_area", row: 2 });
  });

  it("names every cell of a request that is none, at its place", async () => {
    const faults = async (body: unknown) => {
      const response = await server.postRaw(`/v1/models/${job.model_id}/predict`, body);
      expect(response.status).toBe(422);
      const { detail }: { detail: { loc: unknown[]; type: string }[] } = await response.json();
      return detail.map(({ loc, type }) => [loc.join("."), type]);
    };
    const cells = [{ mean_area: {} }, 5, { mean_area: 1, mean_radius: [2] }];
    expect(await faults({ instances: cells })).toEqual([
      ["body.instances.0.mean_area", "scalar_type"],
      ["body.instances.1", "dict_type"],
      ["body.instances.2.mean_radius", "scalar_type"],
    ]);
    const columns = ["mean_radius", "mean_area"];
    expect(await faults({ columns, data: [[1, {}], {}] })).toEqual([
      ["body.data.0.1", "scalar_type"],
      ["body.data.1", "list_type"],
    ]);
    expect(
      await faults({
        columns,
        data: [
          [1, 2],
          [1, "large"],
        ],
      }),
    ).toEqual([["body.data.1.1", "value_error"]]);
    expect(await faults({ columns, data: [[1, 2], [1]] })).toEqual([
      ["body.data.1", "value_error"],
    ]);
    const twice = ["mean_area", "mean_area"];
    expect(await faults({ columns: twice, data: [[1, 2]] })).toEqual([
      ["body.columns.1", "value_error"],
    ]);
    expect(await faults({ instances: [] })).toEqual([["body.instances", "too_short"]]);
    expect(await faults({ instances: [{}, { Mean_Area: 500 }] })).toEqual([
      ["body.instances", "value_error"],
    ]);
    expect(await faults({ instances: [row], rows: 1 })).toEqual([["body.rows", "extra_forbidden"]]);
    expect((await faults({ instances: Array(5000).fill({ a: {} }) })).length).toBe(100);
  });

  it("takes a page of rows a request, and says how large it may be", async () => {
    const send = async (operation: string, rows: number, row: object = { mean_area: null }) => {
      const instances = Array(rows).fill(row);
      const response = await server.postRaw(`/v1/models/${job.model_id}/${operation}`, {
        instances,
      });
      return { status: response.status, body: await response.json() };
    };
    for (const [operation, most, list] of [
      ["predict", 10_000, "predictions"],
      ["explain", 1_000, "explanations"],
    ] as const) {
      const { body } = await send(operation, most);
      expect(body[list]?.length, operation).toBe(most);
      expect(await send(operation, most + 1)).toEqual({
        status: 422,
        body: {
          detail: [
            {
              loc: ["body", "instances"],
              msg: `List should have at most ${most} items, not ${most + 1}: send the rows in several requests`,
              type: "too_long",
              ctx: { field_type: "List", max_length: most, actual_length: most + 1 },
            },
          ],
        },
      });
    }
    expect((await send("predict", 5_000_000, {})).body.detail[0].ctx).toEqual({
      max_values: 4_000_000,
    });
  });

  it("explains: base value and contributions add up", async () => {
    const { explanations, space } = await server.post<{
      space: string;
      explanations: {
        base_value: number;
        prediction: number;
        contributions: Record<string, number>;
      }[];
    }>(`/v1/models/${job.model_id}/explain`, { instances: [row] });
    const { models } = await server.get<{ models: { stacked: boolean }[] }>(
      `/v1/jobs/${job.id}/report?format=json`,
    );
    expect(space).toBe(models[0]?.stacked ? "logit" : "probability");
    const [{ base_value, prediction, contributions }] = explanations;
    expect(Object.keys(contributions).sort()).toEqual(Object.keys(row).sort());
    const sum = Object.values(contributions).reduce((total, value) => total + value, base_value);
    expect(Math.abs(sum - prediction)).toBeLessThan(1e-6);
  });

  it("shows the card", async () => {
    const model = await server.get<{
      card: Record<string, unknown>;
      members: { weight: number }[];
    }>(`/v1/models/${job.model_id}`);
    expect(model.members.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1);
    expect(Object.keys(model.card)).toEqual(
      expect.arrayContaining(["config", "scores", "scoresByFold", "importance", "environment"]),
    );
  });

  it("answers 404 alike for what is missing, and 409 while in use or ended", async () => {
    const missing = [
      ["GET", `/v1/training_jobs/${ABSENT}`],
      ["GET", `/v1/jobs/${ABSENT}/metrics`],
      ["GET", `/v1/jobs/${ABSENT}/events`],
      ["GET", `/v1/results/${ABSENT}`],
      ["GET", `/v1/models/${ABSENT}`],
      ["DELETE", `/v1/models/${ABSENT}`],
      ["DELETE", `/v1/datasets/${ABSENT}`],
    ];
    for (const [method, path] of missing) {
      const response = await server.request(method, path);
      expect(response.status, path).toBe(404);
      expect(response.headers.get("content-type")).toContain("application/problem+json");
    }
    expect((await server.postRaw(`/v1/training_jobs/${job.id}/cancel`, {})).status).toBe(409);
  });

  it("can be cancelled; the job ends as failed and says so", async () => {
    const jobId = await startRun(server, {
      dataset_id: datasetId,
      task: { task_kind: "binclass", label_column: "diagnosis" },
      n_trials: 500,
    });
    const during = await server.request("DELETE", `/v1/datasets/${datasetId}`);
    expect(during.status).toBe(409);
    await server.post(`/v1/training_jobs/${jobId}/cancel`);
    const ended = await awaitJob(server, jobId);
    expect(ended).toMatchObject({ status: "failed", error_message: "The job was cancelled." });
    const predict = await server.postRaw(`/v1/models/${ended.model_id}/predict`, {
      instances: [row],
    });
    expect(predict.status).toBe(409);
    expect(await (await server.request("DELETE", `/v1/training_jobs/${jobId}`)).json()).toEqual({
      id: jobId,
      deleted: true,
    });
  });

  it("the model can be deleted; its files go with it", async () => {
    const { files } = await server.get<{ files: { url: string }[] }>(
      `/v1/models/${job.model_id}/download`,
    );
    const all = await fetch(files[0].url);
    expect(all.status).toBe(200);
    const bytes = await all.arrayBuffer();
    const part = await fetch(files[0].url, { headers: { range: "bytes=2-4" } });
    expect([part.status, part.headers.get("content-range")]).toEqual([
      206,
      `bytes 2-4/${bytes.byteLength}`,
    ]);
    expect(await part.arrayBuffer()).toEqual(bytes.slice(2, 5));
    const beyond = await fetch(files[0].url, { headers: { range: `bytes=${bytes.byteLength}-` } });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([
      416,
      `bytes */${bytes.byteLength}`,
    ]);
    const response = await server.request("DELETE", `/v1/models/${job.model_id}`);
    expect(await response.json()).toEqual({ id: job.model_id, deleted: true });
    expect((await fetch(files[0].url)).status).toBe(404);
    expect((await server.request("GET", `/v1/models/${job.model_id}`)).status).toBe(404);
  });
});
