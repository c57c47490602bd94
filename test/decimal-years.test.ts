/** A series as R writes it, `time()` with two decimals, over HTTP: its months, its intervals' windows, and one average of its scores. */

import { beforeAll, expect, it } from "vitest";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

const MONTHS = 72;
const yearAt = (i: number): number => Number((1949 + i / 12).toFixed(2));
const valueAt = (i: number): number =>
  100 + i + 20 * Math.sin((Math.PI * i) / 6) + ((i * 37) % 13) / 3;

interface Model {
  readonly card: {
    readonly uncertainty: { readonly windows: number; readonly warnings: readonly string[] };
  };
}
interface Metrics {
  readonly metrics: {
    readonly pareto: readonly {
      readonly estimates: { readonly fold_mean: Readonly<Record<string, number>> | null };
    }[];
  };
}
interface Answer {
  readonly predictions: readonly { readonly time: string }[];
}

let server: SharedServer;
let [job, model] = ["", ""];
beforeAll(async () => {
  server = await SharedServer.join();
  const rows = Array.from({ length: MONTHS }, (_, i) => `${yearAt(i)},${valueAt(i)}`);
  const dataset = await server.uploadCsv("air", ["time,value", ...rows].join("\n"));
  const task = {
    ...{ task_kind: "forecasting", label_column: "value", time_column: "time" },
    horizon: 12,
  };
  job = await startRun(server, {
    ...{ dataset_id: dataset, task, n_trials: 1 },
    model_families: ["seasonal_naive", "theta"],
  });
  const ended = await awaitJob(server, job);
  expect(ended.error_message).toBe("");
  model = ended.model_id;
});

it("is forecast by months, whose later ones may be written as they were", async () => {
  const response = await server.request("POST", `/v1/models/${model}/predict`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ history: [{ time: yearAt(MONTHS), value: 170 }], horizon: 2 }),
  });
  const { predictions }: Answer = await response.json();
  expect(predictions.map(({ time }) => time.slice(0, 10))).toEqual(["1955-02-01", "1955-03-01"]);
});

it("has a card that says how many windows its intervals rest on", async () => {
  const { card }: Model = await (await server.request("GET", `/v1/models/${model}`)).json();
  expect(card.uncertainty.windows).toBe(3);
  expect(card.uncertainty.warnings).toContainEqual(
    expect.stringMatching(/^The intervals rest on 3 windows of 12 steps/),
  );
});

it("has the mean over windows of its blend, as trials have it", async () => {
  const { metrics }: Metrics = await (
    await server.request("GET", `/v1/jobs/${job}/metrics`)
  ).json();
  expect(metrics.pareto[0].estimates.fold_mean?.["mase"]).toBeGreaterThan(0);
});
