/**
 * Sequences of unequal lengths brought to one, on straight lines between their steps: right where a shape is performed
 * faster or slower as a whole, wrong where a step is as long in all of them, as of a frequency.
 */

import { z } from "zod";
import type { ArenaHandle } from "../compute/arena.ts";
import { quantile } from "../data/quantile.ts";
import type { FeatureMatrix, SequenceTransform } from "./feature-matrix.ts";
import type { SavedTransform } from "./saved-transform.ts";
import { checkSequenceSet, lengthOf, type SequenceSet, sequencesOf } from "./sequence-set.ts";

/** What becomes of unequal lengths: nothing, or all are brought to one. */
export const LENGTH_TREATMENTS = ["original", "resampled"] as const;
export type LengthTreatment = (typeof LENGTH_TREATMENTS)[number];

/** Of the training sequences, the length that all are brought to: few are longer, and lose steps. */
const COMMON = 0.9;
/** Of the mean length: so much more memory and time than sequences as they are take, whatever their lengths. */
const MOST_MEANS = 2;
/** Kernels want some steps to lie in. */
const LEAST_STEPS = 16;

/** Steps that sequences are brought to. @param rows the training sequences */
export function commonLength(set: SequenceSet, rows: Uint32Array): number {
  const lengths = Float64Array.from(rows, (row) => lengthOf(set, row)).sort();
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  return Math.max(LEAST_STEPS, Math.round(Math.min(quantile(lengths, COMMON), MOST_MEANS * mean)));
}

/**
 * These sequences, in this order, at `steps` places from the first step to the last. Missing values are filled on the
 * way, as every treatment of channels fills them; a channel without any value stays so.
 */
export function resample(set: SequenceSet, rows: Uint32Array, steps: number): SequenceSet {
  const values = set.values.map((channel) => {
    const out = new Float64Array(rows.length * steps);
    for (const [i, row] of rows.entries()) {
      const own = channel.subarray(set.offsets[row], set.offsets[row + 1]);
      resampleLine(own, out.subarray(i * steps, (i + 1) * steps));
    }
    return out;
  });
  const offsets = Uint32Array.from({ length: rows.length + 1 }, (_, i) => i * steps);
  return { count: rows.length, channels: set.channels, offsets, values };
}

function resampleLine(line: Float64Array, out: Float64Array): void {
  let after = nextObserved(line, 0);
  let before = after;
  const stride = (line.length - 1) / Math.max(1, out.length - 1);
  for (let i = 0; i < out.length; i++) {
    const place = i * stride;
    while (after < place) {
      before = after;
      after = nextObserved(line, after + 1);
    }
    // Before the first, behind the last, or without any value, which is missing.
    if (place <= before) out[i] = line[before] ?? Number.NaN;
    else if (after >= line.length) out[i] = line[before];
    else
      out[i] = line[before] + ((line[after] - line[before]) * (place - before)) / (after - before);
  }
}

/** From `from` on; the length where there is none. */
function nextObserved(line: Float64Array, from: number): number {
  let t = from;
  while (t < line.length && !Number.isFinite(line[t])) t++;
  return t;
}

const headerSchema = z.strictObject({
  transform: z.literal("resampled"),
  steps: z.int().min(1),
  of: z.unknown(),
});

/** A transform of sequences that are brought to one length; a column that is the length stays what it was. */
class ResampledTransform implements SequenceTransform {
  readonly #of: SequenceTransform;
  readonly #steps: number;

  constructor(of: SequenceTransform, steps: number) {
    this.#of = of;
    this.#steps = steps;
  }

  get features(): number {
    return this.#of.features;
  }

  get columns(): SequenceTransform["columns"] {
    return this.#of.columns;
  }

  get reads(): ReadonlySet<number> | undefined {
    return this.#of.reads;
  }

  transform(
    set: SequenceSet,
    rows: Uint32Array | null,
    arena?: ArenaHandle,
    out?: Float32Array,
  ): FeatureMatrix {
    checkSequenceSet(set);
    const chosen = sequencesOf(set, rows);
    const matrix = this.#of.transform(resample(set, chosen, this.#steps), null, arena, out);
    const { columns, values } = matrix;
    for (const [c, { channel }] of (this.columns ?? []).entries()) {
      if (channel !== -1) continue;
      for (const [i, row] of chosen.entries()) values[i * columns + c] = lengthOf(set, row);
    }
    return matrix;
  }

  save(): SavedTransform {
    const { header, tensors } = this.#of.save();
    const own: z.infer<typeof headerSchema> = {
      ...{ transform: "resampled", steps: this.#steps },
      of: header,
    };
    return { header: own, tensors };
  }
}

/** @param load of the transform that is fitted to sequences of either kind */
export function loadOfLengths(
  load: (saved: SavedTransform) => SequenceTransform,
): (saved: SavedTransform) => SequenceTransform {
  return (saved) => {
    const resampled = headerSchema.safeParse(saved.header);
    if (!resampled.success) return load(saved);
    const { steps, of } = resampled.data;
    return new ResampledTransform(load({ header: of, tensors: saved.tensors }), steps);
  };
}

/** @param fit to sequences, all of them */
export function fitToLengths(
  set: SequenceSet,
  rows: Uint32Array,
  lengths: LengthTreatment,
  fit: (set: SequenceSet, rows: Uint32Array) => SequenceTransform,
): SequenceTransform {
  if (lengths === "original") return fit(set, rows);
  const steps = commonLength(set, rows);
  const brought = resample(set, rows, steps);
  return new ResampledTransform(fit(brought, sequencesOf(brought, null)), steps);
}
