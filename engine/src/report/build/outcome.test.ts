import { describe, expect, it } from "vitest";
import { type PredictedRows, predictionSections } from "./outcome.ts";

const rows: PredictedRows = {
  task: { kind: "binclass", classes: ["no", "yes"] },
  predictions: Float64Array.of(0.2, 0.4, 0.6, 0.8),
  target: Float64Array.of(0, 1, 1, 1),
  weights: null,
  threshold: 0.5,
};
const byHalf = Float64Array.of(0, 0, 1, 1);

describe("the confusion of two classes", () => {
  it.each<[string, Partial<PredictedRows>, true | undefined]>([
    ["nothing of one half", { labels: byHalf }, undefined],
    ["nothing where rows have no labels", { labels: null, threshold: 0.3 }, undefined],
    ["of one that was tuned", { labels: byHalf, threshold: 0.45 }, true],
    [
      "of those of folds, where that of all rows stayed",
      { labels: Float64Array.of(0, 1, 1, 1) },
      true,
    ],
  ])("says of tuned thresholds %s", (_, given, tunedWithoutRow) => {
    const { confusion } = predictionSections({ ...rows, ...given });
    expect(confusion?.tunedWithoutRow).toBe(tunedWithoutRow);
  });
});
