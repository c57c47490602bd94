/** Jobs that the version with a table for each kind left behind: they are read, and taken up. */

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AuthedContext } from "./api/context/context.ts";
import type { Services } from "./api/services.ts";
import { JOB_KINDS } from "./kinds.ts";
import { Database } from "./platform/db/database.ts";
import { migrate, readMigrations } from "./platform/db/migrations.ts";
import { type Address, type Client, connect } from "./platform/db/sql.ts";
import { createLogger } from "./platform/log.ts";
import { Queue } from "./platform/queue/queue.ts";
import type { JobRow } from "./resources/jobs/job.ts";
import type { JobKind } from "./resources/jobs/kind.ts";
import { workJobs } from "./resources/jobs/run-job.ts";
import { countOpenJobs, findJob, readEvents, readInputs } from "./resources/jobs/service.ts";
import { listJobs } from "./resources/jobs/store.ts";
import { openTemporaryDatabase, type TemporaryDatabase } from "./testing/temporary-database.ts";

const log = createLogger({ level: "silent" });
/** The migration that puts jobs of every kind into one table. */
const JOBS = 80;

const organization = randomUUID();
const [training, swept, induction, extraction, failed] = Array.from({ length: 5 }, randomUUID);
const [dataset, model, further, teacher, schema, document, other] = Array.from(
  { length: 7 },
  randomUUID,
);
const record = { metrics: ["rmse", "mae"], task: { label_column: "y", task_kind: "regression" } };
const config = { dataset_id: dataset, z: 1, a: { y: 2, b: 3 } };

let temporary: TemporaryDatabase;
let database: Database;

/** A database of a user who is no administrator, as former versions left it. */
async function formerDatabase(): Promise<Address> {
  const { address } = temporary;
  if (!("socketFolder" in address)) throw new Error("it has no socket");
  const administrator = connect(address, { max: 1 });
  await administrator.unsafe("create role plain login nosuperuser password 'plain'");
  await administrator.unsafe("grant distillery_app, distillery_system to plain with inherit false");
  await administrator.unsafe("create database former owner plain");
  await administrator.end();
  return { ...address, user: "plain", password: "plain", database: "former" };
}

const COLUMNS = "status, progress, error_message, started_at, finished_at, created_at";

async function leaveJobs(client: Client): Promise<void> {
  const json = (value: unknown): string => JSON.stringify(value);
  await client.begin(async (sql) => {
    await sql`set local role distillery_system`;
    const started = "2030-01-01T00:00:00Z";
    await sql`
      insert into training_jobs (id, organization_id, name, dataset_id, model_id, model_name, tags,
        config, record, scores, further_models, teacher_model_id, sealed_headers, warm_start,
        ${sql.unsafe(COLUMNS)})
      values
        (${training!}, ${organization}, 'runs', ${dataset!}, ${model!}, 'm', '{"team":"a"}',
         ${json(config)}::text::json, ${json(record)}::text::json, '[]', '[]', ${teacher!}, 'sealed',
         '[{"source":"x"}]', 'running', '{"phase":"searching"}', '', ${started}, null, ${started}),
        (${swept!}, ${organization}, 'swept', ${dataset!}, ${model!}, 'm', '{}', '{}',
         ${json(record)}::text::json, '[0.5,0.4]',
         ${json([{ id: further, name: "m 2", scores: [0.6, 0.3] }])}::text::json, null, null, '[]',
         'completed', '{"phase":"done"}', '', ${started}, ${started}, '2029-12-31T00:00:00Z')`;
    await sql`
      insert into training_events (job_id, sequence, organization_id, event)
      values (${training!}, 1, ${organization}, '{"type":"planned"}'),
             (${training!}, 2, ${organization}, '{"type":"step_asked"}')`;
    await sql`
      insert into document_jobs (id, organization_id, kind, schema_id, model_id, document_ids,
        request, result, ${sql.unsafe(COLUMNS)})
      values
        (${induction!}, ${organization}, 'induction', ${schema!}, 'receipts',
         array[${document!}, ${other!}]::uuid[], '{"use_case":"u","skill":"s","max_questions":3}', null,
         'pending', null, '', null, null, ${started}),
        (${extraction!}, ${organization}, 'extraction', ${schema!}, 'receipts',
         array[${document!}]::uuid[], ${json({ rows: [{ document_id: document }], dataset: null })}::text::json,
         '{"warnings":["w"],"rows":1}', 'completed', '{"phase":"done"}', '', ${started}, ${started},
         ${started}),
        (${failed!}, ${organization}, 'extraction', ${schema!}, 'receipts', '{}', '{}', null, 'failed',
         null, 'It failed.', null, ${started}, ${started})`;
  });
}

