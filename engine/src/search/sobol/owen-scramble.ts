/**
 * Nested uniform scrambling (Owen, "Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995) in
 * base 2: each bit is flipped or not by a coin that belongs to the bits above it. What is a net
 * stays one, and every point becomes uniform. The coins are counter-based, so nothing is stored.
 */

import { philox4x32, type RandomKey } from "../../compute/random.ts";

const counter = new Uint32Array(4);
const block = new Uint32Array(4);

/**
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
