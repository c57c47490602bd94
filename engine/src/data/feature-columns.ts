/**
 * A table seen through a schema: its features, one after another, computed as they are asked for,
 * so that never more than one encoded column lies beside the table.
 *
 * Columns that the table lacks are all missing, extra ones are ignored (both with a warning), and
 * columns of another kind are coerced where that makes sense.
 */

import { coerceColumn, missingColumn } from "./coerce.ts";
import type { Feature } from "./encoded.ts";
import { textPart, tokenSets } from "./expansion/text.ts";
import { timestampPart } from "./expansion/timestamp.ts";
import {
  type CategoricalSource,
  type FeatureSchema,
  type SourceColumn,
  schemaFeatures,
  type TextSource,
} from "./feature-schema.ts";
import { withoutStandIns } from "./literal-texts.ts";
import type { DataWarning } from "./readers/reading.ts";
import { shown } from "./shown.ts";
import type { Column, Table } from "./table.ts";
import { unseenWarning } from "./unseen-categories.ts";

export interface FeatureColumns {
  readonly features: readonly Feature[];
  readonly rows: number;
  /**
   * One array of `rows` values a feature, in the features' order; each is to be read only, and valid
   * only until the next is asked for. Categorical cells hold the category's code, or the number of categories
   * where the category is not in the schema; NaN is missing.
   */
  columns(): Generator<Float64Array>;
}

/**
 * @param onColumn hears of each column of the table that is there, while it is at hand
 * @param rows the rows of the table to take, in this order; null = all
 * @param onWarning hears of absent, extra and unseen things, once
 */
export function featureColumns(
  schema: FeatureSchema,
  table: Table,
  rows: Uint32Array | null = null,
  onWarning: (warning: DataWarning) => void = () => {},
  onColumn: (column: Column) => void = () => {},
): FeatureColumns {
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  const unread = table.unread ?? [];
  for (const message of differences(schema, [...byName.keys(), ...unread])) onWarning(message);
  const count = rows?.length ?? table.rows;
  return {
    features: schemaFeatures(schema.columns),
    rows: count,
    *columns() {
      const out = new Float64Array(count);
      for (const source of schema.columns) {
        const known = byName.get(source.name);
        if (known) onColumn(known);
        const column = known ?? missingColumn(source.name, source.kind, table.rows);
        yield* expandColumn(source, column, rows, out, onWarning);
      }
    },
  };
}

/** The features of one source column, one after another in `out`. */
function* expandColumn(
  source: SourceColumn,
  given: Column,
  rows: Uint32Array | null,
  out: Float64Array,
  onWarning: (warning: DataWarning) => void,
): Generator<Float64Array> {
  const column = withoutStandIns(source, coerceColumn(given, source.kind));
  if (source.kind === "categorical" && column.kind === "categorical") {
    encodeCategories(source, column.codes, column.categories, rows, out, onWarning);
    yield out;
  } else if (source.kind === "timestamp" && column.kind === "timestamp") {
    for (const part of source.parts) {
      timestampPart(column.values, rows, part, source.origin, out);
      yield out;
    }
  } else if (source.kind === "text" && column.kind === "text") {
    yield* encodeText(source, column.values, rows, out);
  } else if (column.kind === "boolean") {
    for (let i = 0; i < out.length; i++) {
      const value = column.values[rows === null ? i : rows[i]];
      out[i] = value === 255 ? Number.NaN : value;
    }
    yield out;
  } else if (column.kind === "numeric") {
    if (rows === null) {
      yield column.values;
      return;
    }
    for (let i = 0; i < out.length; i++) out[i] = column.values[rows[i]];
    yield out;
  }
}

function* encodeText(
  source: TextSource,
  texts: readonly (string | null)[],
  rows: Uint32Array | null,
  out: Float64Array,
): Generator<Float64Array> {
  for (const part of source.parts) {
    textPart(texts, rows, part, out);
    yield out;
  }
  if (source.tokens.length === 0) return;
  const sets = tokenSets(texts, rows, source.tokens);
  for (let bit = 0; bit < source.tokens.length; bit++) {
    for (let i = 0; i < out.length; i++) {
      const missing = texts[rows === null ? i : rows[i]] === null;
      out[i] = missing ? Number.NaN : (sets[i] >>> bit) & 1;
    }
    yield out;
  }
}

function encodeCategories(
  source: CategoricalSource,
  codes: Int32Array,
  categories: readonly string[],
  rows: Uint32Array | null,
  out: Float64Array,
  onWarning: (warning: DataWarning) => void,
): void {
  const known = new Map(source.categories.map((category, code) => [category, code]));
  const unseen = source.categories.length;
  const meaning = Float64Array.from(categories, (category) => known.get(category) ?? unseen);
  let unseenRows = 0;
  let example = -1;
  for (let i = 0; i < out.length; i++) {
    const code = codes[rows === null ? i : rows[i]];
    out[i] = code < 0 ? Number.NaN : meaning[code];
    if (out[i] === unseen) {
      unseenRows++;
      if (example < 0) example = code;
    }
  }
  if (unseenRows === 0 || source.omitted > 0) return;
  onWarning(unseenWarning(source.name, categories[example], unseenRows, out.length));
}

function* differences(schema: FeatureSchema, names: readonly string[]): Generator<DataWarning> {
  const there = new Set(names);
  const known = new Set(schema.dropped.map((column) => column.name));
  for (const source of schema.columns) {
    known.add(source.name);
    if (there.has(source.name)) continue;
    yield {
      message: `Column ${shown(source.name)} is absent and treated as missing in every row.`,
      column: source.name,
    };
  }
  for (const name of there) {
    if (known.has(name)) continue;
    yield {
      message: `Column ${shown(name)} was not in the training data and is ignored.`,
      column: name,
    };
  }
}
