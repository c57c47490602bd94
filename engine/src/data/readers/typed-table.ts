/** The end of reading a format whose columns have types of their own. */

import { DataError } from "../table.ts";
import type { ArrowColumnBuilder } from "./arrow-column.ts";
import { type BuiltColumn, type ReadOptions, type TableReading, tableOf } from "./reading.ts";

export function finishTable(
  builders: (ArrowColumnBuilder | null)[],
  rows: number,
  options: ReadOptions,
): TableReading {
  if (rows === 0) throw new DataError("The file has columns, but no rows.");
  return tableOf(rows, finished(builders), options);
}

/** Each is let go of before the next. */
function* finished(builders: (ArrowColumnBuilder | null)[]): Generator<BuiltColumn> {
  for (const [index, builder] of builders.entries()) {
    builders[index] = null;
    if (builder !== null) yield builder.finish();
  }
}
