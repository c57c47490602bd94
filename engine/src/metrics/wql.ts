import { CompensatedSum } from "./compensated-sum.ts";
import { ofCrossFitted } from "./forecast-quantiles.ts";
import type { Metric, ScoredRows } from "./metric.ts";
import { levelsOf, pinballLoss, unbound } from "./quantile-rows.ts";
import { whyAllZero } from "./undefined-labels.ts";

/**
 * Weighted quantile loss: mean over the levels of 2 Σ pinball / Σ |y|, pooled over all rows (GluonTS'
 * `mean_weighted_sum_quantile_loss`; Park et al., "Learning quantile functions without quantile
 * crossing", 2022, §5). The task's levels, cross-fitted around each forecast. NaN where all values are 0.
 */
export const wql: Metric = {
  name: "wql",
  aliases: [
    "weighted_quantile_loss",
    "mean_weighted_sum_quantile_loss",
    "mean_weighted_quantile_loss",
    "scaled_crps",
  ],
  direction: "minimize",
  needs: "value",
  whyUndefined: whyAllZero,
  leastRows: 2,
  score: () => unbound("wql"),
  ofTask(task) {
    const levels = levelsOf(task);
    return ofCrossFitted(wql, levels, (rows, quantiles) =>
      weightedQuantileLoss(rows, quantiles, levels),
    );
  },
};

/** @param quantiles row-major, rows × levels */
export function weightedQuantileLoss(
  { target, weights }: Pick<ScoredRows, "target" | "weights">,
  quantiles: Float64Array,
  levels: readonly number[],
): number {
  const losses = new CompensatedSum();
  const values = new CompensatedSum();
  for (let i = 0; i < target.length; i++) {
    const weight = weights === null ? 1 : weights[i];
    if (weight === 0) continue;
    values.add(weight * Math.abs(target[i]));
    for (const [k, level] of levels.entries()) {
      losses.add(weight * pinballLoss(target[i], quantiles[i * levels.length + k], level));
    }
  }
  return values.value > 0 ? (2 * losses.value) / levels.length / values.value : Number.NaN;
}
