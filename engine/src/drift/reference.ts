/**
 * How a model's columns and predictions were distributed when it was trained: what the rows that it
 * answers later are compared with. It is `reference.json` of a model's directory.
 */

import { z } from "zod";

const count = z.int().min(0);

const ofNumbers = z.object({
  /** Texts are compared by their lengths. */
  kind: z.enum(["numeric", "timestamp", "text"]),
  name: z.string(),
  /** Ascending; a number v is in the first bin whose edge is ≥ v, or in the last. */
  edges: z.array(z.number()),
  /** The least and the greatest finite number; null where there was none. */
  range: z.tuple([z.number(), z.number()]).nullable(),
  /** Rows of each bin: one more than edges. */
  counts: z.array(count).min(1),
  missing: count,
  /** Of the rows in bins, those beyond the range. */
  outside: count,
});

const ofCategories = z.object({
  kind: z.enum(["categorical", "boolean"]),
  name: z.string(),
  /** The most frequent, each with a bin of its own; all others share the last bin. */
  values: z.array(z.string()),
  /** Rows of each bin: one more than values. */
  counts: z.array(count).min(1),
  missing: count,
  /** Of the rows in bins, those whose category the model does not know. */
  outside: count,
});

const distributionSchema = z
  .discriminatedUnion("kind", [ofNumbers, ofCategories])
  .refine(
    (of) => of.counts.length === ("edges" in of ? of.edges : of.values).length + 1,
    "has one bin more than edges or values",
  );

const referenceSchema = z.object({
  version: z.literal(1),
  /** Rows that the columns were counted on: those of the run, evenly spaced where they are many. */
  rows: count,
  /** The most important first. */
  columns: z.array(distributionSchema),
  /** Columns of the model that are not among them, since there are so many. */
  omitted: count,
  /** Rows that fits predicted which had not learned from them. */
  predictedRows: count,
  /** Of the value, or of the probability of the second class; and of classes by themselves. */
  predictions: z.array(distributionSchema),
});

/** How one column, or the predictions, were distributed. */
export type Distribution = z.infer<typeof distributionSchema>;
/** How a model's columns and predictions were distributed when it was trained. */
export type DriftReference = z.infer<typeof referenceSchema>;

/** Those of an array of counts: bins, then missing ones, then those outside. */
export const placesOf = ({ counts }: Distribution): number => counts.length + 2;

/** Of an array of counts, the first of which is that of the rows. */
export function lengthOfCounts({ columns, predictions }: DriftReference): number {
  return [...columns, ...predictions].reduce((length, each) => length + placesOf(each), 1);
}

/** @throws SyntaxError, ZodError where it is none */
export function parseDriftReference(bytes: Uint8Array): DriftReference {
  return referenceSchema.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
}

export const packDriftReference = (reference: DriftReference): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify(reference)}\n`);
