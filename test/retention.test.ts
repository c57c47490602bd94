/** What organizations keep, and how much they may have: settings, dry runs, what goes, and what is refused. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Json, Organization } from "./support/catalog.ts";
import { TokenIssuer } from "./support/issuer.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { API_KEY, removeHomes, TestServer } from "./support/server.ts";

const CSV = `a,b,y\n${Array.from({ length: 60 }, (_, row) => `${row},${row % 5},${row * 2 + (row % 5)}\n`).join("")}`;
const RULES = {
  keep_versions: null,
  unnamed_model_days: null,
  failed_job_days: null,
  job_report_days: null,
  output_days: null,
  unused_dataset_days: null,
  audit_event_days: null,
};
const QUOTAS = {
  dataset_bytes: null,
  model_bytes: null,
  total_bytes: null,
  datasets: null,
  models: null,
  open_jobs: null,
};

interface DryRun extends Json {
  readonly items: readonly {
    readonly id: string;
    readonly kind: string;
    readonly action: string;
    readonly rule: string;
    readonly bytes: number;
  }[];
  readonly totals: readonly { readonly rule: string; readonly count: number }[];
  readonly count: number;
  readonly bytes: number;
}
interface Usage extends Json {
  readonly datasets: { readonly count: number; readonly bytes: number };
  readonly models: { readonly count: number; readonly bytes: number };
  readonly jobs: { readonly count: number; readonly bytes: number };
  readonly total_bytes: number;
  readonly quotas: Readonly<
    Record<string, { readonly used: number; readonly limit: number | null }>
  >;
}

let server: TestServer;
let issuer: TokenIssuer;
let mine: Organization;
let other: Organization;
let datasetId: string;

const run = (more: object = {}) => ({
  dataset_id: datasetId,
  name: "a run",
  n_trials: 1,
  n_cv_splits: null,
  model_families: ["linear"],
  ensemble: false,
  task: { task_kind: "regression", label_column: "y" },
  ...more,
});

async function trained(more: object = {}): Promise<{ job: string; model: string }> {
  const job = await startRun(server, run(more));
  const { error_message, model_id } = await awaitJob(server, job);
  expect(error_message).toBe("");
  return { job, model: model_id };
}

async function failed(): Promise<{ job: string; model: string }> {
  const job = await startRun(server, run({ n_trials: 10_000, time_budget_s: 600 }));
  await server.post(`/v1/training_jobs/${job}/cancel`);
  const { status, model_id } = await awaitJob(server, job);
  expect(status).toBe("failed");
  return { job, model: model_id };
}

const set = (body: object) => mine.ok("PATCH", "/v1/retention", { body });
const reset = () => set({ ...RULES, quotas: QUOTAS });
const dry = async (body: object, who = mine) =>
  (await who.ok("POST", "/v1/retention/dry_run", { body })).body as DryRun;
const apply = async (body: object = {}) =>
  (await mine.ok("POST", "/v1/retention/apply", { body })).body;
const usage = async (who = mine) => (await who.ok("GET", "/v1/usage")).body as Usage;
const statusOf = async (path: string) => (await server.request("GET", path)).status;
const upload = (csv: string, headers: Readonly<Record<string, string>> = {}) =>
  server.request("POST", "/v1/datasets?name=more", {
    headers: { "content-type": "text/csv", ...headers },
    body: csv,
  });

beforeAll(async () => {
  issuer = await TokenIssuer.start();
  server = await TestServer.start({ workers: 1, env: issuer.environment });
  mine = new Organization(server, API_KEY);
  other = new Organization(server, issuer.token("strangers"));
  datasetId = await server.uploadCsv("learned from", CSV);
});
afterAll(async () => {
  await Promise.all([server.stop(), issuer.stop()]);
  await removeHomes();
});

describe("settings", () => {
  it("keep all for ever until they are set, and merge", async () => {
    const bare = { ...RULES, quotas: QUOTAS, applied_at: null };
    expect((await mine.ok("GET", "/v1/retention")).body).toEqual(bare);
    expect((await dry({})).count).toBe(0);
    await set({ quotas: { datasets: 900 } });
    const { body } = await set({ keep_versions: 900, quotas: { models: 800 } });
    expect(body).toMatchObject({
      keep_versions: 900,
      failed_job_days: null,
      quotas: { datasets: 900, models: 800, open_jobs: null },
    });
    expect((await mine.ok("GET", "/v1/retention")).body).toMatchObject({ keep_versions: 900 });
    const { body: cleared } = await reset();
    expect(cleared).toMatchObject({ ...RULES, quotas: QUOTAS });
  });

  it("refuse what is out of range or unknown", async () => {
    for (const [body, place] of [
      [{ keep_versions: 0 }, ["body", "keep_versions"]],
      [{ failed_job_days: -1 }, ["body", "failed_job_days"]],
      [{ output_days: 1.5 }, ["body", "output_days"]],
      [{ audit_event_days: 29 }, ["body", "audit_event_days"]],
      [{ quotas: { datasets: -1 } }, ["body", "quotas", "datasets"]],
      [{ quotas: { rows: 1 } }, ["body", "quotas", "rows"]],
      [{ keep: 1 }, ["body", "keep"]],
    ] as const) {
      const answer = await mine.ask("PATCH", "/v1/retention", { body });
      expect(answer.status).toBe(422);
      const [fault] = answer.body["detail"] as { loc: unknown }[];
      expect(fault?.loc).toEqual(place);
    }
    const long = await mine.ask("POST", "/v1/retention/dry_run", { body: { limit: 1001 } });
    expect(long.status).toBe(422);
  });
});

describe("what goes", () => {
  it("is versions behind the last of a name, but for what aliases, endpoints and rollbacks need", async () => {
    const versions: string[] = [];
    for (let at = 0; at < 5; at++) {
      versions.push((await trained({ register_as: "kept" })).model);
    }
    const [aliased = "", before = "", loose = "", serving = "", last = ""] = versions;
    await mine.ok("PUT", "/v1/registry/kept/aliases/champion", { body: { version: 1 } });
    const endpoint = { name: "live", models: [{ model_id: before, traffic: 100 }] };
    await mine.ok("POST", "/v1/serving/endpoints", { body: endpoint });
    const split = { models: [{ model_id: "kept@4", traffic: 100 }] };
    await mine.ok("PATCH", "/v1/serving/endpoints/live", { body: split });

    const { items, totals, bytes } = await dry({ keep_versions: 1 });
    expect(items).toMatchObject([
      { id: loose, kind: "model", rule: "keep_versions", action: "delete" },
    ]);
    const { body: shown } = await mine.ok("GET", `/v1/models/${loose}`);
    const files = shown["files"] as { bytes: number }[];
    expect(bytes).toBe(files.reduce((sum, file) => sum + file.bytes, 0));
    expect(totals).toEqual([{ rule: "keep_versions", count: 1, bytes }]);
    expect((await mine.ok("GET", "/v1/retention")).body["keep_versions"]).toBeNull();
    expect(await apply()).toMatchObject({ count: 0, remaining: 0 });

    const had = await usage();
    await set({ keep_versions: 1 });
    expect(await apply()).toEqual({
      ...{ totals: [{ rule: "keep_versions", count: 1, bytes }] },
      ...{ count: 1, bytes, kept: 0, remaining: 0 },
    });
    await server.process.says(new RegExp(`keep_versions[\\s\\S]*${loose}`));
    expect(await statusOf(`/v1/models/${loose}`)).toBe(404);
    for (const id of [aliased, before, serving, last]) {
      expect(await statusOf(`/v1/models/${id}`)).toBe(200);
    }
    const has = await usage();
    expect(had.models.count - has.models.count).toBe(1);
    expect(had.models.bytes - has.models.bytes).toBe(bytes);
    await mine.ok("POST", "/v1/serving/endpoints/live/rollback", { body: {} });
    await mine.ok("DELETE", "/v1/serving/endpoints/live");
    expect((await dry({})).items.map(({ id }) => id).sort()).toEqual([before, serving].sort());
    await reset();
  });

  it("is jobs that failed with what they left, reports, outputs, models without names and data that nothing uses", async () => {
    const { job, model } = await trained();
    const lost = await failed();
    const spare = await server.uploadCsv("unused", "a,b\n1,2\n3,4\n");
    const { body: evaluation } = await mine.ok("POST", "/v1/evaluations", {
      body: { model_id: model, dataset_id: datasetId },
    });
    const { body: batch } = await mine.ok("POST", "/v1/batch_predictions", {
      body: { model_id: model, source: { dataset_id: datasetId } },
    });
    const scored = `/v1/evaluations/${evaluation["job_id"]}`;
    const predicted = `/v1/batch_predictions/${batch["job_id"]}`;
    for (const path of [scored, predicted]) await ended(path);
    expect(await statusOf(`${scored}/report`)).toBe(200);
    const limited = await dry({ job_report_days: 0, output_days: 0, limit: 1 });
    expect(limited.items).toHaveLength(1);
    expect(limited.count).toBeGreaterThan(2);

    await set({ failed_job_days: 1, job_report_days: 1, output_days: 1, unused_dataset_days: 1 });
    expect((await dry({})).count).toBe(0);
    await set({ failed_job_days: 0, job_report_days: 0, output_days: 0, unused_dataset_days: 0 });
    const { items, count } = await dry({ limit: 1000 });
    const of = (id: unknown) => items.filter((item) => item.id === id);
    expect(of(lost.model)).toMatchObject([{ kind: "model", rule: "failed_job_days" }]);
    expect(of(lost.job)).toMatchObject([{ kind: "job", action: "delete" }]);
    expect(of(job)).toMatchObject([{ rule: "job_report_days", action: "prune" }]);
    expect(of(job)[0]?.bytes).toBeGreaterThan(0);
    expect(of(evaluation["job_id"])).toMatchObject([{ rule: "output_days", action: "prune" }]);
    expect(of(batch["job_id"])).toMatchObject([{ rule: "output_days", action: "prune" }]);
    expect(of(spare)).toMatchObject([{ kind: "dataset", rule: "unused_dataset_days" }]);
    expect(of(datasetId)).toEqual([]);
    expect(of(model)).toEqual([]);
    const one = await apply({ limit: 1 });
    expect(one).toMatchObject({ count: 1, remaining: count - 1 });
    expect(await apply()).toMatchObject({ count: count - 1, kept: 0, remaining: 0 });

    expect(await statusOf(`/v1/training_jobs/${lost.job}`)).toBe(404);
    expect(await statusOf(`/v1/models/${lost.model}`)).toBe(404);
    expect(await statusOf(`/v1/datasets/${spare}`)).toBe(404);
    expect(await statusOf(`/v1/datasets/${datasetId}`)).toBe(200);
    const report = await mine.ask("GET", `/v1/jobs/${job}/report`);
    expect([report.status, report.body["detail"]]).toEqual([
      404,
      "The report of this job was removed by the organization's retention.",
    ]);
    const metrics = await mine.ok("GET", `/v1/jobs/${job}/metrics`);
    expect(metrics.body["metrics"]).toMatchObject({ status: "completed", trials: [] });
    const rows = { instances: [{ a: 3, b: 1 }] };
    await mine.ok("POST", `/v1/models/${model}/predict`, { body: rows });
    expect(await statusOf(`${scored}/report`)).toBe(404);
    expect((await mine.ok("GET", scored)).body["result"]).toMatchObject({ rows: 60 });
    const { body: kept } = await mine.ok("GET", predicted);
    expect(kept["result"]).toMatchObject({ rows: 60, url: null });
    expect((await usage()).jobs.bytes).toBe(0);
    expect((await dry({})).count).toBe(0);

    expect((await dry({ unnamed_model_days: 1 })).count).toBe(0);
    const unnamed = await dry({ unnamed_model_days: 0 });
    expect(unnamed.items.map(({ id }) => id)).toContain(model);
    await mine.ok("PATCH", `/v1/models/${model}`, { body: { name: "named" } });
    expect((await dry({ unnamed_model_days: 0 })).items.map(({ id }) => id)).not.toContain(model);
    await reset();
  });

  it("is no model that an alias has begun to point to: either the alias or the deletion gives way", async () => {
    for (let round = 0; round < 2; round++) {
      const { model } = await trained({ register_as: "raced" });
      await trained({ register_as: "raced" });
      await set({ keep_versions: 1 });
      const version =
        ((await mine.ok("GET", `/v1/models/${model}`)).body["version"] as number) ?? 0;
      const [pointed] = await Promise.all([
        mine.ask("PUT", "/v1/registry/raced/aliases/best", { body: { version } }),
        apply(),
      ]);
      const status = await statusOf(`/v1/models/${model}`);
      expect(["200 200", "422 404"]).toContain(`${pointed.status} ${status}`);
      if (status === 200) await mine.ok("DELETE", "/v1/registry/raced/aliases/best");
      await reset();
    }
  });
});

async function ended(path: string): Promise<void> {
  for (;;) {
    const { body } = await mine.ok("GET", path);
    if (body["status"] === "completed") return;
    expect(body["status"], JSON.stringify(body)).not.toBe("failed");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe("quotas", () => {
  const refused = async (answer: Response, quota: string, status = 507) => {
    const body = (await answer.json()) as { detail: string };
    expect([answer.status, body.detail.includes(`quota ${quota} is`)]).toEqual([status, true]);
    return answer;
  };

  it("of bytes refuse uploads by their length, and while they come", async () => {
    const { datasets, total_bytes } = await usage();
    await set({ quotas: { dataset_bytes: datasets.bytes + 10 } });
    await refused(await upload("a,b\n1,2\n3,4\n"), "dataset_bytes");
    const form = new FormData();
    form.set("file", new Blob(["a,b\n1,2\n3,4\n"], { type: "text/csv" }), "x.csv");
    const sent = { body: form };
    await refused(await server.request("POST", "/v1/datasets", sent), "dataset_bytes");
    expect((await upload("a\n1\n2\n")).status).toBe(200);
    expect((await usage()).quotas["dataset_bytes"]).toEqual({
      used: datasets.bytes + 6,
      limit: datasets.bytes + 10,
    });
    await set({ quotas: { dataset_bytes: null, total_bytes: total_bytes + 8 } });
    await refused(await upload("a,b\n1,2\n3,4\n"), "total_bytes");
    const text = { name: "note.txt", text: "A note that is longer than that" };
    await refused(await server.postRaw("/v1/documents", text), "total_bytes");
    await set({ quotas: { total_bytes: 0 } });
    await refused(await server.postRaw("/v1/trainer/run", run()), "total_bytes");
    const batch = { model_id: "kept", source: { dataset_id: datasetId } };
    await refused(await server.postRaw("/v1/batch_predictions", batch), "total_bytes");
    await reset();
  });

  it("of numbers refuse datasets of queries, runs and jobs", async () => {
    const { datasets, models } = await usage();
    await set({ quotas: { datasets: datasets.count } });
    await refused(
      await server.postRaw("/v1/datasets", { name: "q", sql: "select 1 as a" }),
      "datasets",
    );
    await set({ quotas: { datasets: null, models: models.count } });
    await refused(await server.postRaw("/v1/trainer/run", run()), "models");
    await set({ quotas: { models: null, open_jobs: 0 } });
    const late = await refused(await server.postRaw("/v1/trainer/run", run()), "open_jobs", 429);
    expect(late.headers.get("retry-after")).toBe("30");
    const batch = { model_id: "kept", source: { dataset_id: datasetId } };
    await refused(await server.postRaw("/v1/batch_predictions", batch), "open_jobs", 429);
    expect(await usage()).toMatchObject({ datasets, models });
    await reset();
    expect((await server.postRaw("/v1/datasets", { name: "q", sql: "select 1 as a" })).status).toBe(
      200,
    );
  });

  it("hold though many come at once", async () => {
    const { datasets } = await usage();
    await set({ quotas: { datasets: datasets.count + 2 } });
    const answers = await Promise.all(Array.from({ length: 6 }, () => upload("a\n1\n2\n")));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 507, 507, 507, 507]);
    expect((await usage()).datasets.count).toBe(datasets.count + 2);
    await reset();
  });
});

describe("another organization", () => {
  it("has settings, usage and deletions of its own", async () => {
    await set({ keep_versions: 1, quotas: { datasets: 0 } });
    expect((await other.ok("GET", "/v1/retention")).body).toMatchObject({
      ...RULES,
      quotas: QUOTAS,
    });
    expect(await usage(other)).toMatchObject({ datasets: { count: 0, bytes: 0 }, total_bytes: 0 });
    expect((await dry({ unused_dataset_days: 0, unnamed_model_days: 0 }, other)).count).toBe(0);
    const had = await usage();
    const all = { ...RULES, unused_dataset_days: 0, unnamed_model_days: 0, failed_job_days: 0 };
    await other.ok("PATCH", "/v1/retention", { body: all });
    const { body } = await other.ok("POST", "/v1/retention/apply", { body: {} });
    expect(body).toMatchObject({ count: 0, kept: 0 });
    expect(await usage()).toEqual(had);
    await reset();
  });

  it("is asked for a token, and for a scope", async () => {
    const made = await mine.ok("POST", "/v1/api_keys", {
      body: { name: "reader", scopes: ["organization:read"] },
    });
    const poor = await mine.ok("POST", "/v1/api_keys", {
      body: { name: "data", scopes: ["datasets:read"] },
    });
    const reader = new Organization(server, String(made.body["key"]));
    const nobody = new Organization(server, "dk_wrong");
    const stranger = new Organization(server, String(poor.body["key"]));
    for (const [method, path, body] of [
      ["GET", "/v1/retention"],
      ["PATCH", "/v1/retention", {}],
      ["POST", "/v1/retention/dry_run", {}],
      ["POST", "/v1/retention/apply", {}],
      ["GET", "/v1/usage"],
    ] as const) {
      const options = body === undefined ? {} : { body };
      expect((await nobody.ask(method, path, options)).status).toBe(401);
      expect((await stranger.ask(method, path, options)).status).toBe(403);
      const changes = method === "PATCH" || path.endsWith("apply");
      expect((await reader.ask(method, path, options)).status).toBe(changes ? 403 : 200);
    }
  });
});
