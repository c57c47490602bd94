/** Made sequences for tests. */

import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { SequenceSet } from "../sequence-set.ts";

/** From one array a sequence and channel. */
export function setOf(sequences: readonly (readonly ArrayLike<number>[])[]): SequenceSet {
  const channels = sequences[0].length;
  const offsets = new Uint32Array(sequences.length + 1);
  for (const [i, sequence] of sequences.entries()) {
    offsets[i + 1] = offsets[i] + sequence[0].length;
  }
  const values = Array.from({ length: channels }, (_, channel) => {
    const all = new Float64Array(offsets[sequences.length]);
    for (const [i, sequence] of sequences.entries()) all.set(sequence[channel], offsets[i]);
    return all;
  });
  return { count: sequences.length, channels, offsets, values };
}

/** Waves with noise; class i % 2 has the faster ones. */
export function madeSequences(
  lengths: readonly number[],
  channels: number,
  seed: number,
): SequenceSet {
  const random = new CounterRandom(deriveKey(seed, "made sequences"));
  return setOf(
    lengths.map((length, i) =>
      Array.from({ length: channels }, () => {
        const speed = 0.1 + 0.2 * (i % 2) + 0.05 * random.nextFloat();
        const phase = 6 * random.nextFloat();
        return Float64Array.from(
          { length },
          (_, t) => Math.sin(speed * t + phase) + 0.3 * random.nextGaussian(),
        );
      }),
    ),
  );
}

/** Sequences of every awkward sort, two channels: one step, constant, missing, very long, huge. */
export function awkwardSequences(longest: number): SequenceSet {
  const line = (length: number, at: (t: number) => number) =>
    Float64Array.from({ length }, (_, t) => at(t));
  return setOf([
    [line(1, () => 3), line(1, () => Number.NaN)],
    [line(2, (t) => t), line(2, () => 5)],
    [line(30, () => 7), line(30, () => Number.NaN)],
    [line(40, (t) => (t % 3 === 1 ? Number.NaN : Math.sin(t))), line(40, (t) => t * 1e6)],
    [line(longest, (t) => Math.sin(t / 50)), line(longest, (t) => (t < 9 ? Number.NaN : t % 7))],
    [line(8, () => Number.NaN), line(8, () => Number.NaN)],
    [line(20, (t) => 1e300 * (t - 7)), line(20, (t) => (t % 2 ? -1e200 : 1e160))],
    [line(100, (t) => Math.cos(t)), line(100, (t) => (t === 50 ? Infinity : -t))],
  ]);
}
