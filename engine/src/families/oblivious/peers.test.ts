import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { metricByName } from "../../tasks/fitting-metrics.ts";
import type { Task } from "../../tasks/index.ts";
import { encodeBins } from "../../trees/testing/random-bins.ts";
import { allRows, BINCLASS, contextOf, MULTICLASS, REGRESSION } from "../gbdt/testing/fit.ts";
import { oblivious } from "./family.ts";

interface Figures {
  readonly tasks: {
    readonly columns: number[][];
    readonly tasks: Record<string, { target: number[]; predictions: number[] }>;
  };
  readonly defaults: {
    readonly learned: number;
    readonly columns: number[][];
    readonly targets: Record<string, number[]>;
    readonly losses: Record<string, number>;
  };
}

const figures: Figures = JSON.parse(
  readFileSync(new URL("./fixtures/catboost_figures.json", import.meta.url), "utf8"),
);

/** Columns of whole numbers as their own bins. */
function encoded(columns: readonly number[][], categorical: number) {
  return encodeBins(
    columns.map((bins, column) => ({
      kind: column < columns.length - categorical ? ("numeric" as const) : ("categorical" as const),
      valueBins: Math.max(...bins) + 1,
      bins,
    })),
  );
}

describe("oblivious against CatBoost", () => {
  it.each<Task>([REGRESSION, BINCLASS])(
    "predicts the same for $kind where nothing is random",
    (task) => {
      const { target, predictions } = figures.tasks.tasks[task.kind];
      const data = encoded(figures.tasks.columns, 0);
      const model = oblivious.fit(contextOf(task, data, target), {
        n_estimators: 12,
        learning_rate: 0.2,
        depth: 3,
        lambda_l2: 3,
        random_strength: 0,
        bagging_fraction: 1,
        feature_fraction: 1,
      });
      const ours = model.predict(data, null);
      expect(ours).toHaveLength(target.length);
      ours.forEach((value, i) => {
        expect(value).toBeCloseTo(predictions[i], 5);
      });
    },
  );

  it.each<Task>([REGRESSION, BINCLASS, MULTICLASS])(
    "is as good by its defaults for $kind",
    (task) => {
      const { learned, columns, targets, losses } = figures.defaults;
      const target = targets[task.kind];
      const data = encoded(columns, 2);
      const shape = { rows: learned, task, features: data.features };
      const rows = allRows(learned);
      const context = contextOf(task, data, target);
      const stopped = oblivious.fit(
        {
          ...context,
          trainRows: rows.filter((row) => row % 5 !== 0),
          validRows: rows.filter((row) => row % 5 === 0),
        },
        oblivious.defaults(shape),
      );
      const model = oblivious.fit(
        { ...context, trainRows: rows },
        oblivious.refitParameters(oblivious.defaults(shape), [stopped.facts]),
      );
      const held = allRows(data.rows).filter((row) => row >= learned);
      const loss = metricByName(task.kind === "regression" ? "rmse" : "log_loss").score({
        target: Float64Array.from(held, (row) => target[row]),
        predictions: model.predict(data, held),
        outputs: task.kind === "multiclass" ? 3 : 1,
        weights: null,
      });
      expect(loss).toBeLessThan(1.05 * losses[task.kind]);
    },
  );
});
