/** What an order of categories that is made of noise seems to gain, as `kernels/assembly/growing/split-noise.ts` has it. */

import { f64Literal } from "./f64.ts";

/** Strength, times 2 / π. */
export const NOISE_FACTOR = f64Literal(2 * (2 / Math.PI));

/** Needs SQUARE_ROOT, and what all of it comes to as `noise`. @param share four times the product of both sides' shares */
export const NOISE_OF_CUT = /* wgsl */ `
fn noiseOfCut(share: vec2<u32>) -> vec2<u32> {
  var root = share;
  var half = root;
  for (var i = 0u; i < 3u; i++) {
    root = squareRoot(root);
    if (i == 0u) { half = root; }
  }
  return times(times(noise, half), root);
}
`;
