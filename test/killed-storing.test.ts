/**
 * A server that is killed by SIGKILL while it stores an upload or deletes a model, at moments that a
 * seed draws: after the restart every byte that is kept has an owner.
 */

import { readdir, utimes } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OWNER, SETUP_STATEMENTS } from "./support/fleet.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { IS_LONG } from "./support/long.ts";
import { PostgresServer } from "./support/postgres.ts";
import { API_KEY, newHome, removeHomes, TestServer } from "./support/server.ts";

const SEED = 20_310_403;
const CSV = `a,b,c\n${Array.from({ length: 60_000 }, (_, i) => `${i},${(i * 37) % 101},${i % 2}`).join("\n")}\n`;
/** Shares: of the body that is sent, and of the longest waits after a request. */
const [UPLOAD_SHARE = 0, AFTER_UPLOAD = 0, AFTER_DELETE = 0] = fc.sample(
  fc.double({ min: 0, max: 1, noNaN: true }),
  { numRuns: 3, seed: SEED },
);

let postgres: PostgresServer;
let home: string;
let server: TestServer;
beforeAll(async () => {
  postgres = await PostgresServer.create();
  await postgres.administer(SETUP_STATEMENTS);
  home = await newHome();
  server = await start();
});
afterAll(async () => {
  await server.stop();
  await postgres.remove();
  await removeHomes();
});

const start = (): Promise<TestServer> =>
  TestServer.start({
    home,
    workers: 1,
    env: { DATABASE_URL: postgres.url(OWNER.user, OWNER.password, "distillery") },
  });

const incoming = (): string => join(home, "store", "incoming");

/**
 * Kills it, lets the time pass in which what it held counts as held, and starts it again.
 *
 * @returns names of the folders in which it was writing
 */
async function killAndRestart(): Promise<string[]> {
  await server.kill();
  await postgres.administer(
    ["UPDATE object_holds SET renewed_at = renewed_at - interval '10 minutes'"],
    "distillery",
  );
  const before = new Date(Date.now() - 600_000);
  const left = await readdir(incoming());
  for (const name of left) await utimes(join(incoming(), name), before, before);
  server = await start();
  return left;
}

/** Folders of owners as `<kind>/<id>`, of every organization, and half-written files. */
async function kept(): Promise<string[]> {
  const organizations = join(home, "store", "objects", "organizations");
  const found: string[] = [];
  for (const organization of await readdir(organizations)) {
    for (const kind of await readdir(join(organizations, organization))) {
      const ids = await readdir(join(organizations, organization, kind));
      found.push(...ids.map((id) => `${kind}/${id}`));
    }
  }
  return found.sort();
}

async function owners(): Promise<string[]> {
  const { datasets } = await server.get<{ datasets: { dataset_id: string }[] }>("/v1/datasets");
  const { models } = await server.get<{ models: { id: string }[] }>("/v1/models");
  const { training_jobs: jobs } = await server.get<{ training_jobs: { id: string }[] }>(
    "/v1/training_jobs",
  );
  return [
    ...jobs.map(({ id }) => `jobs/${id}`),
    ...datasets.map(({ dataset_id }) => `datasets/${dataset_id}`),
    ...models.map(({ id }) => `models/${id}`),
  ].sort();
}

/** As far as the share of the body says; the answer, if there is one, is nobody's. */
function beginUpload(share: number): Promise<void> {
  return new Promise((resolve) => {
    const sent = httpRequest(`${server.baseUrl}/v1/datasets?name=cut`, {
      method: "POST",
      headers: { authorization: `Bearer ${API_KEY}`, "content-type": "text/csv" },
    });
    sent.on("error", () => undefined);
    sent.on("response", (answer) => answer.on("error", () => undefined).resume());
    const part = CSV.slice(0, Math.floor(share * CSV.length));
    if (share < 1) sent.write(part, () => resolve());
    else sent.end(part, () => resolve());
  });
}

it("keeps no byte without an owner, whenever it was killed", async () => {
  const datasetId = await server.uploadCsv("kept", CSV.slice(0, 20_000).replace(/\n[^\n]*$/, "\n"));
  const jobId = await startRun(server, {
    dataset_id: datasetId,
    task: { task_kind: "binclass", label_column: "c" },
    hpo_space: { models: [{ family: "linear" }] },
    n_trials: 1,
    n_cv_splits: null,
  });
  const { model_id: modelId } = await awaitJob(server, jobId);
  expect(await owners()).toEqual([`datasets/${datasetId}`, `jobs/${jobId}`, `models/${modelId}`]);

  const moments: readonly (() => Promise<void>)[] = [
    () => beginUpload(UPLOAD_SHARE),
    () => beginUpload(1).then(() => delay(200 * AFTER_UPLOAD)),
    async () => {
      const answer = server.request("DELETE", `/v1/models/${modelId}`).catch(() => undefined);
      await delay(40 * AFTER_DELETE);
      void answer;
    },
  ];
  for (const reach of IS_LONG ? moments : moments.slice(1, 2)) {
    await reach();
    const left = await killAndRestart();
    await expect.poll(kept).toEqual(await owners());
    const written = async () => (await readdir(incoming())).filter((name) => left.includes(name));
    await expect.poll(written).toEqual([]);
  }
});
