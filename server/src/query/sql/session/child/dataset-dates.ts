/**
 * `dataset_dates(path)`: a table function that names the columns of a dataset's own file whose dates could be of
 * either order of day and month, as `read_dataset` calls them, with the order that they were read in.
 */

import { storedMetadataOf } from "@distillery/engine/arrow";
import { type DuckDBConnection, VARCHAR } from "@duckdb/node-api";
import { openArrowPath } from "../../../arrow/arrow-path.ts";
import { pathWithin, type Row, registerRows } from "../../../arrow/table-function.ts";

/** @param folder the only one whose files it reads, absolute */
export function registerDatasetDates(connection: DuckDBConnection, folder: string): void {
  registerRows(connection, {
    name: "dataset_dates",
    parameter: VARCHAR,
    columns: { name: VARCHAR, read_as: VARCHAR },
    rowsOf: (path) => guessesOf(pathWithin(String(path ?? ""), folder)),
  });
}

function guessesOf(path: string): Row[] {
  const { columns } = storedMetadataOf(openArrowPath(path));
  return columns.flatMap(({ either, slashed }, place) =>
    either && slashed !== undefined ? [[`c${place}`, slashed]] : [],
  );
}
