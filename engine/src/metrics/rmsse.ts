import { type Metric, seriesOf } from "./metric.ts";

/**
 * Root mean squared scaled error, of each series and origin, averaged over them (Makridakis,
 * Spiliotis & Assimakopoulos, "The M5 accuracy competition", 2022, §2.3; scaled by the seasonal naive
 * method's squares).
 */
export const rmsse: Metric = {
  name: "rmsse",
  aliases: ["root_mean_squared_scaled_error"],
  direction: "minimize",
  needs: "value",
  score(rows) {
    const { group, squaredScale } = seriesOf(rows, "rmsse");
    const { target, predictions, weights } = rows;
    const sums = new Map<number, { squares: number; weight: number }>();
    for (let i = 0; i < target.length; i++) {
      const weight = weights === null ? 1 : weights[i];
      if (weight === 0) continue;
      const own = sums.get(group[i]) ?? { squares: 0, weight: 0 };
      own.squares += (weight * (predictions[i] - target[i]) ** 2) / squaredScale[i];
      own.weight += weight;
      sums.set(group[i], own);
    }
    let [sum, total] = [0, 0];
    for (const { squares, weight } of sums.values()) {
      sum += weight * Math.sqrt(squares / weight);
      total += weight;
    }
    return sum / total;
  },
};
