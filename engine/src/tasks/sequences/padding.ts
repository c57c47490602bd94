/**
 * Files that give all sequences one number of rows write shorter ones with rows at the end that have no value in any
 * channel. Such rows are no steps.
 */

import { type SequenceFrame, takeSteps } from "../../data/frame.ts";

/**
 * Whether steps without any value are padding: most of them are at ends, where those of sensors that fail now and then
 * are anywhere.
 */
export function isPadded(frame: SequenceFrame): boolean {
  let empty = 0;
  let atEnds = 0;
  for (let i = 0; i < frame.count; i++) {
    const end = endOf(frame, i);
    atEnds += frame.offsets[i + 1] - end;
    for (let step = frame.offsets[i]; step < frame.offsets[i + 1]; step++) {
      if (isEmpty(frame, step)) empty++;
    }
  }
  return atEnds > empty / 2;
}

/** Sequences up to their last step that has a value; of one without any, its first step. */
export function withoutPadding(frame: SequenceFrame): SequenceFrame {
  const ends = Uint32Array.from({ length: frame.count }, (_, i) => endOf(frame, i));
  return ends.every((end, i) => end === frame.offsets[i + 1]) ? frame : takeSteps(frame, ends);
}

function endOf(frame: SequenceFrame, sequence: number): number {
  const first = frame.offsets[sequence];
  let end = frame.offsets[sequence + 1];
  while (end - 1 > first && isEmpty(frame, end - 1)) end--;
  return end;
}

function isEmpty({ values }: SequenceFrame, step: number): boolean {
  return values.every((channel) => Number.isNaN(channel[step]));
}
