/**
 * A file that is made of parts: each is written by itself, in any thread, and they follow each other
 * between a head and a tail. So a file is gone on with where its writing was broken off, to the same bytes.
 */

import type { OutputColumn, OutputField } from "../output-column.ts";

export interface WrittenPart {
  readonly bytes: Uint8Array;
  /** What the tail needs to know of it: JSON. */
  readonly said: unknown;
}

/** A part in its place. */
export interface PlacedPart {
  readonly rows: number;
  readonly bytes: number;
  readonly said: unknown;
}

export interface OutputFormat {
  readonly mediaType: string;
  readonly extension: string;
  head(fields: readonly OutputField[]): Uint8Array;
  /** @param columns of equal length, in the order of the fields */
  part(columns: readonly OutputColumn[], rows: number): WrittenPart;
  tail(fields: readonly OutputField[], parts: readonly PlacedPart[]): Uint8Array;
}
