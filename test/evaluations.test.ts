/** Models on rows whose truth is known: scores, slices, comparisons, reports, and what is refused. */

import { beforeAll, describe, expect, it } from "vitest";
import { type Json, Organization } from "./support/catalog.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const NOBODY = "9f0c1e2a-6b5d-4c3e-8f7a-1b2c3d4e5f60";
const side = (row: number): string => ["north", "south"][row % 2];
const label = (row: number): string => (row % 29 > 14 === (row % 7 !== 0) ? "yes" : "no");
const line = (row: number): string =>
  `${row % 29},${side(row)},${label(row)},${3 * (row % 29) + (row % 5)}`;
const HEAD = "x,side,bought,amount";
const csv = (from: number, to: number): string =>
  [HEAD, ...Array.from({ length: to - from }, (_, i) => line(from + i))].join("\n");

let server: SharedServer;
let mine: Organization;
let other: Organization;
let trained: string;
let later: string;
let good: string;
let weak: string;
let amounts: string;
let sequences: { model: string; dataset: string };

async function train(dataset: string, task: object, more: object = {}): Promise<string> {
  const job = await awaitJob(
    server,
    await startRun(server, {
      dataset_id: dataset,
      n_trials: 1,
      n_cv_splits: 2,
      model_families: ["linear"],
      task,
      ...more,
    }),
  );
  expect(job.error_message).toBe("");
  return job.model_id;
}

