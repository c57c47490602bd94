/** The rows that a model is asked about, as its members read them. */

import type { Arena } from "../compute/arena.ts";
import { encodeFeatures, freeEncoded } from "../data/encode.ts";
import type { EncodedData, FeatureBins } from "../data/encoded.ts";
import type { FeatureSchema } from "../data/feature-schema.ts";
import { type Frame, takeSequences } from "../data/frame.ts";
import type { Table } from "../data/table.ts";
import { consecutive } from "../data/table-rows.ts";
import { joinedWarnings } from "../data/unseen-categories.ts";
import type { AnswerKey, SavedFrame } from "../tasks/framing.ts";

/** Rows encoded at a time, so that a large request needs bounded memory. */
const BATCH_ROWS = 65_536;

/** A table's rows, or what framing made of them. */
export interface GivenRows {
  readonly table: Table;
  /** Predictions. */
  readonly count: number;
  readonly frame: Frame | null;
  /** Rows of the table that are predicted; null = all. */
  readonly rows: Uint32Array | null;
  /** Of the predictions, those that are answered; null = all. */
  readonly answered: Uint32Array | null;
  readonly keys: readonly AnswerKey[] | null;
  /** Makes predictions sum up, in place; absent: they need not. */
  readonly reconcile?: (values: Float64Array) => void;
  readonly warnings: readonly string[];
}

/** How the rows of a table become what the members read. */
export interface ModelEncoding {
  /** Of each encoder. */
  readonly bins: readonly (readonly FeatureBins[])[];
  readonly reads: { readonly values: boolean; readonly bins: boolean };
  /** Of kinds whose rows are made of several of a table's; else null. */
  readonly frame: SavedFrame | null;
}

/** What encodes the rows of a table, by a schema. */
export interface RowEncoder {
  readonly encoding: ModelEncoding;
  /** Holds the rows while they are predicted. */
  readonly arena: Arena;
}

/**
 * Lends rows of a table by each of a model's encoders.
 *
 * @param rows of it, in this order; null = all
 * @param byRow whether bins are read row by row
 * @param warnings gathers what reading them says
 */
export function withEncoded<Result>(
  schema: FeatureSchema,
  { encoding, arena }: RowEncoder,
  table: Table,
  rows: Uint32Array | null,
  byRow: boolean,
  warnings: Set<string>,
  use: (encoded: readonly EncodedData[]) => Result,
): Result {
  const { bins: encoders, reads } = encoding;
  const encoded: EncodedData[] = [];
  try {
    for (const bins of encoders) {
      encoded.push(
        encodeFeatures(schema, table, arena, {
          bins: reads.bins ? bins : null,
          values: reads.values,
          byRow,
          rows,
          onWarning: ({ message }) => warnings.add(message),
        }),
      );
    }
    return use(encoded);
  } finally {
    for (const data of encoded) freeEncoded(data);
  }
}

/**
 * Encodes rows a batch at a time.
 *
 * @param byRow whether bins are read row by row
 * @param action is given the rows of a part of the table by each encoder, the place of their first prediction
 *   among all, and how many predictions they are
 * @returns warnings of what was read
 */
export function forBatches(
  schema: FeatureSchema,
  encoder: RowEncoder,
  { table, frame, rows }: GivenRows,
  byRow: boolean,
  action: (encoded: readonly EncodedData[], first: number, count: number) => void,
): string[] {
  const parts: string[][] = [];
  // What is forecast of a series is read beside all of its past.
  const size = frame?.kind === "series" ? table.rows : BATCH_ROWS;
  for (let first = 0; first < table.rows; first += size) {
    const count = Math.min(size, table.rows - first);
    // A batch of all rows is the columns as they are.
    const places = count === table.rows ? null : consecutive(first, count);
    const part = frame && places ? partOf(frame, places) : frame;
    const warnings = new Set<string>();
    withEncoded(schema, encoder, table, places, byRow, warnings, (encoded) =>
      action(
        part ? encoded.map((data) => ({ ...data, frame: part })) : encoded,
        first,
        rows?.length ?? count,
      ),
    );
    parts.push([...warnings]);
  }
  return parts.length === 1 ? parts[0] : joinedWarnings(parts, schema, table.rows);
}

function partOf(frame: Frame, rows: Uint32Array): Frame {
  return frame.kind === "series" ? frame : takeSequences(frame, rows);
}
