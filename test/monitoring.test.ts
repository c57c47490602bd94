/** What can be watched from outside: `/metrics` in the form that Prometheus reads, and whose figures it shows. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseExposition, type Sample } from "./support/exposition.ts";
import { TokenIssuer } from "./support/issuer.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { removeHomes, TestServer } from "./support/server.ts";

const ENDPOINTS = "/v1/serving/endpoints";
const METRICS_TOKEN = "metrics_0123456789abcdef";
const ROW = { age: 41, plan: "basic" };

let server: TestServer;
let issuer: TokenIssuer;
let model: string;
let shadow: string;

function customers(): string {
  const lines = Array.from({ length: 80 }, (_, row) => {
    const age = 18 + ((row * 37) % 60);
    const plan = row % 3 === 0 ? "basic" : "plus";
    return `${age},${plan},${age + (row % 3) * 9 < 50 ? "yes" : "no"}`;
  });
  return ["age,plan,churned", ...lines].join("\n");
}

async function train(dataset: string, seed: number): Promise<string> {
  const id = await startRun(server, {
    dataset_id: dataset,
    task: { task_kind: "binclass", label_column: "churned" },
    model_families: ["linear"],
    n_trials: 1,
    n_cv_splits: 2,
    random_state: seed,
  });
  const job = await awaitJob(server, id);
  expect(job.error_message).toBe("");
  return job.model_id;
}

beforeAll(async () => {
  issuer = await TokenIssuer.start();
  server = await TestServer.start({
    workers: 2,
    env: { ...issuer.environment, DISTILLERY_METRICS_TOKEN: METRICS_TOKEN },
  });
  const dataset = await server.uploadCsv("customers", customers());
  [model, shadow] = await Promise.all([train(dataset, 1), train(dataset, 2)]);
});
afterAll(async () => {
  await server.stop();
  await issuer.stop();
  await removeHomes();
});

const scrape = (headers: Record<string, string> = {}): Promise<Response> =>
  server.request("GET", "/metrics", { headers });

const asOperator = { authorization: `Bearer ${METRICS_TOKEN}` };

async function samples(headers: Record<string, string> = {}): Promise<readonly Sample[]> {
  const response = await scrape(headers);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return parseExposition(text);
}

const figure = (all: readonly Sample[], name: string, labels: Record<string, string>) =>
  all.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;

describe("/metrics", () => {
  it("counts what an endpoint answers, refuses and compares, by model", async () => {
    const { id, name } = await server.post<{ id: string; name: string }>(ENDPOINTS, {
      name: "counted",
      models: [{ model_id: model, traffic: 100 }],
      shadow_model_id: shadow,
    });
    await server.post(`${ENDPOINTS}/${id}/predict`, { instances: [ROW, ROW, ROW] });
    await server.post(`${ENDPOINTS}/${id}/explain`, { instances: [ROW] });
    const bad = await server.postRaw(`${ENDPOINTS}/${id}/predict`, { instances: [[1]] });
    expect(bad.status).toBe(422);
    await expect
      .poll(async () =>
        figure(await samples(), "distillery_endpoint_shadow_requests_total", {
          endpoint: id,
          outcome: "compared",
        }),
      )
      .toBe(1);
    const all = await samples();
    const of = { endpoint: id, model };
    expect(figure(all, "distillery_endpoint_info", { endpoint: id })).toBe(1);
    expect(figure(all, "distillery_endpoint_info", { name })).toBe(1);
    const requests = "distillery_endpoint_requests_total";
    expect(figure(all, requests, { ...of, status: "2xx" })).toBe(2);
    expect(figure(all, requests, { ...of, status: "4xx" })).toBe(1);
    expect(figure(all, requests, { ...of, status: "5xx" })).toBe(0);
    expect(figure(all, "distillery_endpoint_rows_total", of)).toBe(4);
    const duration = "distillery_endpoint_request_duration_seconds";
    expect(figure(all, `${duration}_count`, of)).toBe(2);
    expect(figure(all, `${duration}_bucket`, { ...of, le: "+Inf" })).toBe(2);
    const compared = { endpoint: id, model: shadow };
    expect(figure(all, "distillery_endpoint_shadow_rows_total", compared)).toBe(3);
    expect(
      figure(all, "distillery_jobs", { kind: "training", status: "completed" }),
    ).toBeGreaterThanOrEqual(2);
    await server.request("DELETE", `${ENDPOINTS}/${id}`);
    expect((await samples()).filter(({ labels }) => labels["endpoint"] === id)).toEqual([]);
  });

  it("shows the process to the operator's token, which opens nothing else", async () => {
    await server.get("/v1/models");
    await server.request("BREW", "/nowhere").catch(() => undefined);
    await server.request("GET", "/nowhere/at/all");
    const all = await samples(asOperator);
    const names = new Set(all.map(({ name }) => name));
    for (const name of [
      "distillery_build_info",
      "distillery_http_request_duration_seconds_bucket",
      "distillery_queue_tasks",
      "distillery_serving_waiting_requests",
      "nodejs_eventloop_lag_p99_seconds",
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "process_start_time_seconds",
    ]) {
      expect(names).toContain(name);
    }
    expect(figure(all, "distillery_database_up", {})).toBe(1);
    const http = "distillery_http_requests_total";
    expect(
      figure(all, http, { method: "GET", route: "/v1/models", status: "200" }),
    ).toBeGreaterThanOrEqual(1);
    // Whatever paths are tried, they are one series.
    expect(figure(all, http, { route: "none", status: "404" })).toBeGreaterThanOrEqual(1);
    expect(all.filter(({ labels }) => labels["route"]?.includes("nowhere"))).toEqual([]);
    const refused = await server.request("GET", "/v1/models", { headers: asOperator });
    expect(refused.status).toBe(401);
  });

  it("shows an organization its own alone", async () => {
    const { id } = await server.post<{ id: string }>(ENDPOINTS, {
      name: "own",
      models: [{ model_id: model, traffic: 100 }],
    });
    await server.post(`${ENDPOINTS}/${id}/predict`, { instances: [ROW] });
    const other = { authorization: `Bearer ${issuer.token("globex")}` };
    expect(await samples(other)).toEqual([]);
    const own = await samples();
    expect(own.filter(({ name }) => /^(process|nodejs|distillery_http)_/.test(name))).toEqual([]);
    const everyone = await samples(asOperator);
    const told = everyone.filter(({ labels }) => labels["endpoint"] === id);
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told.map(({ labels }) => labels["organization"])).size).toBe(1);
    await server.request("DELETE", `${ENDPOINTS}/${id}`);
  });

  it("is shut to those without a token, or without the scope", async () => {
    expect((await scrape({ authorization: "" })).status).toBe(401);
    expect((await scrape({ authorization: "Bearer metrics_0123456789abcdeX" })).status).toBe(401);
    const { key } = await server.post<{ key: string }>("/v1/api_keys", {
      name: "caller",
      scopes: ["serving:read"],
    });
    expect((await scrape({ authorization: `Bearer ${key}` })).status).toBe(403);
    const { key: watcher } = await server.post<{ key: string }>("/v1/api_keys", {
      name: "prometheus",
      scopes: ["organization:read"],
    });
    expect((await scrape({ authorization: `Bearer ${watcher}` })).status).toBe(200);
  });
});
