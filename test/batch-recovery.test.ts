/** A batch prediction whose server is killed goes on behind its last part; one that is cancelled leaves nothing; one that waits reads no more than who asked. */

import { createHash } from "node:crypto";
import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { awaitJob, startRun } from "./support/jobs.ts";
import { removeHomes, ServerUser, TestServer } from "./support/server.ts";

interface Batch {
  readonly status: string;
  readonly error_message: string;
  readonly progress: { readonly rows_done: number; readonly rows_total: number };
  readonly result?: { readonly url: string; readonly sha256: string; readonly rows: number };
}

/** Six parts and a bit: the file of a dataset has groups of 65,536 rows, each of which is a part. */
const ROWS = 400_000;
let home: string;
let server: TestServer;
let dataset: string;
let model: string;

beforeAll(async () => {
  server = await TestServer.start();
  home = server.home;
  const line = (i: number) => `${i % 1000},${(i * 37) % 101},${(i * 7919) % 13}`;
  const few = Array.from({ length: 300 }, (_, i) => line(i)).join("\n");
  const trained = await server.uploadCsv("few", `a,b,y\n${few}\n`);
  const many = Array.from({ length: ROWS }, (_, i) => line(i)).join("\n");
  dataset = await server.uploadCsv("many", `a,b,y\n${many}\n`);
  const job = await startRun(server, {
    dataset_id: trained,
    task: { task_kind: "regression", label_column: "y" },
    hpo_space: { models: [{ family: "gbdt", fixed: { n_estimators: 100 } }] },
    n_trials: 1,
    n_cv_splits: null,
  });
  model = (await awaitJob(server, job)).model_id;
});
afterAll(async () => {
  await server.stop();
  await removeHomes();
});

const start = async (): Promise<string> =>
  (
    await server.post<{ job_id: string }>("/v1/batch_predictions", {
      model_id: model,
      source: { dataset_id: dataset },
      output: { format: "csv" },
    })
  ).job_id;

async function until(id: string, holds: (batch: Batch) => boolean): Promise<Batch> {
  for (;;) {
    const batch = await server.get<Batch>(`/v1/batch_predictions/${id}`);
    if (holds(batch)) return batch;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const isOver = ({ status }: Batch): boolean => status === "completed" || status === "failed";

async function kept(id: string): Promise<string[]> {
  const organizations = join(home, "store", "objects", "organizations");
  const found: string[] = [];
  for (const organization of await readdir(organizations)) {
    const folder = join(organizations, organization, "batch_predictions", id);
    found.push(...(await readdir(folder, { recursive: true }).catch(() => [])));
  }
  return found;
}

/** Seen on the disk: where the machine has little time, an answer could come after the end. */
async function firstPart(id: string): Promise<void> {
  while (!(await kept(id)).some((name) => name.endsWith(".json"))) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

it("ends with the same bytes, and does no part twice", async () => {
  const whole = await until(await start(), isOver);
  expect(whole.error_message).toBe("");
  let id: string;
  for (;;) {
    id = await start();
    await firstPart(id);
    await server.kill();
    const isBehindLastPart = (await kept(id)).includes("result.json");
    server = await TestServer.start({ home });
    if (!isBehindLastPart) break;
  }
  const { result, error_message, progress } = await until(id, isOver);
  expect(error_message).toBe("");
  expect(progress).toMatchObject({ rows_done: ROWS, rows_total: ROWS });
  expect(result).toMatchObject({ rows: ROWS, sha256: whole.result?.sha256 });
  const bytes = await (await fetch(result?.url ?? "")).arrayBuffer();
  expect(createHash("sha256").update(new Uint8Array(bytes)).digest("hex")).toBe(result?.sha256);
  expect((await kept(id)).sort()).toEqual(["predictions.csv", "result.json"]);
});

it("holds what it reads while it is open, and leaves nothing when it is cancelled", async () => {
  const id = await start();
  const [datasetGone, modelGone, jobGone] = await Promise.all([
    server.request("DELETE", `/v1/datasets/${dataset}`),
    server.request("DELETE", `/v1/models/${model}`),
    server.request("DELETE", `/v1/batch_predictions/${id}`),
  ]);
  expect([datasetGone.status, modelGone.status, jobGone.status]).toEqual([409, 409, 409]);
  await firstPart(id);
  await server.post(`/v1/batch_predictions/${id}/cancel`);
  const { status, error_message } = await until(id, isOver);
  expect([status, error_message]).toEqual(["failed", "The job was cancelled."]);
  while ((await kept(id)).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
});

it("reads no dataset that who asked may not, though the name means one by the time it begins", async () => {
  await server.stop();
  server = await TestServer.start({ home, workers: 0, env: { DISTILLERY_FILE_ROOTS: home } });
  await server.uploadCsv("hidden", "a,b,y\n1,2,3\n");
  const folder = await mkdtemp(join(home, "own-"));
  await writeFile(join(folder, "own.csv"), "a,b,y\n4,5,6\n");
  await server.post("/v1/workspaces", { name: "workspaces/acme" });
  await server.post("/v1/connectors/objstore", {
    connector_name: "files",
    url: `file://${folder}/`,
  });
  const catalogs = "/v1/workspaces/acme/catalogs";
  await server.post(`${catalogs}?catalogId=datasets`);
  await server.post(`${catalogs}/datasets/schemas?schemaId=main`);
  await server.post(`${catalogs}/datasets/schemas/main/tables?tableId=hidden`, {
    spec: {
      listing: {
        connector: "workspaces/acme/connectors/files",
        tablePaths: [`file://${folder}/own.csv`],
        snapshot: { options: { fileType: "csv" } },
      },
    },
  });
  const ask = async (scopes: readonly string[]): Promise<string> => {
    const { key } = await server.post<{ key: string }>("/v1/api_keys", { name: "a key", scopes });
    const user = new ServerUser(server.baseUrl, key);
    const body = { model_id: model, source: { sql: "SELECT * FROM datasets.hidden" } };
    return (await user.post<{ job_id: string }>("/v1/batch_predictions", body)).job_id;
  };
  const some = ["models:read", "serving:write", "workspace:read"];
  const asked = [await ask(some), await ask([...some, "datasets:read"])] as const;
  const gone = await server.request("DELETE", `${catalogs}/datasets/schemas/main/tables/hidden`);
  expect(gone.status).toBe(200);
  await server.stop();
  server = await TestServer.start({ home, workers: 1 });
  const [refused, allowed] = [await until(asked[0], isOver), await until(asked[1], isOver)];
  expect([refused.status, refused.error_message]).toEqual([
    "failed",
    "This needs the scope datasets:read.",
  ]);
  expect([allowed.error_message, allowed.result?.rows]).toEqual(["", 1]);
});
