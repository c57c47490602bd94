/**
 * A subset of points with a large hypervolume: greedily, each time the point that adds most, which
 * is within 1 − 1/e of the best subset (Nemhauser, Wolsey, Fisher 1978; Guerreiro, Fonseca, Paquete,
 * "Greedy hypervolume subset selection in low dimensions", 2016). What a point adds can only shrink
 * as the subset grows, so only those whose former gain could still win are computed anew (Minoux's
 * lazy greedy, 1978); and it is no more than the part of its box outside any one chosen point's.
 */

import { BoxGain } from "./box-gain.ts";
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
  const gainOf = gainFunction(reference, size);
  const own = Float64Array.from(points, (point) => gainOf.of(point));
  // Never below the true gain; equal to it where `computedAt` is the size of the subset.
  const bound = own.slice();
  const computedAt = new Int32Array(points.length);
  const isChosen = new Uint8Array(points.length);
  const chosen: number[] = [];
  while (chosen.length < size) {
    const compute = (i: number): void => {
      if (computedAt[i] === chosen.length) return;
      bound[i] = gainOf.of(points[i]);
      computedAt[i] = chosen.length;
    };
    let best = largest(bound, isChosen);
    compute(best);
    for (let i = 0; i < points.length; i++) {
      if (isChosen[i] === 1 || !isAhead(bound, i, best)) continue;
      compute(i);
      if (isAhead(bound, i, best)) best = i;
    }
    isChosen[best] = 1;
    chosen.push(best);
    gainOf.add(points[best]);
    for (let i = 0; i < points.length; i++) {
      const rest = own[i] - common(points[i], points[best], reference);
      if (rest < bound[i]) bound[i] = rest;
    }
  }
  return chosen;
}

interface GainFunction {
  add(point: Losses): void;
  of(point: Losses): number;
}

function gainFunction(reference: Losses, size: number): GainFunction {
  if (reference.length <= 3) return new BoxGain(reference, size);
  const subset: Losses[] = [];
  return {
    add: (point) => subset.push(point),
    of: (point) => hypervolumeGain(point, subset, reference),
  };
}

function isAhead(bound: Float64Array, i: number, best: number): boolean {
  return bound[i] > bound[best] || (bound[i] === bound[best] && i < best);
}

function largest(bound: Float64Array, isChosen: Uint8Array): number {
  let best = -1;
  for (let i = 0; i < bound.length; i++) {
    if (isChosen[i] === 0 && (best < 0 || bound[i] > bound[best])) best = i;
  }
  return best;
}

/** The volume that both points dominate. */
function common(a: Losses, b: Losses, reference: Losses): number {
  let product = 1;
  for (let i = 0; i < reference.length; i++) {
    const side = reference[i] - Math.max(a[i], b[i]);
    if (side <= 0) return 0;
    product *= side;
  }
  return product;
}
