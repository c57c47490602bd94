/** The nearest of stored series by dynamic time warping: bounds first, distances only where needed. */

import type { Arena, Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import type { Scratch } from "../../compute/scratch.ts";

/** Series as dtw.ts reads them: steps × channels, one series after another. */
export interface SteppedSeries {
  readonly channels: number;
  /** count + 1 offsets in steps. */
  readonly offsets: Uint32Array;
  readonly values: Float64Array;
}

export interface Neighbour {
  readonly index: number;
  readonly distance: number;
}

/** So that the rounding of a bound never excludes what it bounds. */
const ROUNDING = 1 - 1e-12;

export class DtwSearch {
  readonly #kernels: Kernels;
  readonly #stored: SteppedSeries;
  readonly #at: Pointer;
  readonly #query: Pointer;
  readonly #lower: Pointer;
  readonly #upper: Pointer;
  readonly #row: Pointer;
  readonly #arena: Arena;

  /** @param longest steps of the longest query to come */
  constructor(scratch: Scratch, stored: SteppedSeries, longest: number) {
    this.#kernels = kernelsOf(scratch.arena.handle());
    this.#stored = stored;
    this.#at = scratch.f64(stored.values);
    const most = Math.max(longest, longestOf(stored.offsets));
    const bytes = 8 * most * stored.channels;
    this.#query = scratch.allocate(bytes);
    this.#lower = scratch.allocate(bytes);
    this.#upper = scratch.allocate(bytes);
    this.#row = scratch.allocate(8 * most);
    this.#arena = scratch.arena;
  }

  /**
   * The `k` nearest, nearest first; of equally near ones those stored first.
   *
   * @param query steps × channels
   * @param share window, as a share of the longer of two series
   * @param leftOut a stored series that is not looked at; -1 = none
   * @param known distances are at least these, one a stored series; better bounds are written to it
   */
  nearest(
    query: Float64Array,
    k: number,
    share: number,
    leftOut: number,
    known: Float64Array | null = null,
  ): Neighbour[] {
    const { channels, offsets } = this.#stored;
    const steps = query.length / channels;
    this.#arena.f64(this.#query, query.length).set(query);
    let enveloped = -1;
    const bounds = new Float64Array(offsets.length - 1);
    const order: number[] = [];
    for (let i = 0; i < bounds.length; i++) {
      if (i === leftOut) continue;
      order.push(i);
      const other = offsets[i + 1] - offsets[i];
      const window = windowOf(share, steps, other);
      // The envelope is that of the query: of as many steps, within the same window.
      const fits = other === steps;
      if (fits && enveloped !== window) {
        this.#kernels.dtwEnvelope(this.#query, steps, channels, window, this.#lower, this.#upper);
        enveloped = window;
      }
      const at = this.#at + 8 * channels * offsets[i];
      const { dtwBound } = this.#kernels;
      const bound = dtwBound(
        this.#query,
        steps,
        at,
        other,
        channels,
        Number(fits),
        this.#lower,
        this.#upper,
      );
      bounds[i] = Math.max(bound * ROUNDING, known?.[i] ?? 0);
    }
    order.sort((a, b) => bounds[a] - bounds[b] || a - b);
    const found: Neighbour[] = [];
    let cutoff = Infinity;
    for (const index of order) {
      if (bounds[index] > cutoff) break;
      const other = offsets[index + 1] - offsets[index];
      const distance = this.#kernels.dtwDistance(
        this.#query,
        steps,
        this.#at + 8 * channels * offsets[index],
        other,
        channels,
        windowOf(share, steps, other),
        cutoff,
        this.#row,
      );
      if (known) known[index] = Math.max(bounds[index], Math.min(distance, cutoff) * ROUNDING);
      if (distance > cutoff || distance === Infinity) continue;
      found.push({ index, distance });
      found.sort((a, b) => a.distance - b.distance || a.index - b.index);
      if (found.length > k) found.pop();
      if (found.length === k) cutoff = found[k - 1].distance;
    }
    return found;
  }
}

/** Steps that a path may part from the diagonal: never so few that the ends cannot meet. */
export function windowOf(share: number, steps: number, other: number): number {
  const longer = Math.max(steps, other);
  return Math.max(Math.ceil(share * longer), Math.abs(steps - other));
}

function longestOf(offsets: Uint32Array): number {
  let most = 1;
  for (let i = 0; i + 1 < offsets.length; i++) most = Math.max(most, offsets[i + 1] - offsets[i]);
  return most;
}
