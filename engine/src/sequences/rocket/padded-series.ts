/** Channels of one sequence at a time as the rocket kernels read it: f32, zeros around, and three times itself. */

import type { Arena, Pointer } from "../../compute/arena.ts";
import type { Scratch } from "../../compute/scratch.ts";
import type { ChannelTreatment } from "../channel-treatment.ts";
import { lengthOf, type SequenceSet } from "../sequence-set.ts";

/** First differences of a sequence are those of its treated steps; those of one step are one zero. */
export type Representation = "values" | "differences";

export class PaddedSeries {
  readonly series: Pointer;
  readonly tripled: Pointer;
  readonly pad: number;
  /** Of the sequence written last. */
  steps = 0;
  stride = 0;
  readonly #arena: Arena;
  readonly #treatment: ChannelTreatment;
  readonly #representation: Representation;
  readonly #line: Float32Array;

  /**
   * @param reach steps that kernels look before the first and behind the last
   * @param longest steps of the longest sequence to come
   * @param most channels that are written at a time
   */
  constructor(
    scratch: Scratch,
    treatment: ChannelTreatment,
    representation: Representation,
    reach: number,
    longest: number,
    most: number,
  ) {
    this.pad = roundUp(reach);
    this.#treatment = treatment;
    this.#representation = representation;
    const words = most * (roundUp(longest) + 2 * this.pad);
    this.series = scratch.allocate(4 * words);
    this.tripled = scratch.allocate(4 * words);
    this.#arena = scratch.arena;
    this.#line = new Float32Array(longest);
  }

  /** @param channels in the order in which they come to lie */
  write(set: SequenceSet, sequence: number, channels: Int32Array): void {
    const length = lengthOf(set, sequence);
    const differences = this.#representation === "differences";
    this.steps = differences ? Math.max(1, length - 1) : length;
    this.stride = roundUp(this.steps) + 2 * this.pad;
    const words = this.#arena.f32(this.series, channels.length * this.stride);
    const tripled = this.#arena.f32(this.tripled, words.length);
    words.fill(0);
    for (const [place, channel] of channels.entries()) {
      const at = place * this.stride + this.pad;
      if (!differences) {
        this.#treatment.write(set, sequence, channel, words, at);
        continue;
      }
      this.#treatment.write(set, sequence, channel, this.#line);
      for (let t = 0; t + 1 < length; t++) words[at + t] = this.#line[t + 1] - this.#line[t];
    }
    for (let i = 0; i < words.length; i++) tripled[i] = 3 * words[i];
  }
}

/** To whole vectors of four f32. */
export function roundUp(steps: number): number {
  return (steps + 3) & ~3;
}