async function evaluated(request: object): Promise<Json> {
  const { job_id } = await server.post<{ job_id: string }>("/v1/evaluations", request);
  for (;;) {
    const job = await server.get<Json>(`/v1/evaluations/${job_id}`);
    if (job["status"] === "failed") throw new Error(String(job["error_message"]));
    if (job["status"] === "completed") return job;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

beforeAll(async () => {
  server = await SharedServer.join();
  mine = new Organization(server);
  other = new Organization(server, server.token("strangers"));
  const first = await server.uploadCsv("customers", csv(0, 200));
  trained = first;
  later = await server.uploadCsv("later customers", csv(200, 500));
  const classes = { task_kind: "binclass", label_column: "bought" };
  good = await train(first, classes, { ignore_columns: ["amount"], model_families: ["gbdt"] });
  weak = await train(first, classes, { ignore_columns: ["amount", "x"] });
  const values = { task_kind: "regression", label_column: "amount" };
  amounts = await train(first, values, { ignore_columns: ["bought"] });
  const steps = Array.from({ length: 400 }, (_, i) => {
    const run = Math.floor(i / 10);
    return `r${run},${i % 10},${((i * 37) % 11) + (run % 2) * (i % 10)},${run % 2 ? "up" : "flat"},${side(run)}`;
  });
  const dataset = await server.uploadCsv("runs", ["run,at,v,kind,side", ...steps].join("\n"));
  const task = {
    task_kind: "sequence_binclass",
    label_column: "kind",
    sequence_column: "run",
    order_column: "at",
  };
  sequences = { dataset, model: await train(dataset, task, { model_families: ["interval_gbdt"] }) };
});

describe("an evaluation", () => {
  it("scores models by every metric, by slices, and against each other", async () => {
    const job = await evaluated({
      model_id: good,
      compare_with: [weak],
      dataset_id: later,
      metrics: ["accuracy", "log_loss", "AUC"],
      slices: ["side", "x"],
      name: "good against weak",
    });
    const { result } = job as { result: Json };
    expect(job).toMatchObject({ name: "good against weak", progress: { phase: "done" } });
    expect(result).toMatchObject({ model_id: good, dataset_id: later, rows: 300 });
    expect(result["metrics"]).toEqual([
      { name: "accuracy", direction: "maximize" },
      { name: "log_loss", direction: "minimize" },
      { name: "roc_auc", direction: "maximize" },
    ]);
    // Accuracy is that of the answers of `/predict`.
    const rows = Array.from({ length: 300 }, (_, i) => 200 + i);
    const { predictions } = await server.post<{ predictions: { label: string }[] }>(
      `/v1/models/${good}/predict`,
      { instances: rows.map((row) => ({ x: row % 29, side: side(row) })) },
    );
    const right = rows.filter((row, i) => predictions[i].label === label(row)).length / 300;
    const [first, second] = result["models"] as {
      scores: Record<string, number>;
      coverage: Json;
    }[];
    expect(first.scores["accuracy"]).toBeCloseTo(right, 12);
    expect(first.scores["log_loss"]).toBeLessThan(second.scores["log_loss"]);
    expect(first.coverage["nominal"]).toBe(0.9);
    const slices = result["slices"] as { column: string; rows: number; scores: unknown[] }[];
    const bySide = slices.filter(({ column }) => column === "side");
    expect(bySide.map((each) => each.rows)).toEqual([150, 150]);
    expect(bySide[0].scores).toHaveLength(2);
    const [comparison] = result["comparisons"] as Json[];
    expect(comparison).toMatchObject({ model_id: weak, against: good, metric: "accuracy" });
    const same = await server.get<Json>(`/v1/results/${job["job_id"]}`);
    expect(same).toMatchObject({ kind: "evaluation", status: "completed", result });
    const page = await server.request("GET", `/v1/evaluations/${job["job_id"]}/report`);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await page.text()).toContain("good against weak");
    const json = await server.get<Json>(`/v1/evaluations/${job["job_id"]}/report?format=json`);
    expect(json).toMatchObject({ format: "distillery-evaluation", rows: 300 });
  });

  it("is the same for the same request, and of values too", async () => {
    const request = { model_id: amounts, dataset_id: later, random_state: 3 };
    const seen = await evaluated({ model_id: amounts, dataset_id: trained });
    expect(String((seen["result"] as Json)["warnings"])).toContain("has seen these rows");
    expect(String((seen["result"] as Json)["warnings"])).not.toContain("equal a row");
    const [one, two] = [await evaluated(request), await evaluated(request)];
    expect((one["result"] as Json)["warnings"]).toEqual([
      // Every 290th row is another's copy.
      expect.stringMatching(/^200 of the 300 rows equal a row that the model learned from/),
    ]);
    expect((one["result"] as Json)["models"]).toEqual((two["result"] as Json)["models"]);
    const [{ scores }] = (one["result"] as { models: { scores: Record<string, number> }[] }).models;
    expect(scores["rmse"]).toBeLessThan(3);
    expect(scores["r2"]).toBeGreaterThan(0.9);
  });

  it("counts sequences, not their steps", async () => {
    const { result } = (await evaluated({
      model_id: sequences.model,
      dataset_id: sequences.dataset,
      slices: ["side"],
      metrics: ["accuracy"],
    })) as { result: Json };
    expect(result["rows"]).toBe(40);
    expect((result["slices"] as { rows: number }[]).map(({ rows }) => rows)).toEqual([20, 20]);
  });

  it("leaves out what has no label, or a class that the model does not know, and says so", async () => {
    const odd = await server.uploadCsv("odd", `${csv(200, 260)}\n3,north,,1\n3,north,maybe,1\n`);
    const { result } = (await evaluated({ model_id: good, dataset_id: odd })) as { result: Json };
    expect(result).toMatchObject({
      rows: 60,
      left_out: { missing_label: 1, unknown_class: { maybe: 1 } },
    });
    expect(String(result["warnings"])).toContain('"maybe" (1)');
  });
});

describe("what is refused", () => {
  const ask = (more: object) =>
    mine.ask("POST", "/v1/evaluations", { body: { model_id: good, dataset_id: later, ...more } });

  it.each([
    ["metrics", { metrics: ["rmse"] }, ["body", "metrics", 0]],
    ["unknown metrics", { metrics: ["accuracy", "goodness"] }, ["body", "metrics", 1]],
    ["slices", { slices: ["side", "colour"] }, ["body", "slices", 1]],
    ["a reference", { model_id: "a b" }, ["body", "model_id"]],
    ["too many models", { compare_with: Array(10).fill("x") }, ["body", "compare_with"]],
  ])("%s, by their place", async (_, more, loc) => {
    const { status, body } = await ask(more);
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ loc }] });
  });

  it("models that predict different things, and data without the label", async () => {
    const { status, body } = await ask({ compare_with: [amounts] });
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: [{ loc: ["body", "compare_with", 0] }] });
    const bare = await server.uploadCsv("bare", "x,side\n1,north\n");
    const other = await ask({ dataset_id: bare });
    expect(other.body).toMatchObject({ detail: [{ loc: ["body", "dataset_id"] }] });
  });

  it("what does not exist, or is another organization's", async () => {
    for (const more of [
      { model_id: NOBODY },
      { dataset_id: NOBODY },
      { compare_with: ["nobody@1"] },
    ]) {
      expect((await ask(more)).status).toBe(404);
    }
    const { body } = await mine.ok("POST", "/v1/evaluations", {
      body: { model_id: good, dataset_id: later },
    });
    const path = `/v1/evaluations/${(body as Json)["job_id"]}`;
    for (const [method, place] of [
      ["GET", path],
      ["GET", `${path}/report`],
      ["POST", `${path}/cancel`],
      ["DELETE", path],
    ] as const) {
      expect((await other.ask(method, place)).status).toBe(404);
    }
    expect(
      (await other.ask("POST", "/v1/evaluations", { body: { model_id: good, dataset_id: later } }))
        .status,
    ).toBe(404);
    const { body: list } = await other.ok("GET", "/v1/evaluations");
    expect((list as Json)["evaluations"]).toEqual([]);
  });

  it("cancelling and deleting at the wrong time", async () => {
    const job = await evaluated({ model_id: good, dataset_id: later });
    const path = `/v1/evaluations/${job["job_id"]}`;
    expect((await mine.ask("POST", `${path}/cancel`)).status).toBe(409);
    const { body } = await mine.ok("GET", "/v1/evaluations?limit=1");
    expect((body as { evaluations: Json[] }).evaluations[0]["job_id"]).toBe(job["job_id"]);
    expect((await mine.ask("DELETE", path)).status).toBe(200);
    expect((await mine.ask("GET", `${path}/report`)).status).toBe(404);
  });
});
