/** A search that begins with what earlier jobs found. */

import { beforeAll, describe, expect, it } from "vitest";
import { awaitJob, type Job, startRun } from "./support/jobs.ts";
import { fixture } from "./support/server.ts";
import { SharedServer } from "./support/shared-server.ts";

interface Trial {
  readonly number: number;
  readonly family: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly values: Readonly<Record<string, number>> | null;
}
interface Card {
  readonly config: { readonly warmStart: readonly { source: string; comparable: boolean }[] };
}

let server: SharedServer;
let cars = "";
let part = "";
let first: Job;
beforeAll(async () => {
  server = await SharedServer.join();
  const lines = (await fixture("car_evaluation/data.csv"))
    .trimEnd()
    .split("\n")
    .filter((_, i) => i === 0 || i % 4 === 1);
  cars = await server.uploadCsv("cars", lines.join("\n"));
  part = await server.uploadCsv(
    "part",
    [lines[0], ...lines.slice(1).filter((_, i) => i % 2 === 0)].join("\n"),
  );
  first = await run(request());
});

const request = (more: object = {}) => ({
  dataset_id: cars,
  task: { task_kind: "multiclass", label_column: "class" },
  model_families: ["linear"],
  metrics: ["log_loss"],
  n_trials: 6,
  n_trials_per_step: 3,
  n_cv_splits: 2,
  pruning: false,
  ...more,
});

async function run(body: object): Promise<Job> {
  const job = await awaitJob(server, await startRun(server, body));
  expect(job.error_message).toBe("");
  return job;
}

async function trialsOf(job: Job): Promise<readonly Trial[]> {
  const { metrics } = await server.get<{ metrics: { trials: Trial[] } }>(
    `/v1/jobs/${job.id}/metrics`,
  );
  return metrics.trials;
}

const cardOf = async (job: Job) =>
  server.get<{ card: Card; files: unknown }>(`/v1/models/${job.model_id}`);

describe("a warm start", () => {
  it("tries the best of the earlier job first, and says in the card what it began with", async () => {
    const earlier = await trialsOf(first);
    const best = earlier.toSorted(
      (a, b) => (a.values?.["log_loss"] ?? 9) - (b.values?.["log_loss"] ?? 9),
    );
    const job = await run(request({ n_trials: 3, warm_start_job_ids: [first.id] }));
    const trials = await trialsOf(job);
    const opening = trials.slice(0, 3).map(({ params }) => JSON.stringify(params));
    expect(opening).toEqual(best.slice(0, 3).map(({ params }) => JSON.stringify(params)));
    expect(trials[0]?.values).toEqual(best[0]?.values);
    const { card } = await cardOf(job);
    expect(card.config.warmStart).toMatchObject([
      { source: `job ${first.id}`, comparable: true, trials: { length: earlier.length } },
    ]);
    const record = await server.get<{ config: object }>(`/v1/training_jobs/${job.id}`);
    expect(record.config).toMatchObject({ warm_start_job_ids: [first.id] });
  });

  it("from other rows counts by order; it outlives the jobs, and repeats to the byte", async () => {
    const body = request({ dataset_id: part, n_trials: 4, warm_start_job_ids: [first.id] });
    const [one, two] = [await run(body), await run(body)];
    const [a, b] = [await cardOf(one), await cardOf(two)];
    expect(a.card.config.warmStart[0]?.comparable).toBe(false);
    expect(b.files).toEqual(a.files);
    expect(await trialsOf(one)).not.toEqual(
      await trialsOf(await run({ ...body, warm_start_job_ids: null })),
    );
  });
});

describe("a job that cannot be begun with", () => {
  const refusal = async (body: object) => {
    const response = await server.postRaw("/v1/trainer/run", body);
    return { status: response.status, body: JSON.stringify(await response.json()) };
  };

  it("is of another task, or named twice, or still open", async () => {
    const regression = await server.uploadCsv(
      "line",
      `x,y\n${Array.from({ length: 60 }, (_, i) => `${i % 7},${i}`).join("\n")}`,
    );
    const other = await refusal({
      dataset_id: regression,
      task: { task_kind: "regression", label_column: "y" },
      warm_start_job_ids: [first.id],
    });
    expect(other.status).toBe(422);
    expect(other.body).toContain('["body","warm_start_job_ids",0]');
    expect(other.body).toMatch(/is of multiclass, and this run of regression/);
    const twice = await refusal(request({ warm_start_job_ids: [first.id, first.id] }));
    expect(twice.body).toContain('["body","warm_start_job_ids",1]');
    expect(twice.body).toMatch(/twice/);
    const open = await startRun(server, request({ n_trials: 200, model_families: ["gbdt"] }));
    const early = await refusal(request({ warm_start_job_ids: [open] }));
    expect(early.body).toMatch(/only jobs that have ended/);
    await server.post(`/v1/training_jobs/${open}/cancel`);
    await awaitJob(server, open);
  });

  it("is missing, or belongs to somebody else, which is told alike", async () => {
    const nobody = "00000000-0000-4000-8000-000000000000";
    const missing = await refusal(request({ warm_start_job_ids: [nobody] }));
    const token = server.token("somebody-else");
    const headers = { authorization: `Bearer ${token}` };
    const upload = await server.request("POST", "/v1/datasets?name=theirs", {
      headers: { ...headers, "content-type": "text/csv" },
      body: await fixture("car_evaluation/data.csv"),
    });
    const { dataset_id }: { dataset_id: string } = await upload.json();
    const foreign = await server.request("POST", "/v1/trainer/run", {
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(request({ dataset_id, warm_start_job_ids: [first.id] })),
    });
    expect([missing.status, foreign.status]).toEqual([404, 404]);
    expect(JSON.stringify(await foreign.json())).toBe(missing.body);
  });
});
