/** A column that a request names, or an error that names the closest there are. */

import { theClosest } from "../data/readers/column-names.ts";
import { shown } from "../data/shown.ts";
import { type Column, DataError, type Table } from "../data/table.ts";

export function findColumn(table: Table, name: string, role: string): Column {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column !== undefined) return column;
  const names = table.columns.map((candidate) => candidate.name);
  throw new DataError(
    `There is no column ${shown(name)} for the ${role}; ${theClosest(name, names)}.`,
    { column: name },
  );
}
