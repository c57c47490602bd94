/** A server whose device is a GPU (SwiftShader here) answers, byte for byte, what a server without one does. */

import { dirname } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { whyNoDevice } from "../engine/src/compute/gpu/testing/swiftshader.ts";
import { awaitJob, downloadModel, startRun } from "./support/jobs.ts";
import { IS_LONG } from "./support/long.ts";
import { newHome, removeHomes, type ServerUser, TestServer } from "./support/server.ts";
import { SharedServer } from "./support/shared-server.ts";

const why = whyNoDevice();
const ROWS = 16_000;
const NAMES = Array.from({ length: 20 }, (_, column) => `x${column}`);
/** Large enough that the root of a tree over all rows goes to the device, and the rows to some trees. */
const CSV = [
  [...NAMES, "y"].join(),
  ...Array.from({ length: ROWS }, (_, row) => {
    const cells = NAMES.map((_name, column) => (row * (2 * column + 3)) % (column + 40));
    return [...cells, cells[0]! * 3 + ((cells[1]! * cells[2]!) % 50)].join();
  }),
].join("\n");

let own: TestServer;
beforeAll(async () => {
  const driver = process.env["VK_ICD_FILENAMES"];
  if (!IS_LONG || why !== null || driver === undefined) return;
  own = await TestServer.start({
    workers: 1,
    env: {
      DISTILLERY_DEVICE: "webgpu",
      LD_LIBRARY_PATH: dirname(driver),
      // Locks of devices lie there: nobody else's of this machine.
      TMPDIR: await newHome(),
    },
  });
});
afterAll(async () => {
  await own?.stop();
  await removeHomes();
});

interface Batch {
  readonly status: string;
  readonly result?: { readonly url: string };
}

interface Card {
  readonly environment: Readonly<Record<string, unknown>>;
}

/** All that a server answers of a model that it trains. */
async function answersOf(server: ServerUser) {
  const dataset_id = await server.uploadCsv("numbers", CSV);
  const fixed = {
    n_estimators: 14,
    num_leaves: 16,
    early_stopping_rounds: 0,
    bagging_fraction: 1,
    feature_fraction: 1,
  };
  const request = {
    dataset_id,
    task: { task_kind: "regression", label_column: "y" },
    hpo_space: { models: [{ family: "gbdt", fixed }] },
    ...{ n_trials: 1, n_cv_splits: 2, ensemble: false, random_state: 3, importance_rows: 50 },
  };
  const { status, model_id } = await awaitJob(server, await startRun(server, request));
  expect(status).toBe("completed");
  const { "model.json": described = Buffer.of(), ...weights } = Object.fromEntries(
    await downloadModel(server, model_id),
  );
  const { card }: { card: Card } = JSON.parse(described.toString());
  const instances = Array.from({ length: 20 }, (_, row) =>
    Object.fromEntries(NAMES.map((name, column) => [name, (row * column) % 41])),
  );
  const asked = async (operation: string): Promise<object> => ({
    ...(await server.post<object>(`/v1/models/${model_id}/${operation}`, { instances })),
    model_id: null,
  });
  const [predicted, explained] = [await asked("predict"), await asked("explain")];
  const { job_id } = await server.post<{ job_id: string }>("/v1/batch_predictions", {
    ...{ model_id, source: { dataset_id }, output: { format: "csv" } },
  });
  await expect
    .poll(async () => (await server.get<Batch>(`/v1/batch_predictions/${job_id}`)).status)
    .toBe("completed");
  const { result } = await server.get<Batch>(`/v1/batch_predictions/${job_id}`);
  const scored = await (await fetch(result?.url ?? "")).text();
  return { device: card.environment["device"], answers: { weights, predicted, explained, scored } };
}

it.runIf(IS_LONG && why === null)(
  `trains, predicts, explains and scores tables to the CPU's bytes (${why ?? "SwiftShader"})`,
  async () => {
    const [alone, byDevice] = [await answersOf(await SharedServer.join()), await answersOf(own)];
    expect(byDevice.answers).toEqual(alone.answers);
    expect(alone.answers.scored.split("\n").length).toBeGreaterThan(ROWS);
    expect(alone.device).toBeUndefined();
    expect(byDevice.device).toMatch(/was there for large nodes of trees/);
    // The log says what it did, for the run and for the table.
    const says = expect.poll(() => own.process.output);
    await says.toMatch(/[1-9]\d* requests of \d+ fits .*device: webgpu/);
    await says.toMatch(/[1-9]\d* requests of \d+ loans .*device: webgpu/);
  },
);
