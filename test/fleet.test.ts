/**
 * The same build as a fleet, with real parts: PostgreSQL by `DATABASE_URL` under a user without
 * rights over others, the S3 API by `OBJECT_STORE_URL`, API processes that train nothing, workers.
 * `DISTILLERY_TEST_S3_URL` (of the form of `OBJECT_STORE_URL`) names a further object store.
 */

import { randomUUID } from "node:crypto";
import process from "node:process";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { S3Service } from "../server/src/testing/s3-service.ts";
import { CommandProcess } from "./support/command.ts";
import {
  allSettled,
  FLEET_VARIABLES,
  Fleet,
  type ObjectStoreAccess,
  OWNER,
  SETUP_STATEMENTS,
} from "./support/fleet.ts";
import { TokenIssuer } from "./support/issuer.ts";
import { awaitJob, downloadModel, type LogEvent, readLog, startRun } from "./support/jobs.ts";
import { IS_LONG } from "./support/long.ts";
import { PostgresServer } from "./support/postgres.ts";
import { fixture, newHome, removeHomes, TestServer } from "./support/server.ts";

const request = (datasetId: string, more: object = {}) => ({
  dataset_id: datasetId,
  task: { task_kind: "multiclass", label_column: "class" },
  model_families: ["gbdt", "extra_trees"],
  hpo_space: {
    models: [
      { family: "gbdt", fixed: { n_estimators: 25 } },
      { family: "extra_trees", fixed: { n_estimators: 40 } },
    ],
  },
  metrics: ["log_loss", "accuracy"],
  n_trials: 4,
  n_trials_per_step: 2,
  n_cv_splits: 3,
  // So that every fold is run, and can be counted.
  pruning: false,
  random_state: 11,
  ...more,
});
const FOLDS = 2 * 4 * 3;

const INSTANCE = {
  buying: "low",
  maint: "low",
  doors: "4",
  persons: "4",
  lug_boot: "big",
  safety: "high",
};

interface Outcome {
  readonly files: Map<string, Buffer>;
  readonly predictions: unknown;
}

const SQL = "/v1/workspaces/sql";

const uploadCars = async (server: TestServer): Promise<string> =>
  server.uploadCsv("cars", await fixture("car_evaluation/data.csv"));

async function outcomeOf(server: TestServer, jobId: string): Promise<Outcome> {
  const job = await awaitJob(server, jobId);
  expect(job).toMatchObject({ status: "completed", error_message: "" });
  const { predictions } = await server.post<{ predictions: unknown }>(
    `/v1/models/${job.model_id}/predict`,
    { instances: [INSTANCE] },
  );
  expect((await fetch(job.result_uri)).headers.get("content-type")).toContain("text/html");
  return { files: await downloadModel(server, job.model_id), predictions };
}

/** Of one process with everything embedded. */
async function referenceOutcome(): Promise<Outcome> {
  const server = await TestServer.start({ workers: 1 });
  try {
    return await outcomeOf(server, await startRun(server, request(await uploadCars(server))));
  } finally {
    await server.stop();
  }
}

const count = (events: readonly LogEvent[], type: string): number =>
  events.filter(({ event }) => event.type === type).length;

function expectEachFoldOnce(events: readonly LogEvent[]): void {
  const folds = events
    .filter(({ event }) => event.type === "fold_finished")
    .map(({ event }) => `${event.trial}/${event.fold}`);
  expect(folds.length).toBe(FOLDS);
  expect(new Set(folds).size).toBe(FOLDS);
  expect(count(events, "planned")).toBe(1);
}

async function readiness(server: TestServer): Promise<{ status: number; detail: string }> {
  const response = await fetch(`${server.baseUrl}/readyz`);
  const { detail = "" } = await response.json();
  return { status: response.status, detail };
}

let postgres: PostgresServer;
let s3: S3Service;
let issuer: TokenIssuer;
let reference: Outcome;

beforeAll(async () => {
  // Each is known as soon as it is there, so that it is removed even where another fails.
  await allSettled([
    PostgresServer.create().then((server) => {
      postgres = server;
    }),
    S3Service.create().then((service) => {
      s3 = service;
    }),
    TokenIssuer.start().then((started) => {
      issuer = started;
    }),
    referenceOutcome().then((outcome) => {
      reference = outcome;
    }),
  ]);
});
afterAll(async () => {
  await Promise.all([postgres?.remove(), s3?.remove(), issuer?.stop()]);
  await removeHomes();
});

