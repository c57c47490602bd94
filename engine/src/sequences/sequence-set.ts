/** Time series as the transforms of this room read them, and what makes a set of them sound. */

/** Sequences of unequal lengths with one or more channels; all channels of a sequence have its length. */
export interface SequenceSet {
  readonly count: number;
  readonly channels: number;
  /** count + 1 offsets in steps; sequence i has steps offsets[i] .. offsets[i+1]. */
  readonly offsets: Uint32Array;
  /** One array a channel, steps of all sequences one after another; NaN = missing. */
  readonly values: readonly Float64Array[];
}

/** Steps of a sequence. */
export function lengthOf(set: SequenceSet, sequence: number): number {
  return set.offsets[sequence + 1] - set.offsets[sequence];
}

/** Steps of the longest of these sequences. */
export function longestOf(set: SequenceSet, rows: Uint32Array): number {
  return rows.reduce((most, row) => Math.max(most, lengthOf(set, row)), 1);
}

export function ofOneLength(set: SequenceSet, rows: Uint32Array): boolean {
  return rows.every((row) => lengthOf(set, row) === lengthOf(set, rows[0]));
}

/** The sequences named, or all. */
export function sequencesOf(set: SequenceSet, rows: Uint32Array | null): Uint32Array {
  return rows ?? Uint32Array.from({ length: set.count }, (_, i) => i);
}

/**
 * @param channels how many the fitted transform knows; absent = any number
 * @throws RangeError where arrays and counts contradict each other or a sequence has no step
 */
export function checkSequenceSet(set: SequenceSet, channels?: number): void {
  if (set.channels < 1 || set.values.length !== set.channels) {
    throw new RangeError(
      `${set.channels} channels are declared and ${set.values.length} are given.`,
    );
  }
  if (channels !== undefined && set.channels !== channels) {
    throw new RangeError(
      `The sequences have ${set.channels} channels; those fitted on had ${channels}.`,
    );
  }
  if (set.offsets.length !== set.count + 1) {
    throw new RangeError(`${set.count} sequences need ${set.count + 1} offsets.`);
  }
  for (let i = 0; i < set.count; i++) {
    if (set.offsets[i + 1] <= set.offsets[i]) throw new RangeError(`Sequence ${i} has no step.`);
  }
  for (const [channel, values] of set.values.entries()) {
    if (values.length < set.offsets[set.count]) {
      throw new RangeError(`Channel ${channel} ends before step ${set.offsets[set.count]}.`);
    }
  }
}
