/** The end of reading a format whose columns have types of their own. */

import { DataError } from "../table.ts";
import type { ArrowColumnBuilder } from "./arrow-column.ts";
import { type TableReading, tableOf } from "./reading.ts";

export function finishTable(
  builders: readonly (ArrowColumnBuilder | null)[],
  rows: number,
): TableReading {
  if (rows === 0) throw new DataError("The file has columns, but no rows.");
  const wanted = builders.filter((builder) => builder !== null);
  return tableOf(
    rows,
    wanted.map((builder) => builder.finish()),
  );
}
