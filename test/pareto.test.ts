/** Sweeps over several metrics: one job, several models, and the lists that tell of them. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { awaitJob, downloadModel, type Job, readLog, startRun } from "./support/jobs.ts";
import { IS_LONG } from "./support/long.ts";
import { preparedHome, removeHomes, TestServer } from "./support/server.ts";
import { SharedServer } from "./support/shared-server.ts";
import { trips } from "./support/trips.ts";

interface SweptJob extends Job {
  readonly name: string;
  readonly model_ids: readonly string[];
  readonly model_name: string;
  readonly model_names: readonly string[];
  readonly model_short_id: string;
  readonly model_short_ids: readonly string[];
  readonly pareto_values: readonly (readonly number[])[];
  readonly metric_names: readonly string[];
  readonly progress: { readonly trials_pruned: number; readonly trials_refused: number };
}

interface Metrics {
  readonly pareto: readonly {
    readonly model_id: string;
    readonly model_name: string;
    readonly values: Readonly<Record<string, number>>;
    readonly trials: readonly { readonly trial: number; readonly weight: number }[];
    readonly metric_weights: readonly Readonly<Record<string, number>>[];
  }[];
  readonly front: {
    readonly metric_names: readonly string[];
    readonly weights: number;
    readonly hypervolume: number;
    readonly ideal: readonly number[];
    readonly reference: readonly number[];
  } | null;
}

const MAXIMISED = new Set(["roc_auc", "f1", "accuracy", "balanced_accuracy"]);

const request = (datasetId: string, more: object = {}) => ({
  dataset_id: datasetId,
  name: "trips",
  task: { task_kind: "binclass", label_column: "late" },
  model_families: ["extra_trees", "linear"],
  hpo_space: { models: [{ family: "extra_trees", fixed: { n_estimators: 20 } }] },
  n_trials: 4,
  n_cv_splits: 2,
  random_state: 5,
  ...more,
});

let server: SharedServer;
let datasetId: string;
beforeAll(async () => {
  server = await SharedServer.join();
  datasetId = await server.uploadCsv("trips", trips());
});
afterAll(removeHomes);

/** Whether a row of values is nowhere worse than another, and better somewhere. */
function dominates(a: readonly number[], b: readonly number[], names: readonly string[]): boolean {
  const losses = (row: readonly number[]) =>
    row.map((value, at) => (MAXIMISED.has(names[at] ?? "") ? -value : value));
  const [x, y] = [losses(a), losses(b)];
  return x.every((loss, at) => loss <= y[at]) && x.some((loss, at) => loss < y[at]);
}

const instance = { distance: 0.4, load: 0.9, kind: "van" };

