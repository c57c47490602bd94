/**
 * Dates whose columns do not tell whether the day or the month stands first, in the order of a model's training data: of
 * twelve days a month each is a date either way, and a guess that a table is read by may be another one than the model's.
 */

import type { FeatureSchema, SourceColumn } from "./feature-schema.ts";
import { isMissingText } from "./readers/missing.ts";
import type { DataWarning } from "./readers/reading.ts";
import { stampTextTime } from "./readers/stamps.ts";
import {
  inOtherOrder,
  isDate,
  parseTimestamp,
  type SlashedOrder,
  slashedOrder,
} from "./readers/timestamp-text.ts";
import { shown } from "./shown.ts";
import type { CategoricalColumn, Column, Table, TextColumn, TimestampColumn } from "./table.ts";

/** A table as a model reads it, with a warning of each column that other readers would read otherwise. */
export function inLearnedOrder(
  table: Table,
  { columns: sources }: Pick<FeatureSchema, "columns">,
): { readonly table: Table; readonly warnings: readonly DataWarning[] } {
  const times = new Map(
    sources.flatMap((source) =>
      source.kind === "timestamp" ? [[source.name, orderOf(source)] as const] : [],
    ),
  );
  const warnings: DataWarning[] = [];
  const columns = table.columns.map((column) => {
    const order = times.get(column.name);
    if (order === undefined) return column;
    if (column.kind === "timestamp") {
      const read = order === null ? column : timesInOrder(column, order);
      if (order !== null && read !== column) warnings.push(warningOf(column.name, order));
      return read;
    }
    if (column.kind !== "categorical" && column.kind !== "text") return column;
    const { read, learned } = textsInOrder(column, order);
    if (learned !== null) warnings.push(warningOf(column.name, learned));
    return read;
  });
  return { table: { ...table, columns }, warnings };
}

/** How a model's training data wrote dates that a cell does not tell; null = in no such way. */
export const orderOf = (source: SourceColumn | undefined): SlashedOrder | null =>
  source?.kind === "timestamp" ? (source.slashed ?? null) : null;

/** The column itself where it tells its order, or has that one. */
export function timesInOrder(column: TimestampColumn, order: SlashedOrder): TimestampColumn {
  if (!column.either || column.slashed === order || order === "abbreviated") return column;
  const { name, values } = column;
  return { kind: "timestamp", name, values: values.map(inOtherOrder), slashed: order };
}

interface TextsRead {
  readonly read: Column;
  /** The order that was learned, where the texts could be of either; else null. */
  readonly learned: SlashedOrder | null;
}

/**
 * Texts as times, of which those that are none do not decide the order. The column itself where a cell is none: that is for
 * who refuses it.
 */
function textsInOrder(
  column: CategoricalColumn | TextColumn,
  order: SlashedOrder | null,
): TextsRead {
  const isText = column.kind === "text";
  const texts = isText ? new Set(column.values) : column.categories;
  const dates = Array.from(texts, (text) => text?.trim() ?? "").filter(isDate);
  const found = slashedOrder(dates);
  const learned = found?.ambiguous === true && order !== "abbreviated" ? order : null;
  const times = new Map<string | null, number>([[null, Number.NaN]]);
  for (const text of texts) {
    if (text === null) continue;
    const time = timeOf(text.trim(), learned ?? found?.order ?? null);
    if (!Number.isNaN(time) || isMissingText(text.trim())) times.set(text, time);
  }
  const cells = isText
    ? column.values
    : Array.from(column.codes, (code) => column.categories[code] ?? null);
  if (!cells.every((text) => times.has(text))) return { read: column, learned: null };
  const values = Float64Array.from(cells, (text) => times.get(text) ?? Number.NaN);
  return { read: { kind: "timestamp", name: column.name, values }, learned };
}

function timeOf(text: string, order: SlashedOrder | null): number {
  const stamp = stampTextTime(text);
  return Number.isNaN(stamp) ? parseTimestamp(text, order) : stamp;
}

function warningOf(name: string, order: SlashedOrder): DataWarning {
  const parts = order === "day-first" ? "day, month, year" : "month, day, year";
  const message = `Column ${shown(name)} has dates that could be of either order; they are read as ${parts}, as the model's training data were.`;
  return { message, column: name };
}
