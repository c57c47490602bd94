import { ascendingOrder } from "../compute/ascending-order.ts";
import type { BinaryScores } from "./one-vs-rest.ts";

/**
 * Walks the distinct scores from the highest down and gives, at each, the weight of positives and
 * of negatives that score at least as much. Equal scores are one step, so the order of tied rows
 * has no effect.
 */
export function eachThreshold(
  { positive, scores, weights }: BinaryScores,
  visit: (truePositives: number, falsePositives: number) => void,
): void {
  const order = ascendingOrder(scores);
  let truePositives = 0;
  let falsePositives = 0;
  for (let at = order.length - 1; at >= 0; at--) {
    const i = order[at];
    const weight = weights === null ? 1 : weights[i];
    if (positive[i] === 1) truePositives += weight;
    else falsePositives += weight;
    if (at === 0 || scores[order[at - 1]] !== scores[i]) visit(truePositives, falsePositives);
  }
}
