/** The end of reading a format whose columns have types of their own. */

import { type Column, DataError } from "../table.ts";
import type { ArrowColumnBuilder } from "./arrow-column.ts";
import type { DataWarning, TableReading } from "./reading.ts";

export function finishTable(
  builders: readonly (ArrowColumnBuilder | null)[],
  rows: number,
): TableReading {
  if (rows === 0) throw new DataError("The file has columns, but no rows.");
  const columns: Column[] = [];
  const warnings: DataWarning[] = [];
  for (const builder of builders) {
    if (builder === null) continue;
    const built = builder.finish();
    columns.push(built.column);
    warnings.push(...built.warnings);
  }
  return { table: { rows, columns }, warnings };
}
