/** Scrambled Sobol points of a search space. */

import { CounterRandom, extendKey, philox4x32, type RandomKey } from "../../compute/random.ts";
import { isActive, parameterOrder } from "../activation.ts";
import { valueAtUniform } from "../domain.ts";
import type { Parameters, ParameterValue, SearchSpace } from "../space.ts";
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

const counter = new Uint32Array(4);
const block = new Uint32Array(4);

/**
 * Nested uniform scrambling (Owen, "Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995) in
 * base 2: each bit is flipped or not by a coin that belongs to the bits above it. What is a net
 * stays one, and every point becomes uniform. The coins are counter-based, so nothing is stored.
 *
 * @param coordinate in units of 2⁻³²
 * @param dimension each has coins of its own
 * @returns the scrambled coordinate, in the same units
 */
export function owenScramble(coordinate: number, dimension: number, key: RandomKey): number {
  let scrambled = 0;
  for (let bit = 31; bit >= 0; bit--) {
    // The bits above this one; none for the first.
    counter[0] = bit === 31 ? 0 : coordinate >>> (bit + 1);
    counter[1] = bit;
    counter[2] = dimension;
    counter[3] = 0;
    philox4x32(counter, key, block);
    scrambled |= (((coordinate >>> bit) ^ block[0]) & 1) << bit;
  }
  return scrambled >>> 0;
}
