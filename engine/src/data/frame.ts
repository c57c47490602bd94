/**
 * What belongs to each row of a run beside its features, where a row by itself is not what is
 * predicted: the steps of a sequence, or a series' place in time. Plain data over buffers that may be
 * shared, so it crosses threads as it is.
 */

import { quantile } from "./quantile.ts";

/** A row is a whole sequence of one or more channels; all channels of a sequence have its length. */
export interface SequenceFrame {
  readonly kind: "sequences";
  /** Rows of the run. */
  readonly count: number;
  readonly channels: number;
  /** The column of the table that each channel was made from. */
  readonly columns: readonly string[];
  /** count + 1 places in steps: sequence i has the steps offsets[i] … offsets[i + 1] - 1. */
  readonly offsets: Uint32Array;
  /** One array a channel, the steps of all sequences one after another; NaN is missing. */
  readonly values: readonly Float64Array[];
}

/**
 * A row is one step of one series on a regular grid: the rows of a series follow each other without
 * a gap, oldest first.
 */
export interface SeriesFrame {
  readonly kind: "series";
  /** The column of the values. */
  readonly column: string;
  /** Of each series, for people. */
  readonly names: readonly string[];
  /** Of each series its number among those of the training data; -1 where it was not there. */
  readonly ids: Int32Array;
  /** count + 1 places in rows: series s has the rows offsets[s] … offsets[s + 1] - 1. */
  readonly offsets: Uint32Array;
  /** One a row: the value, NaN where it is not known (a gap, or a step to come). */
  readonly target: Float64Array;
  /** Steps that are forecast at once. */
  readonly horizon: number;
  /** Steps between the last known one and the first that is forecast. */
  readonly gap: number;
  /** Steps of a season, ascending; empty where there is none. */
  readonly seasons: readonly number[];
  /** Steps of a year where these are days or weeks, which no whole number is. Absent: none, or seasons are given. */
  readonly year?: number | undefined;
  /** The column of the times, and whether their steps are months or longer; absent: of a request. */
  readonly time?: { readonly column: string; readonly isLong: boolean };
  /** Columns that are known in advance; absent: none. */
  readonly known?: readonly string[];
  /** Those of them whose blanks are a value of their own, as of holidays on other days; absent: none. */
  readonly blank?: readonly string[];
  /**
   * Of such a column 1 at each row of a sum whose series have different cells there, some of them none: nothing is known of the
   * sum then, and that its cell is blank says nothing. Absent: no row is one.
   */
  readonly untold?: readonly { readonly name: string; readonly rows: Uint8Array }[];
  /** Of a request, of each series: how many steps behind its first one in training it begins. Absent: none. */
  readonly since?: Int32Array;
  /** Of each series what its values are never below, and never above, as training told; absent: 0 where its signs say so. */
  readonly least?: Float64Array | undefined;
  readonly most?: Float64Array | undefined;
  /** Columns that are known of the past alone, as numbers: one value a row, NaN where there is none. */
  readonly past?: readonly { readonly name: string; readonly values: Float64Array }[];
}

export type Frame = SequenceFrame | SeriesFrame;

/** Of a sequence. */
export function meanSteps({ offsets, count }: SequenceFrame): number {
  return offsets[count] / Math.max(1, count);
}

/** Of nine tenths of the sequences, the longest has more than so many times the steps of the shortest. */
const UNEQUAL = 1.1;

/** Whether lengths differ by more than a little, and not of a few sequences alone. */
export function areUnequal({ offsets, count }: SequenceFrame): boolean {
  const lengths = Float64Array.from({ length: count }, (_, i) => offsets[i + 1] - offsets[i]);
  const sorted = lengths.sort();
  return quantile(sorted, 0.95) > UNEQUAL * quantile(sorted, 0.05);
}

/**
 * All sequences, of each the steps before one of its own, over buffers like the frame's.
 *
 * @param ends places in steps, each behind at least one step of its sequence
 */
export function takeSteps(frame: SequenceFrame, ends: Uint32Array): SequenceFrame {
  const isShared = !(frame.offsets.buffer instanceof ArrayBuffer);
  return takeParts(frame, frame.offsets.subarray(0, frame.count), ends, isShared);
}

/** The sequences of some rows, in the given order, over buffers of their own that may be shared. */
export function takeSequences(frame: SequenceFrame, rows: Uint32Array): SequenceFrame {
  const [starts, ends] = [0, 1].map((next) => rows.map((row) => frame.offsets[row + next]));
  return takeParts(frame, starts, ends, true);
}

/** One sequence of each part. */
function takeParts(
  frame: SequenceFrame,
  starts: Uint32Array,
  ends: Uint32Array,
  isShared: boolean,
): SequenceFrame {
  const buffer = (bytes: number): ArrayBuffer | SharedArrayBuffer =>
    isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
  const count = starts.length;
  const offsets = new Uint32Array(buffer((count + 1) * 4));
  for (const [i, start] of starts.entries()) offsets[i + 1] = offsets[i] + ends[i] - start;
  const values = frame.values.map((channel) => {
    const taken = new Float64Array(buffer(offsets[count] * 8));
    for (const [i, start] of starts.entries()) {
      taken.set(channel.subarray(start, ends[i]), offsets[i]);
    }
    return taken;
  });
  return { ...frame, count, offsets, values };
}