describe("the database's user", () => {
  it("who may not create roles is told what an administrator has to run", async () => {
    await postgres.administer([
      "CREATE ROLE lonely LOGIN PASSWORD 'lonely'",
      "CREATE DATABASE lonely OWNER lonely",
    ]);
    const env = { DATABASE_URL: postgres.url("lonely", "lonely", "lonely") };
    const start = ["start", "--port", "0", "--home", await newHome()];
    const refused = new CommandProcess(start, env);
    await refused.says(/CREATE ROLE distillery_app .*GRANT both to the user/);
    expect(await refused.ends()).toBe(1);
    expect(refused.output).not.toContain("    at ");
  });

  it("needs no more than what the README says", async () => {
    expect(SETUP_STATEMENTS.join()).not.toMatch(/superuser|bypassrls|createrole/i);
    await postgres.administer(SETUP_STATEMENTS);
  });
});

const stores: [string, () => ObjectStoreAccess][] = [
  ["s3rver", () => ({ url: s3.url("fleet"), credentials: s3.credentials })],
];
const named = process.env["DISTILLERY_TEST_S3_URL"];
if (named) {
  const url = new URL(named);
  url.pathname = `${url.pathname}/${randomUUID()}`;
  stores.push(["DISTILLERY_TEST_S3_URL", () => ({ url: url.href, credentials: {} })]);
}

