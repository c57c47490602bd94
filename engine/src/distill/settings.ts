/** How a student is taught: the members of a run's `distill`. */

import { z } from "zod";

/** Augmented rows for each row of the data, unless a number is asked for. */
export const AUGMENTED_PER_ROW = 5;
/** Augmented rows at most, unless a number is asked for. */
export const MOST_AUGMENTED_ROWS = 100_000;

/** Steps of augmented sequences at most, unless a number of sequences is asked for. */
const MOST_AUGMENTED_STEPS = 2_000_000;

/** The shape of a run's `distill`, with its defaults. */
export const distillSchema = z.strictObject({
  /** Rows made by perturbing those of the data, for the teacher to label. Null: 5 × rows, ≤ 1e5. */
  augmentedRows: z.int().min(0).max(1_000_000).nullish(),
  /**
   * munge: cells move towards those of the row's near neighbours;
   * spunge: cells are drawn from the whole column or jittered, whatever the neighbours are.
   */
  augmentation: z.enum(["munge", "spunge"]).default("spunge"),
  /** Probability that a cell is perturbed. */
  swapProbability: z.number().min(0).max(1).default(0.25),
  /**
   * munge: a number is drawn from a normal around the neighbour's with the deviation
   * |difference| / localVariance; spunge: around its own with deviation of the column / it.
   */
  localVariance: z.number().positive().default(5),
  /** Share of the teacher in the labels of the data's own rows; the rest is the true label. */
  teacherWeight: z.number().min(0).max(1).default(0.75),
});

/** How a student is taught, defaults filled in. */
export type DistillSettings = z.output<typeof distillSchema>;

/**
 * How many augmented rows a run over this many rows has.
 *
 * @param steps of a row that is a sequence, on average; else 1
 */
export function augmentedRowCount(settings: DistillSettings, rows: number, steps = 1): number {
  const most = Math.min(MOST_AUGMENTED_ROWS, Math.floor(MOST_AUGMENTED_STEPS / steps));
  return settings.augmentedRows ?? Math.min(AUGMENTED_PER_ROW * rows, most);
}
