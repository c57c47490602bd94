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
  /**
   * The features of these sequences (null = all). Those of a sequence depend on it alone: they are
   * the same bits in whatever calls, and after saving and loading.
   *
   * @param arena scratch memory for the time of the call; absent: one of its own
   * @throws RangeError where the channels are not those fitted on
   */
  transform(set: SequenceSet, rows: Uint32Array | null, arena?: ArenaHandle): FeatureMatrix;
  save(): SavedTransform;
}
