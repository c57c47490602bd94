/** From a table to the schema of its features. */

import { isMissingCell } from "./coerce.ts";
import { frequentTokens, varyingTextParts } from "./expansion/text.ts";
import { varyingParts } from "./expansion/timestamp.ts";
import type { DroppedColumn, FeatureSchema, SourceColumn } from "./feature-schema.ts";
import { literalTexts } from "./literal-texts.ts";
import { theClosest } from "./readers/column-names.ts";
import { shown } from "./shown.ts";
import { type CategoricalColumn, type Column, DataError, type Table } from "./table.ts";

/** The most categories a column keeps; the rarest beyond are treated like unseen ones. */
export const MAX_CATEGORIES = 10_000;

export interface FeatureSchemaOptions {
  /** Columns that are no features: the label, weights, ids. An unknown name is an error. */
  readonly exclude?: readonly string[];
  /** The rows to learn categories and words from; absent = all. */
  readonly rows?: Uint32Array | null;
  /** Whether there may be no feature at all, since there is a frame to learn from. */
  readonly mayBeEmpty?: boolean;
  /** Hears of each column that is kept, while it is at hand. */
  readonly onKept?: (column: Column) => void;
}

/**
 * Fits the schema of all columns but the excluded. Columns without values or with one value only
 * are dropped, and listed with the reason.
 *
 * @throws DataError where no column is left, unless there may be none
 */
export function fitFeatureSchema(table: Table, options: FeatureSchemaOptions = {}): FeatureSchema {
  const names = table.columns.map((column) => column.name);
  for (const name of options.exclude ?? []) {
    if (names.includes(name)) continue;
    throw new DataError(
      `There is no column ${shown(name)} to leave out; ${theClosest(name, names)}.`,
      { column: name },
    );
  }
  const fitting = new SchemaFitting(options);
  for (const column of table.columns) if (fitting.add(column)) options.onKept?.(column);
  return fitting.finish();
}

/** The same, a column at a time. */
class SchemaFitting {
  readonly #exclude: ReadonlySet<string>;
  readonly #rows: Uint32Array | null;
  readonly #mayBeEmpty: boolean;
  readonly #columns: SourceColumn[] = [];
  readonly #dropped: DroppedColumn[] = [];
  readonly #notes: string[] = [];

  constructor(options: FeatureSchemaOptions) {
    this.#exclude = new Set(options.exclude ?? []);
    this.#rows = options.rows ?? null;
    this.#mayBeEmpty = options.mayBeEmpty ?? false;
  }

  /** The column's place in the schema, or null where it is dropped. */
  add(column: Column): SourceColumn | null {
    const { name, kind } = column;
    const fitted = this.#exclude.has(name) ? "excluded" : this.#fit(column);
    if (typeof fitted === "string") {
      this.#dropped.push({ name, kind, reason: fitted });
      return null;
    }
    this.#columns.push(fitted);
    return fitted;
  }

  finish(): FeatureSchema {
    if (this.#columns.length === 0 && !this.#mayBeEmpty) {
      const reasons = this.#dropped.map(({ name, reason }) => `${shown(name)} (${reason})`);
      throw new DataError(
        `No column is left to learn from: ${reasons.slice(0, 20).join(", ")}${reasons.length > 20 ? ", …" : ""}.`,
      );
    }
    return { columns: this.#columns, dropped: this.#dropped, notes: this.#notes };
  }

  #fit(column: Column): SourceColumn | "empty" | "constant" {
    const rows = this.#rows;
    const spread = variety(column, rows);
    if (spread !== "varying") return spread;
    const { name } = column;
    switch (column.kind) {
      case "numeric":
      case "boolean":
        return { kind: column.kind, name };
      case "categorical":
        return this.#fitCategories(column);
      case "timestamp": {
        let origin = Number.POSITIVE_INFINITY;
        for (const time of cells(column.values, rows)) {
          if (Number.isFinite(time) && time < origin) origin = time;
        }
        if (!Number.isFinite(origin)) return "empty";
        const parts = varyingParts(column.values, rows, origin);
        // One time beside missing cells: that a time is there is what can be learned.
        return {
          kind: "timestamp",
          name,
          origin,
          parts: parts.length ? parts : ["elapsed_days"],
          ...(column.slashed ? { slashed: column.slashed } : {}),
        };
      }
      case "text": {
        const parts = varyingTextParts(column.values, rows);
        const tokens = frequentTokens(column.values, rows);
        const kept = { tokens, literalTexts: literalTexts(column.values, rows) };
        if (parts.length + tokens.length > 0) return { kind: "text", name, parts, ...kept };
        if (hasMissing(column.values, rows)) {
          return { kind: "text", name, parts: ["length"], ...kept };
        }
        this.#notes.push(
          `Column ${shown(name)} is text of one form without common words, like identifiers; it is left out.`,
        );
        return "constant";
      }
    }
  }

  #fitCategories(column: CategoricalColumn): SourceColumn {
    const counts = new Uint32Array(column.categories.length);
    // First sight among these rows: rows that a filter left out must not show in the order.
    const order: number[] = [];
    for (const code of cells(column.codes, this.#rows)) {
      if (code >= 0 && counts[code]++ === 0) order.push(code);
    }
    order.sort((a, b) => counts[b] - counts[a]);
    const omitted = Math.max(0, order.length - MAX_CATEGORIES);
    if (omitted > 0) {
      this.#notes.push(
        `Column ${shown(column.name)} has ${order.length} categories; the ${MAX_CATEGORIES} most frequent are kept and the other ${omitted} are treated like unseen ones.`,
      );
    }
    const categories = order.slice(0, MAX_CATEGORIES).map((code) => column.categories[code]);
    return { kind: "categorical", name: column.name, categories, omitted };
  }
}

function* cells<T>(values: ArrayLike<T>, rows: Uint32Array | null): Generator<T> {
  const count = rows?.length ?? values.length;
  for (let i = 0; i < count; i++) yield values[rows === null ? i : rows[i]];
}

function hasMissing(values: ArrayLike<unknown>, rows: Uint32Array | null): boolean {
  for (const value of cells(values, rows)) if (value === null) return true;
  return false;
}

/** Whether a column has values, and whether it has more than one thing to say. */
function variety(column: Column, rows: Uint32Array | null): "empty" | "constant" | "varying" {
  const values: ArrayLike<unknown> = column.kind === "categorical" ? column.codes : column.values;
  const count = rows?.length ?? values.length;
  let first: unknown;
  let seen = false;
  let missing = false;
  for (let i = 0; i < count; i++) {
    const row = rows === null ? i : rows[i];
    if (isMissingCell(column, row)) missing = true;
    else if (!seen) {
      first = values[row];
      seen = true;
    } else if (values[row] !== first) return "varying";
    if (seen && missing) return "varying";
  }
  return seen ? "constant" : "empty";
}
