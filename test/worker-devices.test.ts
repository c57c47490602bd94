/**
 * Two workers of one service, of which one has a GPU (SwiftShader here): a job that asks for the GPU is left to
 * that worker, and where no worker has one, any trains it on the CPU and says so.
 */

import { dirname } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyNoDevice } from "../engine/src/compute/gpu/testing/swiftshader.ts";
import { awaitJob, startRun } from "./support/jobs.ts";
import { IS_LONG } from "./support/long.ts";
import { newHome, removeHomes, TestServer } from "./support/server.ts";
import { TestWorker } from "./support/worker.ts";

const why = whyNoDevice();
const CSV = `a,y\n${Array.from({ length: 300 }, (_, row) => `${row % 17},${row % 5}\n`).join("")}`;
const JOBS = 4;

interface Worker {
  readonly pid: number;
  readonly devices: readonly { readonly state: string }[];
  readonly missing_devices: readonly string[];
}

let server: TestServer;
let plain: TestWorker;
let dataset_id: string;
beforeAll(async () => {
  if (why !== null) return;
  server = await TestServer.start({ workers: 0 });
  plain = await startWorker({ VK_ICD_FILENAMES: "/none", VK_DRIVER_FILES: "/none" });
  dataset_id = await server.uploadCsv("numbers", CSV);
});
afterAll(async () => {
  await plain?.process.stop();
  await server?.stop();
  await removeHomes();
});

const startWorker = (env: Readonly<Record<string, string>>): Promise<TestWorker> =>
  TestWorker.start({ home: server.home, env });

async function startWithGpu(): Promise<TestWorker> {
  const driver = process.env["VK_ICD_FILENAMES"] ?? "";
  return startWorker({
    VK_ICD_FILENAMES: driver,
    LD_LIBRARY_PATH: dirname(driver),
    // Locks of devices lie there: nobody else's of this machine.
    TMPDIR: await newHome(),
  });
}

const start = (device: string): Promise<string> =>
  startRun(server, {
    dataset_id,
    task: { task_kind: "regression", label_column: "y" },
    hpo_space: { models: [{ family: "gbdt", fixed: { n_estimators: 3 } }] },
    ...{ n_trials: 1, n_cv_splits: 2, ensemble: false, device },
  });

const said = async (jobId: string): Promise<string | null> => {
  expect(await awaitJob(server, jobId)).toMatchObject({ status: "completed" });
  const { progress } = await server.get<{ progress: { device: string | null } }>(
    `/v1/training_jobs/${jobId}`,
  );
  return progress.device;
};

const workers = async (): Promise<readonly Worker[]> =>
  (await server.get<{ workers: Worker[] }>("/v1/service/workers")).workers;

describe.skipIf(why !== null)(`workers (${why ?? "SwiftShader"})`, () => {
  it("without a GPU train what asks for one, and say that no worker has one", async () => {
    const [first] = await workers();
    expect(first).toMatchObject({ devices: [], missing_devices: [expect.stringMatching(/GPU/)] });
    expect(await said(await start("webgpu"))).toMatch(
      /^no worker has a device for webgpu; the CPU computes: This machine has no GPU adapter/,
    );
    expect(await said(await start("tensorflow"))).toMatch(
      /^no worker has a device for tensorflow; the CPU computes: the optional package/,
    );
    expect(await said(await start("auto"))).toBeNull();
  });

  it.runIf(IS_LONG)(
    "announce theirs, and a job that asks for it is taken by the one that has it",
    async () => {
      const able = await startWithGpu();
      const [{ pid }] = (await workers()) as [Worker];
      const seen = (await workers()).find((worker) => worker.pid !== pid);
      expect(seen).toMatchObject({
        missing_devices: [],
        devices: [
          {
            ...{
              device: "webgpu",
              backend: "vulkan",
              is_software: true,
              state: "free",
              reason: null,
            },
            ...{ name: expect.stringMatching(/swiftshader/i), driver: expect.any(String) },
            max_buffer_bytes: expect.any(Number),
          },
        ],
      });
      // More than one has places for: they wait for it, though another worker is idle.
      const jobs = await Promise.all(Array.from({ length: JOBS }, () => start("webgpu")));
      const sentences = await Promise.all(jobs.map(said));
      expect(sentences.join("\n")).not.toMatch(/no worker/);
      for (const id of jobs) {
        expect([able.hasTaken(id), plain.hasTaken(id)]).toEqual([true, false]);
      }
      await able.process.kill();
      const last = await start("webgpu");
      expect(await said(last)).toMatch(/^no worker has a device for webgpu/);
      expect(plain.hasTaken(last)).toBe(true);
    },
  );
});
