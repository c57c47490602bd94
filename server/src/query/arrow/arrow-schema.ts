/**
 * `arrow_schema(paths)`: a table function that tells of Arrow IPC files what the types of `read_arrow`'s
 * columns do not: a row a column of each file, with whether it holds decimals beyond DuckDB's digits, and
 * times in nanoseconds where DuckDB has microseconds.
 */

import { basename } from "node:path";
import { ArrowFileError, ArrowSchemaError } from "@distillery/engine/arrow";
import { BOOLEAN, type DuckDBConnection, DuckDBListValue, LIST, VARCHAR } from "@duckdb/node-api";
import { openArrowPath } from "./arrow-path.ts";
import { cutsTimes, hasWideDecimals } from "./duckdb-type.ts";
import { pathWithin, type Row, registerRows } from "./table-function.ts";

/**
 * Makes `arrow_schema` known to a connection, and with it to its instance.
 *
 * @param folder the only one whose files it reads, absolute
 */
export function registerArrowSchema(connection: DuckDBConnection, folder: string): void {
  registerRows(connection, {
    name: "arrow_schema",
    parameter: LIST(VARCHAR),
    columns: {
      file_name: VARCHAR,
      name: VARCHAR,
      has_wide_decimals: BOOLEAN,
      cuts_times: BOOLEAN,
    },
    rowsOf: (list) => {
      const paths = list instanceof DuckDBListValue ? list.items : [];
      return paths.flatMap((path) => columnsOf(`${path}`, folder));
    },
  });
}

function columnsOf(path: string, folder: string): Row[] {
  try {
    const { fields } = openArrowPath(pathWithin(path, folder));
    return fields.map((field) => [path, field.name, hasWideDecimals(field), cutsTimes(field)]);
  } catch (error) {
    if (!(error instanceof ArrowFileError || error instanceof ArrowSchemaError)) throw error;
    throw new ArrowFileError(`${basename(path)}: ${error.message}`, { cause: error });
  }
}
