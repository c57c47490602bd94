/** Columns of dates that do not tell the order of day and month, read as who the rows are for wrote them. */

import { Field } from "apache-arrow";
import { COLUMN_WARNING, type DateOrder } from "./scan.ts";

/** The column with a warning that says so, and with more metadata. */
export function readAsLearned(
  { name, type, nullable, metadata }: Field,
  order: DateOrder,
  more: readonly (readonly [string, string])[] = [],
): Field {
  const written = order === "day-first" ? "day, month, year" : "month, day, year";
  const warning = `the column ${name} has dates that could be of either order; they are read as ${written}, as the model's training data were`;
  return new Field(
    name,
    type,
    nullable,
    new Map([...metadata, [COLUMN_WARNING, warning], ...more]),
  );
}
