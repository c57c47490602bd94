/** Quantiles over HTTP: asked for, trained, listed, predicted and explained. */

import { beforeAll, expect, it } from "vitest";
import { awaitJob, startRun } from "./support/jobs.ts";
import { SharedServer } from "./support/shared-server.ts";

let server: SharedServer;
let dataset: string;
beforeAll(async () => {
  server = await SharedServer.join();
  const lines = Array.from({ length: 240 }, (_, i) => {
    const x = (i * 37) % 101;
    return `${x},${100 + x + (((i * 61) % 89) / 89 - 0.5) * x}`;
  });
  dataset = await server.uploadCsv("spread", ["x,y", ...lines].join("\n"));
});

interface Answer {
  readonly predictions: readonly {
    readonly value: number;
    readonly quantiles: Readonly<Record<string, number>>;
  }[];
  readonly warnings: readonly string[];
}

interface Explained {
  readonly space: string;
  readonly explanations: readonly {
    readonly base_value: number;
    readonly prediction: number;
    readonly contributions: Readonly<Record<string, number>>;
  }[];
}

it("answers every level, and explains the median", async () => {
  const task = {
    task_kind: "quantile_regression",
    label_column: "y",
    quantiles: [0.05, 0.5, 0.95],
  };
  const jobId = await startRun(server, {
    dataset_id: dataset,
    task,
    hpo_space: { models: [{ family: "gbdt", fixed: { n_estimators: 20 } }, { family: "linear" }] },
    n_trials: 1,
    n_cv_splits: 3,
  });
  const job = await awaitJob(server, jobId);
  expect(job.error_message).toBe("");
  expect(job).toMatchObject({ metric_names: ["pinball"], config: { task } });

  const model = await server.get<{ classes: string[]; card: { metrics: string[] } }>(
    `/v1/models/${job.model_id}`,
  );
  expect(model.classes).toEqual([]);
  expect(model.card.metrics).toEqual(["pinball"]);

  const instances = [{ x: 5 }, { x: 50 }, { x: 95 }];
  const { predictions, warnings } = await server.post<Answer>(
    `/v1/models/${job.model_id}/predict`,
    { instances },
  );
  expect(warnings).toEqual([]);
  const widths = predictions.map(({ value, quantiles }) => {
    expect(Object.keys(quantiles)).toEqual(["0.05", "0.5", "0.95"]);
    const [low, middle, high] = Object.values(quantiles);
    expect(value).toBe(middle);
    expect(low).toBeLessThanOrEqual(middle);
    expect(middle).toBeLessThanOrEqual(high);
    return high - low;
  });
  expect(widths[2]).toBeGreaterThan(2 * widths[0]);

  const { space, explanations } = await server.post<Explained>(
    `/v1/models/${job.model_id}/explain`,
    { instances },
  );
  expect(space).toBe("identity");
  for (const [row, { base_value, prediction, contributions }] of explanations.entries()) {
    expect(prediction).toBeCloseTo(predictions[row].value, 9);
    expect(base_value + contributions["x"]).toBeCloseTo(prediction, 9);
  }
});
