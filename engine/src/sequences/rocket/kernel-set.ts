/**
 * Dilations, quantiles and weights of MiniRocket's kernels (Dempster, Schmidt & Webb 2021, §3.1).
 * Its 84 kernels have nine weights: 2 at three places, -1 at the six others.
 */

export const KERNELS = 84;

/** The three places of each kernel, in lexicographic order. */
export const KERNEL_PLACES: readonly (readonly [number, number, number])[] = (() => {
  const places: [number, number, number][] = [];
  for (let a = 0; a < 7; a++) {
    for (let b = a + 1; b < 8; b++) for (let c = b + 1; c < 9; c++) places.push([a, b, c]);
  }
  return places;
})();

export interface Dilations {
  /** Ascending. */
  readonly dilations: Int32Array;
  /** Biases that each kernel has at each of them. */
  readonly perDilation: Int32Array;
}

/**
 * Dilations on a logarithmic scale from 1 to the widest at which a kernel still fits into a sequence
 * of the reference length; those that fall together pool their biases.
 *
 * @param features wanted in all; `84 × ⌊features / 84⌋` come out, at least 84
 */
export function fitDilations(length: number, features: number, mostDilations: number): Dilations {
  const perKernel = Math.max(1, Math.floor(features / KERNELS));
  const wanted = Math.min(perKernel, mostDilations);
  const widest = Math.max(0, Math.log2((length - 1) / 8));
  const counts = new Map<number, number>();
  for (let i = 0; i < wanted; i++) {
    const dilation = Math.trunc(2 ** (wanted > 1 ? (i * widest) / (wanted - 1) : 0));
    counts.set(dilation, (counts.get(dilation) ?? 0) + 1);
  }
  const dilations = Int32Array.from(counts.keys());
  const perDilation = Int32Array.from(counts.values(), (count) => (count * perKernel) / wanted);
  const given = perDilation.reduce((sum, count) => sum + count, 0);
  for (let rest = 0; rest < perKernel - given; rest++) perDilation[rest % perDilation.length]++;
  return { dilations, perDilation };
}

/** Low-discrepancy sequence: multiples of the golden ratio, modulo 1. */
export function goldenQuantiles(count: number): Float64Array {
  const ratio = (Math.sqrt(5) + 1) / 2;
  return Float64Array.from({ length: count }, (_, i) => Math.fround(((i + 1) * ratio) % 1));
}

/** Linear between order statistics, of values that are sorted. */
export function quantileOf(sorted: Float32Array, share: number): number {
  const place = (sorted.length - 1) * share;
  const low = Math.floor(place);
  const high = Math.min(low + 1, sorted.length - 1);
  return Math.fround(sorted[low] + (place - low) * (sorted[high] - sorted[low]));
}
