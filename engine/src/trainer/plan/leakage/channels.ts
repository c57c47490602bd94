/**
 * What channels of sequences have at the last step, which may be a state that is known at the end alone. What
 * their course tells is what sequences are learned for; what is the same at all steps is a column of the run.
 */

import type { SequenceFrame } from "../../../data/frame.ts";

export interface LastValues {
  /** Of the table. */
  readonly column: string;
  /** One a sequence; NaN is missing. */
  readonly values: Float64Array;
}

export function* lastValues({
  columns,
  count,
  offsets,
  values,
}: SequenceFrame): Generator<LastValues> {
  for (const [channel, steps] of values.entries()) {
    const last = new Float64Array(count).fill(Number.NaN);
    for (let sequence = 0; sequence < count; sequence++) {
      const end = offsets[sequence + 1];
      if (end > offsets[sequence]) last[sequence] = steps[end - 1];
    }
    yield { column: columns[channel], values: last };
  }
}
