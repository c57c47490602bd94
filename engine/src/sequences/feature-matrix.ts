/** What a transform makes of sequences, and how all transforms are held. */

import type { ArenaHandle } from "../compute/arena.ts";
import type { SavedTransform } from "./saved-transform.ts";
import type { SequenceSet } from "./sequence-set.ts";

/** Row-major, one row a sequence. */
export interface FeatureMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

/** A transform fitted to training sequences. */
export interface SequenceTransform {
  readonly features: number;
  /** Channels that some feature is made of; absent: all. */
  readonly reads?: ReadonlySet<number> | undefined;
  /** Of a table whose columns tell of which channel they are, -1 for the length of the sequence; absent: of no table. */
  readonly columns?: readonly { readonly channel: number }[] | undefined;
  /**
   * The features of these sequences (null = all). Those of a sequence depend on it alone: they are
   * the same bits in whatever calls, and after saving and loading.
   *
   * @param arena scratch memory for the time of the call; absent: one of its own
   * @param out what the values are written to, at least rows × features; absent: an array of its own.
   *   New pages cost about as much as MiniRocket's features of short sequences.
   * @throws RangeError where the channels are not those fitted on, or `out` is too short
   */
  transform(
    set: SequenceSet,
    rows: Uint32Array | null,
    arena?: ArenaHandle,
    out?: Float32Array,
  ): FeatureMatrix;
  save(): SavedTransform;
}

/** Of the array that is given, or else of a new one: so many cells. */
export function cellsOf(count: number, out: Float32Array | undefined): Float32Array {
  if (out === undefined) return new Float32Array(count);
  if (out.length < count) {
    throw new RangeError(`${count} values do not fit into an array of ${out.length}.`);
  }
  return out.subarray(0, count);
}
