/** The features of MiniRocket and MultiRocket by their definitions, in f64 and one at a time. */

import { KERNEL_PLACES } from "../rocket/kernel-set.ts";
import type { RocketParameters } from "../rocket/rocket-kernels.ts";

/** @param series one array a channel; @returns the outputs of every (dilation, kernel, bias) */
export function slowRocket(
  series: readonly ArrayLike<number>[],
  parameters: RocketParameters,
  alternate: boolean,
): { shares: number[]; stretches: number[]; means: number[]; places: number[] } {
  const steps = series[0].length;
  const features = {
    shares: [] as number[],
    stretches: [] as number[],
    means: [] as number[],
    places: [] as number[],
  };
  let member = 0;
  let feature = 0;
  for (const [index, dilation] of parameters.dilations.entries()) {
    for (const [kernel, places] of KERNEL_PLACES.entries()) {
      const size = series.length === 1 ? 1 : parameters.combinationSizes[index * 84 + kernel];
      const members =
        series.length === 1 ? [0] : parameters.combinationChannels.slice(member, member + size);
      member += size;
      let outputs = Array.from({ length: steps }, (_, t) => {
        let sum = 0;
        for (const channel of members) {
          for (let i = 0; i < 9; i++) {
            const value = series[channel][t + (i - 4) * dilation] ?? 0;
            sum += (places.includes(i) ? 2 : -1) * value;
          }
        }
        return sum;
      });
      const inner = alternate && (index + kernel) % 2 === 1 && steps > 8 * dilation;
      if (inner) outputs = outputs.slice(4 * dilation, steps - 4 * dilation);
      for (let i = 0; i < parameters.perDilation[index]; i++) {
        const bias = parameters.biases[feature++];
        const above = outputs.flatMap((output, t) => (output > bias ? [t] : []));
        const below = outputs.flatMap((output, t) => (output < bias ? [t] : []));
        const ends = [0, ...below, outputs.length - 1];
        features.shares.push(above.length / outputs.length);
        features.stretches.push(Math.max(...ends.slice(1).map((end, at) => end - ends[at])));
        features.means.push(
          above.length && above.reduce((sum, t) => sum + outputs[t] + bias, 0) / above.length,
        );
        features.places.push(
          above.length ? above.reduce((sum, t) => sum + t, 0) / above.length : -1,
        );
      }
    }
  }
  return features;
}
