import { mase } from "./mase.ts";
import { type LabelsOfRows, type Metric, type ScoredRows, seriesOf } from "./metric.ts";
import { smape } from "./smape.ts";

const referenceOf = (rows: LabelsOfRows): ScoredRows => ({
  ...rows,
  predictions: seriesOf(rows, "owa").reference,
});

/**
 * Overall weighted average: the mean of smape and mase, each over what the naive method with seasonal
 * adjustment scores (Makridakis, Spiliotis & Assimakopoulos, "The M4 Competition", 2020, §2.2). NaN
 * where that makes no error.
 */
export const owa: Metric = {
  name: "owa",
  aliases: ["overall_weighted_average"],
  direction: "minimize",
  needs: "value",
  whyUndefined(rows) {
    // Both are 0 together.
    const error = smape.score(referenceOf(rows));
    return error > 0 ? null : "the naive method makes no error";
  },
  score(rows) {
    const reference = referenceOf(rows);
    const share = (metric: Metric): number => metric.score(rows) / metric.score(reference);
    const score = (share(smape) + share(mase)) / 2;
    return Number.isFinite(score) ? score : Number.NaN;
  },
};
