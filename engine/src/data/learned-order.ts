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
  const orders = new Map(sources.map((source) => [source.name, orderOf(source)]));
  const warnings: DataWarning[] = [];
  const columns = table.columns.map((column) => {
    const order = orders.get(column.name) ?? null;
    const read = order === null ? column : columnInOrder(column, order);
    if (order !== null && read !== column) warnings.push(warningOf(column.name, order));
    return read;
  });
  return { table: warnings.length === 0 ? table : { ...table, columns }, warnings };
}

/** How a model's training data wrote dates that a cell does not tell; null = in no such way. */
export const orderOf = (source: SourceColumn | undefined): SlashedOrder | null =>
  source?.kind === "timestamp" ? (source.slashed ?? null) : null;

/** The column itself where it tells its order, or has that one. */
export function columnInOrder(column: Column, order: SlashedOrder): Column {
  switch (column.kind) {
    case "timestamp":
      return timesInOrder(column, order);
    case "categorical":
    case "text":
      return textsInOrder(column, order);
    default:
      return column;
  }
}

/** Times stay times. */
export function timesInOrder(column: TimestampColumn, order: SlashedOrder): TimestampColumn {
  if (!column.either || column.slashed === order || order === "abbreviated") return column;
  return {
    kind: "timestamp",
    name: column.name,
    values: column.values.map(inOtherOrder),
    slashed: order,
  };
}

/** Texts that could be dates of either order, all in that one; what is none is for who refuses it. */
function textsInOrder(column: CategoricalColumn | TextColumn, order: SlashedOrder): Column {
  if (order === "abbreviated") return column;
  const texts = column.kind === "text" ? new Set(column.values) : column.categories;
  const dates: string[] = [];
  const times = new Map<string | null, number>();
  for (const text of texts) {
    if (text === null || isMissingText(text.trim())) {
      times.set(text, Number.NaN);
      continue;
    }
    const date = text.trim();
    const stamp = stampTextTime(date);
    const time = Number.isNaN(stamp) ? parseTimestamp(date, order) : stamp;
    if (!Number.isNaN(time)) times.set(text, time);
    if (isDate(date)) dates.push(date);
  }
  if (slashedOrder(dates)?.ambiguous !== true) return column;
  const cells =
    column.kind === "text"
      ? column.values
      : Array.from(column.codes, (code) => column.categories[code] ?? null);
  if (!cells.every((text) => text === null || times.has(text))) return column;
  const values = Float64Array.from(cells, (text) => times.get(text) ?? Number.NaN);
  return { kind: "timestamp", name: column.name, values, slashed: order };
}

function warningOf(name: string, order: SlashedOrder): DataWarning {
  const parts = order === "day-first" ? "day, month, year" : "month, day, year";
  const message = `Column ${shown(name)} has dates that could be of either order; they are read as ${parts}, as the model's training data were.`;
  return { message, column: name };
}
