import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { metricByName } from "../tasks/fitting-metrics.ts";
import { averageLoss, scored } from "./average-loss.ts";
import { greedySelection } from "./greedy-selection.ts";

function rowsOf(seed: number, rows: number, outputs: number, kind: "value" | "class") {
  const random = new CounterRandom(deriveKey(seed, "ensemble"));
  const classes = outputs === 1 ? 2 : outputs;
  const target = Float64Array.from({ length: rows }, () =>
    kind === "class" ? random.nextInteger(classes) : random.nextGaussian(),
  );
  const candidate = (): Float64Array => {
    const values = Float64Array.from({ length: rows * outputs }, () => random.nextFloat() ** 4);
    for (let at = 0; outputs > 1 && at < values.length; at += outputs) {
      let sum = 0;
      for (let k = 0; k < outputs; k++) sum += values[at + k];
      for (let k = 0; k < outputs; k++) values[at + k] /= sum;
    }
    // Certainties, right and wrong.
    if (outputs === 1) values[random.nextInteger(rows)] = random.nextInteger(2);
    return values;
  };
  const weights = Float64Array.from({ length: rows }, () => random.nextInteger(3));
  return { target, weights, candidates: Array.from({ length: 4 }, candidate) };
}

describe.each([
  ["log_loss", 1, "class", 12],
  ["log_loss", 4, "class", 12],
  ["brier", 1, "class", 12],
  ["brier", 3, "class", 12],
  ["rmse", 1, "value", 12],
  ["mae", 1, "value", 12],
  // Neighbouring scores of one bin count as tied.
  ["roc_auc", 1, "class", 3],
] as const)("%s with %d outputs", (name, outputs, kind, digits) => {
  it.each([false, true])("is the metric of the average; weights: %s", (isWeighted) => {
    const metric = metricByName(name);
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 512, max: 700 }), (seed, count) => {
        const { target, weights, candidates } = rowsOf(seed, count, outputs, kind);
        const rows = { target, weights: isWeighted ? weights : null, outputs };
        const [quick, slow] = [averageLoss(metric, rows), scored(metric, rows)];
        const [first, second, third] = candidates;
        const sum = first.map((value, i) => value + second[i]);
        const quickSum = quick.read(first).map((value, i) => value + quick.read(second)[i]);
        expect(quick.of(quickSum, quick.read(third), 3)).toBeCloseTo(
          slow.of(sum, third, 3),
          digits,
        );
      }),
      { numRuns: 5 },
    );
  });
});

it("selects by binned areas nearly what it would by sorted ones, and says the true loss", () => {
  const metric = metricByName("roc_auc");
  const { target, candidates } = rowsOf(1, 600, 1, "class");
  const better = candidates.map((values, k) =>
    values.map((value, i) => 0.1 * (k + 1) * target[i] + (1 - 0.1 * (k + 1)) * value),
  );
  const { best, weights } = greedySelection({
    candidates: better,
    target,
    weights: null,
    outputs: 1,
    metric,
  });
  const average = target.map((_, i) =>
    better.reduce((sum, values, member) => sum + weights[member] * values[i], 0),
  );
  const score = metric.score({ target, predictions: average, outputs: 1, weights: null });
  expect(best).toBeCloseTo(-score, 9);
  const singles = better.map((predictions) =>
    metric.score({ target, predictions, outputs: 1, weights: null }),
  );
  expect(score).toBeGreaterThanOrEqual(Math.max(...singles) - 1e-3);
});
