/**
 * A subset of points with a large hypervolume: greedily, each time the point that adds most, which
 * is within 1 − 1/e of the best subset (Nemhauser, Wolsey, Fisher 1978; Guerreiro, Fonseca, Paquete,
 * "Greedy hypervolume subset selection in low dimensions", 2016). What a point adds can only shrink
 * as the subset grows, so only those whose former gain could still win are computed anew (Minoux's
 * lazy greedy, 1978).
 */

import type { Losses } from "./dominance.ts";
import { hypervolumeGain } from "./hypervolume.ts";

/**
 * Ties go to the earlier point. When nothing is left to gain, the earliest points fill the subset.
 *
 * @param size of the subset, at most the number of points
 * @returns places of the chosen points, in the order of choosing
 */
export function selectByHypervolume(
  points: readonly Losses[],
  size: number,
  reference: Losses,
): number[] {
  const gain = Float64Array.from(points, (point) => hypervolumeGain(point, [], reference));
  // How many points had been chosen when the gain was computed.
  const computedAt = new Int32Array(points.length);
  const isChosen = new Uint8Array(points.length);
  const chosen: number[] = [];
  const subset: Losses[] = [];
  while (chosen.length < size) {
    let best = -1;
    for (;;) {
      best = -1;
      for (let i = 0; i < points.length; i++) {
        if (isChosen[i] === 0 && (best < 0 || gain[i] > gain[best])) best = i;
      }
      if (computedAt[best] === chosen.length) break;
      gain[best] = Math.min(gain[best], hypervolumeGain(points[best], subset, reference));
      computedAt[best] = chosen.length;
    }
    isChosen[best] = 1;
    chosen.push(best);
    subset.push(points[best]);
  }
  return chosen;
}
