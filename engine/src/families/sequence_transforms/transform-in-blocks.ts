/** Features of training sequences, made block by block, so that a fit can be ended between two of them. */

import type { EncodedData } from "../../data/encoded.ts";
import type { SequenceFrame } from "../../data/frame.ts";
import type { FeatureMatrix, SequenceTransform } from "../../sequences/feature-matrix.ts";
import type { FitLimits } from "../fit-limits.ts";

/** Values of all sequences of a block, each channel's of each step: some hundredths of a second. */
const BLOCK_VALUES = 20_000;

/** @throws FitStoppedError when the time of the fit is over */
export function transformInBlocks(
  transform: SequenceTransform,
  frame: SequenceFrame,
  rows: Uint32Array,
  { arena }: Pick<EncodedData, "arena">,
  limits: FitLimits | undefined,
): FeatureMatrix {
  const columns = transform.features;
  const values = new Float32Array(rows.length * columns);
  for (let from = 0; from < rows.length; ) {
    limits?.throwIfOver();
    let to = from;
    for (let held = 0; to < rows.length && (to === from || held < BLOCK_VALUES); to++) {
      held += frame.channels * (frame.offsets[rows[to] + 1] - frame.offsets[rows[to]]);
    }
    const block = rows.subarray(from, to);
    transform.transform(frame, block, arena, values.subarray(from * columns));
    from = to;
  }
  return { rows: rows.length, columns, values };
}
