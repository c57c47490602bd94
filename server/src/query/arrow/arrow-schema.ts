/**
 * `arrow_schema(paths)`: a table function that tells of Arrow IPC files what the types of `read_arrow`'s
 * columns do not: a row a column of each file, with whether it holds decimals beyond DuckDB's digits, and
 * times in nanoseconds where DuckDB has microseconds.
 */

import { basename } from "node:path";
import { ArrowFileError, ArrowSchemaError } from "@distillery/engine/arrow";
import {
  BOOLEAN,
  type DuckDBConnection,
  DuckDBListValue,
  DuckDBTableFunction,
  type DuckDBValue,
  LIST,
  VARCHAR,
} from "@duckdb/node-api";
import { openArrowPath } from "./arrow-path.ts";
import { cutsTimes, hasWideDecimals } from "./duckdb-type.ts";
import { CHUNK_ROWS, pathWithin, reporting } from "./table-function.ts";

/**
 * Makes `arrow_schema` known to a connection, and with it to its instance.
 *
 * @param folder the only one whose files it reads, absolute
 */
export function registerArrowSchema(connection: DuckDBConnection, folder: string): void {
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: "arrow_schema",
      parameterTypes: [LIST(VARCHAR)],
      bindFunction: (bind) => {
        reporting(bind, () => {
          const list = bind.getParameter(0);
          const paths = list instanceof DuckDBListValue ? list.items : [];
          bind.setBindData(new Columns(paths.flatMap((path) => columnsOf(`${path}`, folder))));
          bind.addResultColumn("file_name", VARCHAR);
          bind.addResultColumn("name", VARCHAR);
          bind.addResultColumn("has_wide_decimals", BOOLEAN);
          bind.addResultColumn("cuts_times", BOOLEAN);
        });
      },
      initFunction: (init) => {
        reporting(init, () => {
          const columns = init.getBindData();
          if (!(columns instanceof Columns)) throw new TypeError("the scan is not bound");
          init.setInitData(new Columns(columns.left));
        });
      },
      mainFunction: (info, chunk) => {
        chunk.rowCount = 0;
        reporting(info, () => {
          const columns = info.getInitData();
          if (!(columns instanceof Columns)) throw new TypeError("the scan is not begun");
          chunk.setRows(columns.next());
        });
      },
    }),
  );
}

type Row = readonly DuckDBValue[];

function columnsOf(path: string, folder: string): Row[] {
  try {
    const { fields } = openArrowPath(pathWithin(path, folder));
    return fields.map((field) => [path, field.name, hasWideDecimals(field), cutsTimes(field)]);
  } catch (error) {
    if (!(error instanceof ArrowFileError || error instanceof ArrowSchemaError)) throw error;
    throw new ArrowFileError(`${basename(path)}: ${error.message}`, { cause: error });
  }
}

/** One scan's place in the rows. */
class Columns {
  left: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.left = rows;
  }

  next(): readonly Row[] {
    const rows = this.left.slice(0, CHUNK_ROWS);
    this.left = this.left.slice(CHUNK_ROWS);
    return rows;
  }
}
