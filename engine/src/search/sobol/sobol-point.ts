/** Scrambled Sobol points of a search space. */

import { CounterRandom, extendKey, type RandomKey } from "../../compute/random.ts";
import { isActive, parameterOrder } from "../activation.ts";
import { valueAtUniform } from "../domain.ts";
import type { Parameters, ParameterValue, SearchSpace } from "../space.ts";
import { owenScramble } from "./owen-scramble.ts";
import { SOBOL_DIMENSIONS, sobolCoordinate } from "./sobol-sequence.ts";

/**
 * Point `index` of the scrambled sequence that `key` makes. Each parameter has a dimension of its
 * own, whether it exists in this point or not; a choice is a slice of its dimension. Parameters
 * beyond the dimensions that have direction numbers are drawn at random.
 */
export function sobolPoint(space: SearchSpace, index: number, key: RandomKey): Parameters {
  const point: Record<string, ParameterValue> = {};
  for (const [dimension, name] of parameterOrder(space).entries()) {
    if (!isActive(space[name], point)) continue;
    point[name] = valueAtUniform(space[name], uniformAt(index, dimension, key));
  }
  return point;
}

/** In (0, 1): the middle of a cell of 2⁻³². */
function uniformAt(index: number, dimension: number, key: RandomKey): number {
  if (dimension >= SOBOL_DIMENSIONS) {
    return new CounterRandom(extendKey(key, dimension, index)).nextFloat();
  }
  return (owenScramble(sobolCoordinate(index, dimension), dimension, key) + 0.5) / 0x100000000;
}