/** The kind, but for what it computes. */
const runs = new Map<string, JobRow>();
const recording = (kind: JobKind): JobKind => ({
  ...kind,
  waiting: async () => null,
  follow: async () => undefined,
  run: async (_scene, job) => {
    runs.set(job.id, job);
    return { result: null };
  },
});
const queues: Queue[] = [];

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
  const address = await formerDatabase();
  const migrations = await readMigrations();
  await migrate(
    address,
    log,
    migrations.filter(({ version }) => version < JOBS),
  );
  const client = connect(address, { max: 1 });
  await leaveJobs(client);
  database = new Database(address);
  const queue = await Queue.open(database, log);
  queues.push(queue);
  await database.system(async (sql) => {
    await queue.send(sql, JOB_KINDS[0].queue, { job_id: training! });
    await queue.send(sql, kindOf("induction").queue, { job_id: induction! });
  });
  await migrate(address, log, migrations);
  expect(await client`select 1 from pg_tables where tablename like '%\_jobs'`).toHaveLength(0);
  await client.end();
});
afterAll(async () => {
  for (const queue of queues) await queue.close(200);
  await database.close();
  await temporary.close();
});

const kindOf = (name: string): JobKind => JOB_KINDS.find((kind) => kind.name === name)!;
/** Their results ask nothing of who looks. */
const NOBODY = {} as AuthedContext;

async function jobOf(id: string | undefined): Promise<JobRow> {
  const job = await findJob(database, organization, null, id!);
  if (!job) throw new Error(`there is no job ${id}`);
  return job;
}

it("a training job is what it was, its inputs and its log too", async () => {
  const job = await jobOf(training);
  expect(job).toMatchObject({
    kind: "training",
    status: "running",
    name: "runs",
    tags: { team: "a" },
    datasets: [dataset],
    models: [teacher],
    documents: [],
    details: { model_id: model, model_name: "m", record },
    progress: { phase: "searching" },
    started_at: new Date("2030-01-01T00:00:00Z"),
  });
  // The order of its members reaches the model's bytes.
  expect(JSON.stringify(job.request)).toBe(JSON.stringify(config));
  expect(kindOf("training").toProgress(job)).toMatchObject({ phase: "searching", trials_done: 0 });
  expect(await readInputs(database, job.id)).toEqual({
    inputs: { warm_start: [{ source: "x" }] },
    sealed: "sealed",
  });
  expect(await readEvents(database, job.id)).toEqual([
    { sequence: 1, event: { type: "planned" } },
    { sequence: 2, event: { type: "step_asked" } },
  ]);
});

it("the models of an ended sweep are told as they were", async () => {
  const { result } = await kindOf("training").toResult(await jobOf(swept), NOBODY);
  expect(result).toEqual({
    model_id: model,
    model_ids: [model, further],
    metric_names: ["rmse", "mae"],
    pareto_values: [
      [0.5, 0.4],
      [0.6, 0.3],
    ],
  });
});

it("document jobs are what they were", async () => {
  expect(await jobOf(induction)).toMatchObject({
    kind: "induction",
    status: "pending",
    name: "",
    models: [],
    documents: [document, other],
    request: { use_case: "u", skill: "s", max_questions: 3 },
    details: { schema_id: schema, model_id: "receipts" },
  });
  const extracted = await jobOf(extraction);
  expect(extracted.models).toEqual([schema]);
  expect(await kindOf("extraction").toResult(extracted, NOBODY)).toMatchObject({
    progress: { phase: "done", estimate: 0 },
    result: { model_id: "receipts", warnings: ["w"] },
  });
  expect(await jobOf(failed)).toMatchObject({ status: "failed", error_message: "It failed." });
});

it("lists and open references find them, each in its organization", async () => {
  const page = { limit: 10, after: null };
  const list = (kinds: readonly string[], of = organization) =>
    listJobs<JobRow>(database, of, kinds, {}, page);
  expect((await list(["training"])).map(({ id }) => id)).toEqual([training, swept]);
  expect(await list(["induction", "extraction"])).toHaveLength(3);
  expect(await list(["training"], randomUUID())).toEqual([]);
  const open = (resource: "datasets" | "models" | "documents", id: string | undefined) =>
    database.forOrganization(organization, async (sql) =>
      Object.fromEntries(await countOpenJobs(sql, organization, resource, id!)),
    );
  expect(await open("datasets", dataset)).toEqual({ training: 1 });
  expect(await open("models", teacher)).toEqual({ training: 1 });
  expect(await open("documents", document)).toEqual({ induction: 1 });
  expect(await open("models", schema)).toEqual({});
});

it("those that waited or ran are taken up by today's kinds", async () => {
  const queue = await Queue.open(database, log);
  queues.push(queue);
  const services = { db: database, log, queue } as unknown as Services;
  await workJobs(services, JOB_KINDS.map(recording));
  for (const id of [training, induction]) {
    await expect.poll(async () => (await jobOf(id)).status).toBe("completed");
  }
  expect([...runs.keys()].sort()).toEqual([training, induction].sort());
  expect(runs.get(training!)).toMatchObject({ request: config, models: [teacher] });
});
