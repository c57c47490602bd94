/**
 * A sketch of the rows that a model learned: the k smallest of their distinct hashes (a bottom-k or KMV sketch;
 * Bar-Yossef et al., "Counting distinct elements in a data stream", RANDOM 2002; Beyer et al., "On synopses for
 * distinct-value estimation under multiset operations", SIGMOD 2007). Hashes are uniform, so of any other rows those whose hashes lie
 * below its largest are a random sample, of each of which the sketch knows whether it was learned. It is
 * `learned-rows.dsm` of a model's directory.
 */

import { z } from "zod";
import type { EqualRows, RowHashes } from "../data/row-hashes.ts";
import { ModelFormatError } from "./model-format-error.ts";
import { packModel, unpackModel } from "./packed.ts";

/** Hashes that are kept: a share is then known to some 3 %. */
export const SKETCH_HASHES = 1024;

export interface RowSketch {
  /** That were learned; sequences, where those are what is predicted. */
  readonly rows: number;
  /** Of them, those of which no two are equal. */
  readonly distinct: number;
  /** Distinct ones that occur twice, and no more. */
  readonly twice: number;
  /** Columns that say which row it is and nothing of it: its hash is without them. */
  readonly leftOut: readonly string[];
  /** Upper words of the smallest hashes, ascending. */
  readonly high: Uint32Array;
  /** Their lower words. */
  readonly low: Uint32Array;
  /** 1 where the row occurs once, 0 where more often. */
  readonly once: Uint8Array;
}

/**
 * @param hashes of the rows, of all their columns but `leftOut`
 * @param groups of equal hashes
 */
export function sketchRows(
  { low, high }: RowHashes,
  { of, first }: EqualRows,
  leftOut: readonly string[],
): RowSketch {
  const distinct = first.length;
  const occurs = new Uint32Array(distinct);
  let twice = 0;
  for (let row = 0; row < of.length; row++) {
    const times = ++occurs[of[row]];
    if (times === 2) twice++;
    else if (times === 3) twice--;
  }
  const size = Math.min(SKETCH_HASHES, distinct);
  let smallest: number[] = [];
  // Twice as many as are wanted are expected below the first bound.
  for (let bound = 2 * (size / distinct); smallest.length < size; bound *= 2) {
    const below = Math.min(1, bound) * 2 ** 32;
    smallest = [];
    for (let group = 0; group < distinct; group++) {
      if (high[first[group]] < below) smallest.push(group);
    }
  }
  smallest.sort((a, b) => high[first[a]] - high[first[b]] || low[first[a]] - low[first[b]]);
  const kept = smallest.slice(0, size);
  return {
    rows: of.length,
    distinct,
    twice,
    leftOut,
    high: Uint32Array.from(kept, (group) => high[first[group]]),
    low: Uint32Array.from(kept, (group) => low[first[group]]),
    once: Uint8Array.from(kept, (group) => Number(occurs[group] === 1)),
  };
}

export function packRowSketch({ high, low, once, ...header }: RowSketch): Uint8Array<ArrayBuffer> {
  return packModel({ header: { version: 1, ...header }, tensors: { high, low, once } });
}

const headerSchema = z.object({
  version: z.literal(1),
  rows: z.int().min(1),
  distinct: z.int().min(1),
  twice: z.int().min(0),
  leftOut: z.array(z.string()),
});

/** @throws {ModelFormatError} naming `file` */
export function parseRowSketch(bytes: Uint8Array, file: string): RowSketch {
  const { header, tensors } = unpackModel(bytes, file);
  const parsed = headerSchema.safeParse(header);
  const { high, low, once } = tensors;
  const isWhole =
    parsed.success &&
    high instanceof Uint32Array &&
    low instanceof Uint32Array &&
    once instanceof Uint8Array &&
    high.length === Math.min(SKETCH_HASHES, parsed.data.distinct) &&
    low.length === high.length &&
    once.length === high.length;
  if (!isWhole) throw new ModelFormatError(`${file} is no sketch of learned rows; it is damaged.`);
  return { ...parsed.data, high, low, once };
}