describe.each([
  ["two metrics, winners", { metrics: ["accuracy", "f1"], grid_size: 0.1, ensemble: false }, 11],
  ["three metrics, ensembles", { metrics: ["log_loss", "accuracy", "f1"], grid_size: 4 }, 15],
])("a sweep of %s", (_, more, weights) => {
  let job: SweptJob;
  beforeAll(async () => {
    const id = await startRun(server, request(datasetId, more));
    await awaitJob(server, id);
    job = await server.get<SweptJob>(`/v1/training_jobs/${id}`);
    expect(job.error_message).toBe("");
  });

  it("lists models, names, short ids and values in one order", async () => {
    const { model_ids, metric_names } = job;
    expect(metric_names).toEqual(more.metrics);
    expect(model_ids.length).toBeGreaterThan(1);
    expect(new Set(model_ids).size).toBe(model_ids.length);
    expect(job.model_id).toBe(model_ids[0]);
    expect(job.model_names).toEqual(
      model_ids.map((_id, at) => (at === 0 ? "trips" : `trips ${at + 1}`)),
    );
    expect(job.model_name).toBe("trips");
    expect(job.model_short_ids).toEqual(model_ids.map((id) => id.slice(0, 8)));
    expect(job.model_short_id).toBe(job.model_short_ids[0]);
    expect(job.pareto_values.length).toBe(model_ids.length);
    for (const [at, id] of model_ids.entries()) {
      const model = await server.get<{
        name: string;
        job_id: string;
        status: string;
        card: { scores: Record<string, number>; metricWeights: number[][] };
      }>(`/v1/models/${id}`);
      expect(model).toMatchObject({
        name: job.model_names[at],
        job_id: job.id,
        status: "completed",
      });
      expect(metric_names.map((name) => model.card.scores[name])).toEqual(job.pareto_values[at]);
      for (const row of model.card.metricWeights) expect(row.length).toBe(metric_names.length);
    }
    const { result } = await server.get<{ result: object }>(`/v1/results/${job.id}`);
    expect(result).toMatchObject({ model_ids, metric_names, pareto_values: job.pareto_values });
  });

  it("keeps no model that another dominates; the first is best on the first metric", () => {
    const { pareto_values: rows, metric_names: names } = job;
    for (const a of rows) for (const b of rows) expect(dominates(a, b, names)).toBe(false);
    const firsts = rows.map(([first]) => first);
    expect(rows[0][0]).toBe(MAXIMISED.has(names[0]) ? Math.max(...firsts) : Math.min(...firsts));
  });

  it("tells the front: weights, trials, hypervolume", async () => {
    const { metrics } = await server.get<{ metrics: Metrics }>(`/v1/jobs/${job.id}/metrics`);
    expect(metrics.pareto.map(({ model_id }) => model_id)).toEqual(job.model_ids);
    expect(metrics.pareto.map(({ model_name }) => model_name)).toEqual(job.model_names);
    for (const [at, { values, trials, metric_weights }] of metrics.pareto.entries()) {
      expect(job.metric_names.map((name) => values[name])).toEqual(job.pareto_values[at]);
      expect(trials.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
      for (const row of metric_weights) {
        expect(Object.keys(row)).toEqual(job.metric_names);
        expect(Object.values(row).reduce((sum, weight) => sum + weight)).toBeCloseTo(1, 9);
      }
    }
    expect(metrics.front).toMatchObject({ metric_names: job.metric_names, weights });
    expect(metrics.front?.hypervolume).toBeGreaterThan(0);
    expect(metrics.front?.hypervolume).toBeLessThanOrEqual(1);
    const log = await readLog(server, job.id);
    const selected = log.find(({ event }) => event.type === "selected");
    expect(selected?.event).toMatchObject({ pareto: { weights } });
  });

  it("gives models that predict, explain and can be downloaded, each its own", async () => {
    const answers = [];
    for (const id of job.model_ids) {
      const { predictions } = await server.post<{ predictions: { label: string }[] }>(
        `/v1/models/${id}/predict`,
        { instances: [instance] },
      );
      expect(predictions[0].label).toMatch(/yes|no/);
      const files = await downloadModel(server, id);
      answers.push(String(files.get("model.json")));
    }
    expect(new Set(answers).size).toBe(job.model_ids.length);
    await server.post(`/v1/models/${job.model_ids[1]}/explain`, { instances: [instance] });
  });

  it("lets each model be deleted by itself, and outlive its job", async () => {
    const [first, second, ...others] = job.model_ids;
    const { files } = await server.get<{ files: { url: string }[] }>(
      `/v1/models/${second}/download`,
    );
    const response = await server.request("DELETE", `/v1/models/${second}`);
    expect(await response.json()).toEqual({ id: second, deleted: true });
    expect((await fetch(files[0].url)).status).toBe(404);
    expect((await server.request("GET", `/v1/models/${second}`)).status).toBe(404);
    expect((await server.request("DELETE", `/v1/training_jobs/${job.id}`)).status).toBe(200);
    for (const id of [first, ...others]) {
      expect((await downloadModel(server, id)).has("model.json")).toBe(true);
    }
  });
});

it("of one metric is refused, and says what would do", async () => {
  for (const metrics of [["accuracy"], ["accuracy", "accuracy"], undefined]) {
    const response = await server.postRaw(
      "/v1/trainer/run",
      request(datasetId, { metrics, grid_size: 4 }),
    );
    expect(response.status).toBe(422);
    const { detail } = await response.json();
    expect(detail[0].loc[0]).toBe("body");
    expect(detail[0].msg).toMatch(/metrics|twice/);
  }
});

it("of too many weights is refused", async () => {
  const metrics = ["log_loss", "accuracy", "f1", "balanced_accuracy"];
  const response = await server.postRaw(
    "/v1/trainer/run",
    request(datasetId, { metrics, grid_size: 60 }),
  );
  expect(response.status).toBe(422);
  const { detail } = await response.json();
  expect(detail[0].loc).toEqual(["body", "grid_size"]);
  expect(detail[0].msg).toMatch(/at most \d+ divisions/);
});

it("a run of several metrics without a grid ends with one model", async () => {
  const id = await startRun(
    server,
    request(datasetId, { metrics: ["accuracy", "log_loss"], n_trials: 1 }),
  );
  await awaitJob(server, id);
  const job = await server.get<SweptJob>(`/v1/training_jobs/${id}`);
  expect(job.model_ids).toEqual([job.model_id]);
  expect(job.pareto_values.map((row) => row.length)).toEqual([2]);
  const { metrics } = await server.get<{ metrics: Metrics }>(`/v1/jobs/${id}/metrics`);
  expect(metrics.pareto.map(({ model_id }) => model_id)).toEqual([job.model_id]);
  expect(metrics.front).toBe(null);
});

it.runIf(IS_LONG)(
  "killed after it has selected, it ends with the same models, ids and bytes",
  async () => {
    const swept = { metrics: ["accuracy", "f1"], grid_size: 4, ensemble: false };
    const reference = await awaitJob(server, await startRun(server, request(datasetId, swept)));
    const undisturbed = await server.get<SweptJob>(`/v1/training_jobs/${reference.id}`);

    const home = await preparedHome();
    const first = await TestServer.start({ home });
    const dataset = await first.uploadCsv("trips", trips());
    const jobId = await startRun(first, request(dataset, swept));
    await readLog(first, jobId, (events) => events.some(({ event }) => event.type === "selected"));
    const before = await first.get<SweptJob>(`/v1/training_jobs/${jobId}`);
    await first.kill();

    const second = await TestServer.start({ home, workers: 1 });
    try {
      await awaitJob(second, jobId);
      const job = await second.get<SweptJob>(`/v1/training_jobs/${jobId}`);
      expect(job.error_message).toBe("");
      expect(before.model_ids).toEqual(job.model_ids);
      expect(job.pareto_values).toEqual(undisturbed.pareto_values);
      for (const [at, id] of job.model_ids.entries()) {
        const files = await downloadModel(second, id);
        expect(files).toEqual(await downloadModel(server, undisturbed.model_ids[at]));
      }
    } finally {
      await second.stop();
    }
  },
);
