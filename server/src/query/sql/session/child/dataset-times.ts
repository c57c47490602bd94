/**
 * `dataset_times(path)`: a table function that names the columns of times of a dataset's own file, as `read_dataset`
 * calls them. Those whose dates could be of either order of day and month have the order that they were read in;
 * those whose times all had zones are instants.
 */

import { storedMetadataOf } from "@distillery/engine/arrow";
import { BOOLEAN, type DuckDBConnection, VARCHAR } from "@duckdb/node-api";
import { openArrowPath } from "../../../arrow/arrow-path.ts";
import { pathWithin, type Row, registerRows } from "../../../arrow/table-function.ts";

/** @param folder the only one whose files it reads, absolute */
export function registerDatasetTimes(connection: DuckDBConnection, folder: string): void {
  registerRows(connection, {
    name: "dataset_times",
    parameter: VARCHAR,
    columns: { name: VARCHAR, read_as: VARCHAR, zoned: BOOLEAN },
    rowsOf: (path) => timesOf(pathWithin(String(path ?? ""), folder)),
  });
}

function timesOf(path: string): Row[] {
  const { columns } = storedMetadataOf(openArrowPath(path));
  return columns.flatMap(({ kind, either, slashed, zoned }, place) =>
    kind === "timestamp"
      ? [[`c${place}`, either && slashed !== undefined ? slashed : null, zoned ?? false]]
      : [],
  );
}
