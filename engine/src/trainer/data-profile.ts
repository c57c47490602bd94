/**
 * What the run's columns look like and a few of its rows, for the report. Made while the table is
 * at hand and kept as JSON in shared memory, so that it costs the run's tasks nothing.
 */

import { cellText } from "../data/coerce.ts";
import { type ColumnProfile, profileColumn } from "../data/profile.ts";
import type { Column, Table } from "../data/table.ts";
import { takeCells } from "../data/table-rows.ts";

export interface DataProfile {
  /** Of the run. */
  readonly rows: number;
  /** Rows that the columns were profiled on, evenly spaced. */
  readonly profiledRows: number;
  /** Columns that features are made of, and the label. */
  readonly columns: readonly ColumnProfile[];
  /** Some rows, evenly spaced, as a prediction request would give them. */
  readonly sample: {
    readonly columns: readonly string[];
    readonly data: readonly (readonly (string | number | boolean | null)[])[];
    /** Places of those rows among the run's. */
    readonly rows: readonly number[];
  };
}

export interface ProfiledColumns {
  /** Rows of the table, ascending; null = its first `count`. */
  readonly rows: Uint32Array | null;
  readonly count: number;
  /** Columns that features are made of. */
  readonly features: readonly string[];
  readonly label: string;
  /** Whether rows by themselves can be predicted, and so shown; default yes. */
  readonly isSampled?: boolean;
}

/** Cells profiled at most: sorting them takes about a second. */
const PROFILED_CELLS = 5_000_000;
const PROFILED_ROWS = 50_000;
const LEAST_PROFILED_ROWS = 2000;
/** Columns beyond are left out of the profile, not of the sample. */
const PROFILED_COLUMNS = 500;
const SAMPLE_ROWS = 600;
/** Wide tables bring fewer rows. */
const SAMPLE_CELLS = 200_000;

/** Over a SharedArrayBuffer. */
export function packDataProfile(table: Table, wanted: ProfiledColumns): Uint8Array {
  const { rows, count, features, label, isSampled = true } = wanted;
  const named = (name: string): Column[] => table.columns.filter((each) => each.name === name);
  const used = features.flatMap(named);
  const profiled = [...named(label), ...used].slice(0, PROFILED_COLUMNS);
  const most = Math.max(LEAST_PROFILED_ROWS, PROFILED_CELLS / Math.max(1, profiled.length));
  const places = evenlySpaced(count, Math.min(PROFILED_ROWS, most));
  const sampled = evenlySpaced(count, Math.min(SAMPLE_ROWS, SAMPLE_CELLS / (used.length || 1)));
  const rowOf = (place: number): number => (rows === null ? place : rows[place]);
  // A column at a time: they may be read anew each time that another was looked at.
  const cells = used.map((column) => {
    const taken = takeCells(column, sampled.map(rowOf));
    return Array.from(sampled, (_, at) => cell(taken, at));
  });
  const profile: DataProfile = {
    rows: count,
    profiledRows: places.length,
    columns: profiled.map((column) => profileColumn(takeCells(column, places.map(rowOf)))),
    sample: {
      columns: isSampled ? used.map(({ name }) => name) : [],
      data: isSampled ? Array.from(sampled, (_, at) => cells.map((column) => column[at])) : [],
      rows: isSampled ? [...sampled] : [],
    },
  };
  const bytes = new TextEncoder().encode(JSON.stringify(profile));
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

export function unpackDataProfile(packed: Uint8Array): DataProfile {
  // A text decoder takes no shared memory.
  return JSON.parse(new TextDecoder().decode(packed.slice()));
}

/** At most `most` of the places 0 … count - 1, ascending. */
export function evenlySpaced(count: number, most: number): Uint32Array {
  const taken = Math.max(1, Math.min(count, Math.floor(most)));
  return Uint32Array.from({ length: taken }, (_, i) => Math.floor((i * count) / taken));
}

/** JSON has no infinite numbers; they are shown as missing. */
function cell(column: Column, row: number): string | number | boolean | null {
  if (column.kind === "numeric") {
    return Number.isFinite(column.values[row]) ? column.values[row] : null;
  }
  if (column.kind === "boolean" && column.values[row] !== 255) return column.values[row] === 1;
  return cellText(column, row);
}
