import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Task } from "../../tasks/index.ts";
import { encodeBins } from "../../trees/testing/random-bins.ts";
import { BINCLASS, fit, MULTICLASS, REGRESSION } from "./testing/fit.ts";

interface PeerRun {
  readonly rounds: number;
  readonly target: number[];
  readonly predictions: number[];
}

interface Fixture {
  readonly columns: number[][];
  readonly tasks: Record<string, PeerRun>;
}

const fixture: Fixture = JSON.parse(
  readFileSync(new URL("./fixtures/lightgbm_predictions.json", import.meta.url), "utf8"),
);

/** Columns of whole numbers as their own bins. */
function encoded() {
  return encodeBins(
    fixture.columns.map((bins) => ({
      kind: "numeric" as const,
      valueBins: Math.max(...bins) + 1,
      bins,
    })),
  );
}

describe("gbdt against LightGBM", () => {
  it.each<[Task, number]>([
    [REGRESSION, 1],
    [BINCLASS, 1],
    [MULTICLASS, 3],
  ])("predicts the same for $kind", (task, outputs) => {
    const { rounds, target, predictions } = fixture.tasks[task.kind];
    const data = encoded();
    const model = fit(task, data, target, {
      n_estimators: rounds,
      learning_rate: 0.2,
      num_leaves: 8,
      min_data_in_leaf: 1,
      min_child_weight: 2.5,
      lambda_l1: 0.1,
      lambda_l2: 0.5,
    });
    const ours = model.predict(data, null);
    expect(ours.length).toBe(target.length * outputs);
    ours.forEach((value, i) => {
      expect(value).toBeCloseTo(predictions[i], 6);
    });
  });
});
