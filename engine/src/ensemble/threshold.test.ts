import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { toLoss } from "../metrics/index.ts";
import { metricByName, metricsFor } from "../tasks/fitting-metrics.ts";
import { crossFits } from "./labelled-rows.ts";
import { crossFitThreshold, fitThreshold, labelsAt } from "./threshold.ts";

const ofLabels = metricsFor("binclass").filter(({ needs }) => needs === "label");

/** A rare second class whose probabilities are honest. */
function rare(seed: number, rows: number) {
  const random = new CounterRandom(deriveKey(seed, "ensemble"));
  const probabilities = Float64Array.from({ length: rows }, () => random.nextFloat() ** 3);
  const target = probabilities.map((p) => (random.nextFloat() < p ? 1 : 0));
  return { probabilities, rows: { target, weights: null, outputs: 1 } };
}

describe.each(ofLabels)("$name", (metric) => {
  it("is at the threshold nearly what the best cut of all gives", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 5, max: 60 }),
        fc.boolean(),
        (seed, count, weighed) => {
          const { probabilities, rows } = rare(seed, count);
          const coarse = probabilities.map((p) => Math.round(10 * p) / 10);
          const weights = weighed ? Float64Array.from(coarse, (_, i) => (i % 3) + 0.5) : null;
          const loss = (threshold: number): number => {
            const predictions = labelsAt(coarse, threshold);
            return toLoss(metric, metric.score({ ...rows, weights, predictions }));
          };
          // Every cut between two scores, tried one by one: what says one class only is no cut.
          const cuts = Array.from({ length: 12 }, (_, i) => i / 10 - 0.05);
          const [least, most] = [Math.min(...coarse), Math.max(...coarse)];
          const inside = cuts.filter((cut) => cut > least && cut < most);
          const best = Math.min(...inside.map(loss), loss(0.5));
          const found = loss(fitThreshold(coarse, { ...rows, weights }, metric));
          expect(found).toBeLessThanOrEqual(loss(0.5) + 1e-12);
          // The middle of a plateau may lack a tenth of the gain, or lie between two tops.
          expect(found).toBeGreaterThanOrEqual(best - 1e-12);
          expect(found).toBeLessThanOrEqual(best + 0.1 * (loss(0.5) - best) + 1e-9);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("fitThreshold", () => {
  it("is the prevalence for balanced accuracy of honest probabilities, within its noise", () => {
    const { probabilities, rows } = rare(4, 20_000);
    const threshold = fitThreshold(probabilities, rows, metricByName("balanced_accuracy"));
    const prevalence = rows.target.reduce((sum, y) => sum + y, 0) / rows.target.length;
    expect(Math.abs(threshold - prevalence)).toBeLessThan(0.05);
  });

  it("is half of the best F1 for honest probabilities, within its noise", () => {
    // Lipton, Elkan, Naryanaswamy 2014: the optimal threshold is half of the F1 it achieves.
    const { probabilities, rows } = rare(5, 20_000);
    const f1 = metricByName("f1");
    const threshold = fitThreshold(probabilities, rows, f1);
    const best = f1.score({ ...rows, predictions: labelsAt(probabilities, threshold) });
    expect(Math.abs(threshold - best / 2)).toBeLessThan(0.05);
  });

  it("lies in the middle of a gap between the classes", () => {
    const probabilities = Float64Array.of(0.1, 0.15, 0.25, 0.35, 0.4);
    const rows = { target: Float64Array.of(0, 0, 0, 1, 1), weights: null, outputs: 1 };
    expect(fitThreshold(probabilities, rows, metricByName("f1"))).toBeCloseTo(0.3, 12);
  });

  it("stays at one half where no cut is better, or nothing is defined", () => {
    const f1 = metricByName("f1");
    const rows = { target: Float64Array.of(0, 1), weights: null, outputs: 1 };
    expect(fitThreshold(Float64Array.of(0.2, 0.7), rows, f1)).toBe(0.5);
    expect(fitThreshold(Float64Array.of(0.3, 0.3), rows, metricByName("accuracy"))).toBe(0.5);
  });
});

describe("crossFitThreshold", () => {
  it("is tuned where it helps on rows it was not tuned on, and gives their labels", () => {
    const { probabilities, rows } = rare(6, 3000);
    const metric = metricByName("f1");
    const { threshold, labels } = crossFitThreshold(
      probabilities,
      rows,
      metric,
      crossFits([1000, 1000, 1000]),
    );
    expect(threshold).toBeLessThan(0.45);
    const score = (predictions: Float64Array) => metric.score({ ...rows, predictions });
    expect(score(labels)).toBeGreaterThan(score(labelsAt(probabilities, 0.5)));
  });

  it("finds nothing in labels that are chance: they score no better than chance", () => {
    const metric = metricByName("mcc");
    const folds = crossFits([100, 100, 100, 100]);
    const scores = Array.from({ length: 60 }, (_, seed) => {
      const random = new CounterRandom(deriveKey(seed, "ensemble"));
      const probabilities = Float64Array.from(
        { length: 400 },
        () => 0.4 + 0.2 * random.nextFloat(),
      );
      const target = probabilities.map(() => random.nextInteger(2));
      const rows = { target, weights: null, outputs: 1 };
      const { labels } = crossFitThreshold(probabilities, rows, metric, folds);
      return metric.score({ ...rows, predictions: labels });
    });
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    // Two standard errors of the mean of so many.
    expect(mean).toBeLessThan(2 / Math.sqrt(400 * scores.length));
  });

  it("gives a fold's rows the labels of what its other folds chose", () => {
    const { probabilities, rows } = rare(8, 900);
    const folds = crossFits([300, 300, 300]);
    const metric = metricByName("f1");
    const before = crossFitThreshold(probabilities, rows, metric, folds);
    const target = rows.target.map((y, i) => (i < 300 ? 1 - y : y));
    const after = crossFitThreshold(probabilities, { ...rows, target }, metric, folds);
    expect(after.labels.subarray(0, 300)).toEqual(before.labels.subarray(0, 300));
  });
});