describe.each(stores)("a fleet on PostgreSQL and %s", (store, access) => {
  let fleet: Fleet;
  let api: TestServer;
  let other: TestServer;

  beforeAll(async () => {
    const database = store === "s3rver" ? "distillery" : "further";
    if (database === "further") {
      await postgres.administer([`CREATE DATABASE ${database} OWNER ${OWNER.user}`]);
    }
    const url = postgres.url(OWNER.user, OWNER.password, database);
    fleet = new Fleet(url, access());
    await fleet.startServers(2, issuer.environment);
    [api, other] = fleet.servers as [TestServer, TestServer];
  });
  afterAll(async () => {
    expect(new Set(await fleet.stop())).toEqual(new Set([0]));
  });
  // What the processes said last tells which of them waited, and for what.
  afterEach(({ task }) => {
    if (task.result?.state !== "fail") return;
    for (const { process: said } of [...fleet.servers, ...fleet.workers]) {
      process.stderr.write(`${said.output.split("\n").slice(-40).join("\n")}\n\n`);
    }
  });

  it("is not ready without a worker, and ready with one", async () => {
    expect(await readiness(api)).toEqual({
      status: 503,
      detail: "Not ready; no answer from: worker.",
    });
    await fleet.startWorkers(2);
    await expect.poll(() => readiness(api)).toMatchObject({ status: 200 });
  });

  it("finishes the job of a worker that is killed on another, with the bytes of a single process", async () => {
    const jobId = await startRun(api, request(await uploadCars(api)));
    const before = await readLog(api, jobId, (events) => count(events, "fold_finished") >= 3);
    expect(count(before, "fold_finished")).toBeLessThan(FOLDS);
    const [first, ...more] = fleet.workers.filter((worker) => worker.hasTaken(jobId));
    expect(more).toEqual([]);
    await first?.process.kill();
    const outcome = await outcomeOf(other, jobId);
    expect(fleet.workers.filter((worker) => worker.hasTaken(jobId)).length).toBe(2);
    expect([...outcome.files.keys()]).toContain("model.json");
    const log = await readLog(other, jobId);
    expect(log.slice(0, before.length)).toEqual(before);
    expectEachFoldOnce(log);
    expect(outcome).toEqual(reference);
  });

  it("reads with SQL, at each process, the datasets that lie in the object store", async () => {
    await api.post("/v1/workspaces", { name: "workspaces/sql" });
    const rows = async (server: TestServer, sql: string) =>
      (await server.post<{ rows: unknown[] }>(`${SQL}/query`, { sql })).rows;
    const id = await api.uploadCsv("numbers", "n,t\n1,a\n2,b\n5000000000,c\n");
    for (const server of [other, api, other]) {
      expect(await rows(server, "SELECT n FROM datasets.numbers WHERE t > 'a'")).toEqual([
        { n: 2 },
        { n: 5e9 },
      ]);
    }
    // One that holds a copy answers no longer than one that never read it.
    expect((await api.request("DELETE", `/v1/datasets/${id}`)).status).toBe(200);
    for (const server of [other, api]) {
      const gone = await server.postRaw(`${SQL}/query`, { sql: "FROM datasets.numbers" });
      expect(gone.status).toBe(400);
    }
    await uploadCars(api);
    const made = await other.post<{ dataset_id: string }>("/v1/datasets", {
      name: "counted",
      sql: "SELECT count(*) AS n FROM datasets.cars",
    });
    expect(await rows(api, "FROM datasets.counted")).toEqual([{ n: 1728 }]);
    expect((await api.request("DELETE", `/v1/datasets/${made.dataset_id}`)).status).toBe(200);
  });

  it("cancels at one process what was begun at another and runs elsewhere", async () => {
    const jobId = await startRun(api, request(await uploadCars(api), { n_trials: 1000 }));
    await readLog(api, jobId, (events) => count(events, "fold_finished") > 0);
    await other.post(`/v1/training_jobs/${jobId}/cancel`);
    const job = await awaitJob(api, jobId);
    expect(job).toMatchObject({ status: "failed", error_message: "The job was cancelled." });
    const log = await readLog(api, jobId);
    // The one worker that is left takes the next job, so it has let go of this one.
    const next = await startRun(other, request(await uploadCars(other), { n_trials: 1 }));
    expect(await awaitJob(api, next)).toMatchObject({ status: "completed" });
    expect(await readLog(api, jobId)).toEqual(log);
  });

  it("answers by the split that another process has just written", async () => {
    const { models } = await api.get<{ models: { id: string; status: string }[] }>("/v1/models");
    const completed = models.filter(({ status }) => status === "completed").map(({ id }) => id);
    const [first = "", second = ""] = completed;
    const all = (model_id: string) => [{ model_id, traffic: 100 }];
    const endpoint = "/v1/serving/endpoints/cars";
    await api.post("/v1/serving/endpoints", { name: "cars", models: all(first) });
    for (const model of [second, first, second, first]) {
      const patched = await api.request("PATCH", endpoint, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ models: all(model) }),
      });
      expect(patched.status).toBe(200);
      const answer = await other.post(`${endpoint}/predict`, { instances: [INSTANCE] });
      expect(answer).toMatchObject({ model_id: model });
    }
    expect((await other.request("DELETE", `/v1/models/${first}`)).status).toBe(409);
  });

  it("adds up the rows that its processes answered, for whichever is asked how far they drifted", async () => {
    const path = "/v1/serving/endpoints/drifting";
    const { models } = await api.get<{ models: { id: string; status: string }[] }>("/v1/models");
    const model_id = models.find(({ status }) => status === "completed")?.id;
    await api.post("/v1/serving/endpoints", {
      name: "drifting",
      models: [{ model_id, traffic: 100 }],
    });
    await api.post(`${path}/predict`, { instances: [INSTANCE, INSTANCE] });
    await other.post(`${path}/predict`, { instances: [INSTANCE, INSTANCE, INSTANCE] });
    // Whoever is asked brings what it has counted itself; a thread that is at work, as by loading, brings it later.
    const rows = async (server: TestServer): Promise<number | undefined> =>
      (await server.get<{ models: { rows: number }[] }>(`${path}/drift`)).models[0]?.rows;
    await expect.poll(async () => [await rows(api), await rows(other)]).toEqual([5, 5]);
    expect(await api.get(`${path}/drift`)).toMatchObject({ models: [{ model_id, rows: 5 }] });
  });

  it("knows an organization's keys and nothing of others' in every process", async () => {
    const { id, key } = await api.post<{ id: string; key: string }>("/v1/api_keys", {
      name: "of the first process",
    });
    const withKey = (server: TestServer, token: string, path = "/v1/organization") =>
      server.request("GET", path, { headers: { authorization: `Bearer ${token}` } });
    // Twice, so that both have it in mind.
    for (const server of [api, other, api, other]) {
      expect((await withKey(server, key)).status).toBe(200);
    }
    expect((await other.request("DELETE", `/v1/api_keys/${id}`)).status).toBe(200);
    expect((await withKey(api, key)).status).toBe(401);
    expect((await withKey(other, key)).status).toBe(401);

    const stranger = issuer.token("strangers");
    const dataset = await uploadCars(api);
    for (const server of [api, other]) {
      const { name } = await (await withKey(server, stranger)).json();
      expect(name).toBe("strangers");
      const answer = await withKey(server, stranger, `/v1/datasets/${dataset}`);
      expect(answer.status).toBe(404);
      expect((await server.request("GET", `/v1/datasets/${dataset}`)).status).toBe(200);
    }
  });

  it("keeps what a process promised in the others: page tokens and Idempotency-Key", async () => {
    const first = await api.get<{ next_page_token: string }>("/v1/training_jobs?limit=1");
    const token = encodeURIComponent(first.next_page_token);
    await other.get(`/v1/training_jobs?limit=1&page_token=${token}`);
    const create = async (server: TestServer): Promise<unknown> => {
      const response = await server.request("POST", "/v1/api_keys", {
        headers: { "content-type": "application/json", "idempotency-key": `"${store}"` },
        body: JSON.stringify({ name: "once" }),
      });
      expect(response.status).toBe(200);
      return response.json();
    };
    expect(await create(other)).toEqual(await create(api));
  });

  it("takes no server that has another secret", async () => {
    const start = ["start", "--port", "0", "--home", await newHome()];
    const { DISTILLERY_SECRET_KEY: _, ...without } = fleet.environment;
    const refused = new CommandProcess(start, without);
    await refused.says(/DISTILLERY_SECRET_KEY must be the same/);
    expect(await refused.ends()).toBe(1);
    expect(refused.output).not.toContain("    at ");
  });

  it("is told of in the README with all that it is given", () => {
    expect(new Set(FLEET_VARIABLES)).toEqual(
      new Set([...Object.keys(fleet.environment), "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]),
    );
  });

  it.runIf(store === "s3rver")("says that the object store is down, and recovers", async () => {
    const dataset = await uploadCars(api);
    await s3.stop();
    await expect
      .poll(() => readiness(api))
      .toEqual({
        status: 503,
        detail: "Not ready; no answer from: object_store.",
      });
    const refused = await api.request("POST", "/v1/datasets?name=cars", {
      headers: { "content-type": "text/csv" },
      body: await fixture("car_evaluation/data.csv"),
    });
    expect(refused.status).toBe(503);
    expect((await refused.json()).detail).toMatch(/object store/);
    expect((await api.request("GET", `/v1/datasets/${dataset}`)).status).toBe(200);
    await s3.start();
    await expect.poll(() => readiness(api)).toMatchObject({ status: 200 });
    expect(await startRun(api, request(dataset, { n_trials: 1 }))).toBeTruthy();
  });

  it.runIf(IS_LONG && store === "s3rver")(
    "outlives its database's absence, jobs included",
    async () => {
      const jobId = await startRun(api, request(await uploadCars(api)));
      await readLog(api, jobId, (events) => count(events, "fold_finished") >= 3);
      expect(fleet.workers.filter(({ process }) => !process.hasEnded).length).toBe(1);
      await postgres.stop();
      for (const server of [api, other]) {
        await expect
          .poll(() => readiness(server))
          .toMatchObject({
            status: 503,
            detail: expect.stringMatching(/^Not ready; no answer from: database\b/),
          });
        expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
        const refused = await server.request("GET", "/v1/training_jobs");
        expect(refused.status).toBe(503);
        expect((await refused.json()).detail).toMatch(/database/);
      }
      await postgres.start();
      for (const server of [api, other]) {
        await expect.poll(() => readiness(server)).toMatchObject({ status: 200 });
      }
      expect(await outcomeOf(other, jobId)).toEqual(reference);
      expectEachFoldOnce(await readLog(other, jobId));
    },
  );
});
