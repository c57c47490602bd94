/** An object store that refuses the service or has no room, and is mended again. */

import { once } from "node:events";
import { createServer, request as forward, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { S3Service } from "../server/src/testing/s3-service.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { fixture, removeHomes, TestServer } from "./support/server.ts";

const SECRET = "what the store repeats of the request";

/** What the store answers to all that would write, instead of doing it; null = it does it. */
let refusal: { readonly status: number; readonly code: string } | null = null;
let s3: S3Service;
let store: Server;
let server: TestServer;

beforeAll(async () => {
  s3 = await S3Service.create();
  const behind = new URL(new URL(s3.url("p")).searchParams.get("endpoint") ?? "");
  store = createServer((asked, answer) => {
    const { method, url, headers } = asked;
    if (refusal !== null && (method === "PUT" || method === "POST" || refusal.status === 403)) {
      asked.resume();
      answer.writeHead(refusal.status, { "content-type": "application/xml" });
      const body = `<Error><Code>${refusal.code}</Code><Message>${SECRET}</Message></Error>`;
      answer.end(method === "HEAD" ? undefined : body);
      return;
    }
    const passed = forward({ port: behind.port, method, path: url, headers }, (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(answer);
    });
    asked.pipe(passed);
  });
  store.listen(0, "127.0.0.1");
  await once(store, "listening");
  const { port } = store.address() as AddressInfo;
  server = await TestServer.start({
    env: { OBJECT_STORE_URL: `s3://bucket/p?endpoint=http://127.0.0.1:${port}`, ...s3.credentials },
  });
});
afterAll(async () => {
  await server.stop();
  store.closeAllConnections();
  store.close();
  await s3.remove();
  await removeHomes();
});

const upload = async (): Promise<{ status: number; detail: string }> => {
  const answer = await server.request("POST", "/v1/datasets?name=cars", {
    headers: { "content-type": "text/csv" },
    body: await fixture("car_evaluation/data.csv"),
  });
  const text = await answer.text();
  expect(text).not.toContain(SECRET);
  return { status: answer.status, detail: JSON.parse(text).detail };
};
const datasets = async (): Promise<number> =>
  (await server.get<{ datasets: unknown[] }>("/v1/datasets")).datasets.length;

it("tells a refusal from an absence, and who mends it", async () => {
  refusal = { status: 403, code: "InvalidAccessKeyId" };
  expect(await upload()).toEqual({
    status: 503,
    detail: expect.stringMatching(/object store refuses .* credentials/),
  });
  const notReady = async () => (await (await fetch(`${server.baseUrl}/readyz`)).json()).detail;
  await expect.poll(notReady).toMatch(/the object store refuses the service's credentials/);
  expect(await datasets()).toBe(0);
});

it("says that it is full, and a job waits until there is room", async () => {
  refusal = null;
  const dataset_id = await server.uploadCsv("cars", await fixture("car_evaluation/data.csv"));
  refusal = { status: 507, code: "XMinioStorageFull" };
  expect(await upload()).toEqual({
    status: 507,
    detail: expect.stringMatching(/object store is full; nothing was kept/),
  });
  expect(await datasets()).toBe(1);
  const job = await startRun(server, {
    dataset_id,
    task: { task_kind: "multiclass", label_column: "class" },
    hpo_space: { models: [{ family: "linear" }] },
    n_trials: 1,
    n_cv_splits: null,
  });
  const waits = () => server.get(`/v1/results/${job}`);
  await expect.poll(waits).toMatchObject({
    status: "running",
    retry: { message: "the object store is full: XMinioStorageFull, status 507" },
  });
  refusal = null;
  expect(await awaitJob(server, job)).toMatchObject({ status: "completed", error_message: "" });
});
