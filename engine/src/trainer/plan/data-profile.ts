/**
 * What the run's columns look like and a few of its rows, for the report. Made while the table is
 * at hand and kept as JSON in shared memory, so that it costs the run's tasks nothing.
 */

import { cellText } from "../../data/coerce.ts";
import { type ColumnProfile, profileColumn } from "../../data/profile.ts";
import type { Column, Table } from "../../data/table.ts";
import { takeCells } from "../../data/table-rows.ts";

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

/** Cells profiled at most: sorting them takes half a second. */
const PROFILED_CELLS = 2_000_000;
const PROFILED_ROWS = 50_000;
const LEAST_PROFILED_ROWS = 2000;
/** Columns beyond are left out of the profile, not of the sample. */
const PROFILED_COLUMNS = 500;
const SAMPLE_ROWS = 600;
/** Wide tables bring fewer rows. */
const SAMPLE_CELLS = 200_000;

/** Takes what it shows of each column, one after another, while the column is at hand. */
export class DataProfiling {
  readonly #wanted: ProfiledColumns;
  /** Rows of the table that are profiled. */
  readonly #profiled: Uint32Array;
  /** Places of the sample's rows among the run's, and the same rows of the table. */
  readonly #sampled: Uint32Array;
  readonly #sampledRows: Uint32Array;
  readonly #columns: ColumnProfile[] = [];
  readonly #names: string[] = [];
  readonly #cells: (string | number | boolean | null)[][] = [];

  constructor(table: Table, wanted: ProfiledColumns) {
    this.#wanted = wanted;
    const { rows, count, features } = wanted;
    const rowsAt = (places: Uint32Array): Uint32Array =>
      rows === null ? places : places.map((place) => rows[place]);
    const names = new Set(table.columns.map(({ name }) => name));
    const used = features.filter((name) => names.has(name)).length;
    const profiled = Math.min(PROFILED_COLUMNS, used + 1);
    const most = Math.max(LEAST_PROFILED_ROWS, PROFILED_CELLS / Math.max(1, profiled));
    this.#profiled = rowsAt(evenlySpaced(count, Math.min(PROFILED_ROWS, most)));
    this.#sampled = evenlySpaced(count, Math.min(SAMPLE_ROWS, SAMPLE_CELLS / (used || 1)));
    this.#sampledRows = rowsAt(this.#sampled);
    for (const column of table.columns) {
      if (column.name === wanted.label) this.#profile(column);
    }
  }

  /** A column that features are made of, in their order. */
  add(column: Column): void {
    const taken = takeCells(column, this.#sampledRows);
    this.#names.push(column.name);
    this.#cells.push(Array.from(this.#sampled, (_, at) => cell(taken, at)));
    if (this.#columns.length < PROFILED_COLUMNS) this.#profile(column);
  }

  /** Over a SharedArrayBuffer. */
  pack(): Uint8Array {
    const { count, isSampled = true } = this.#wanted;
    const profile: DataProfile = {
      rows: count,
      profiledRows: this.#profiled.length,
      columns: this.#columns,
      sample: {
        columns: isSampled ? this.#names : [],
        data: isSampled
          ? Array.from(this.#sampled, (_, at) => this.#cells.map((column) => column[at]))
          : [],
        rows: isSampled ? [...this.#sampled] : [],
      },
    };
    const bytes = new TextEncoder().encode(JSON.stringify(profile));
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    return shared;
  }

  #profile(column: Column): void {
    this.#columns.push(profileColumn(takeCells(column, this.#profiled)));
  }
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
