/**
 * `dataset_dates(path)`: a table function that names the columns of a dataset's own file whose dates could be of
 * either order of day and month, as `read_dataset` calls them, with the order that they were read in.
 */

import { storedMetadataOf } from "@distillery/engine/arrow";
import { type DuckDBConnection, DuckDBTableFunction, VARCHAR } from "@duckdb/node-api";
import { openArrowPath } from "../../../arrow/arrow-path.ts";
import { CHUNK_ROWS, pathWithin, reporting } from "../../../arrow/table-function.ts";

/** @param folder the only one whose files it reads, absolute */
export function registerDatasetDates(connection: DuckDBConnection, folder: string): void {
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: "dataset_dates",
      parameterTypes: [VARCHAR],
      bindFunction: (bind) => {
        reporting(bind, () => {
          const path = pathWithin(String(bind.getParameter(0) ?? ""), folder);
          bind.setBindData(new Guesses(guessesOf(path)));
          bind.addResultColumn("name", VARCHAR);
          bind.addResultColumn("read_as", VARCHAR);
        });
      },
      initFunction: (init) => {
        reporting(init, () => {
          const guesses = init.getBindData();
          if (!(guesses instanceof Guesses)) throw new TypeError("the scan is not bound");
          init.setInitData(new Guesses(guesses.left));
        });
      },
      mainFunction: (info, chunk) => {
        chunk.rowCount = 0;
        reporting(info, () => {
          const guesses = info.getInitData();
          if (!(guesses instanceof Guesses)) throw new TypeError("the scan is not begun");
          chunk.setRows(guesses.next());
        });
      },
    }),
  );
}

type Guess = [name: string, readAs: string];

function guessesOf(path: string): Guess[] {
  const { columns } = storedMetadataOf(openArrowPath(path));
  return columns.flatMap(({ either, slashed }, place): Guess[] =>
    either && slashed !== undefined ? [[`c${place}`, slashed]] : [],
  );
}

/** What is left of a scan. */
class Guesses {
  left: readonly Guess[];

  constructor(rows: readonly Guess[]) {
    this.left = rows;
  }

  next(): Guess[] {
    const rows = this.left.slice(0, CHUNK_ROWS);
    this.left = this.left.slice(CHUNK_ROWS);
    return rows;
  }
}
