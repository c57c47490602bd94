/** What table functions over Arrow's batches share: their place in the file system, their faults, their rows. */

import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { type ArrowBatch, ArrowFileError, inColumn } from "@distillery/engine/arrow";
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBTableFunction,
  type DuckDBType,
  type DuckDBValue,
} from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import { rangeOf } from "./vectors/selection.ts";
import { writeColumn } from "./vectors/write-column.ts";

/** Rows that a chunk takes. */
export const CHUNK_ROWS = duckdb.vector_size();

/** An exception would end the process; the query's error is its place. */
export function reporting(info: { setError(error: string): void }, work: () => void): void {
  try {
    work();
  } catch (error) {
    info.setError(error instanceof Error ? error.message : `${error}`);
  }
}

/** Neither `..` nor a link leads out of the folder. */
export function pathWithin(path: string, folder: string): string {
  const root = realpathSync(folder);
  let target: string;
  try {
    target = realpathSync(resolve(folder, path));
  } catch (cause) {
    throw new ArrowFileError("there is no such file", { cause });
  }
  if (!target.startsWith(root + sep))
    throw new ArrowFileError("the file lies outside what the query may read");
  return target;
}

/** A table function whose rows are few enough to be made at once. */
export interface RowsFunction {
  readonly name: string;
  /** Of its only parameter. */
  readonly parameter: DuckDBType;
  /** By name, in their order. */
  readonly columns: Readonly<Record<string, DuckDBType>>;
  readonly rowsOf: (parameter: DuckDBValue) => readonly Row[];
}

export type Row = readonly DuckDBValue[];

/** Makes it known to a connection, and with it to its instance. */
export function registerRows(
  connection: DuckDBConnection,
  { name, parameter, columns, rowsOf }: RowsFunction,
): void {
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name,
      parameterTypes: [parameter],
      bindFunction: (bind) => {
        reporting(bind, () => {
          bind.setBindData(new Rows(rowsOf(bind.getParameter(0))));
          for (const [column, type] of Object.entries(columns)) bind.addResultColumn(column, type);
        });
      },
      initFunction: (init) => {
        reporting(init, () => {
          const rows = init.getBindData();
          if (!(rows instanceof Rows)) throw new TypeError("the scan is not bound");
          init.setInitData(new Rows(rows.left));
        });
      },
      mainFunction: (info, chunk) => {
        chunk.rowCount = 0;
        reporting(info, () => {
          const rows = info.getInitData();
          if (!(rows instanceof Rows)) throw new TypeError("the scan is not begun");
          chunk.setRows(rows.next());
        });
      },
    }),
  );
}

/** What is left of a scan. */
class Rows {
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

/**
 * Rows of a batch into a chunk, as many as it takes.
 *
 * @param from the first of them
 * @param nameOf a column, by its place in the batch
 * @returns how many
 */
export function writeRows(
  chunk: DuckDBDataChunk,
  { columns, rows }: ArrowBatch,
  from: number,
  nameOf: (place: number) => string,
): number {
  const count = Math.min(CHUNK_ROWS, rows - from);
  chunk.rowCount = count;
  columns.forEach((column, place) => {
    inColumn(nameOf(place), () => {
      const vector = duckdb.data_chunk_get_vector(chunk.chunk, place);
      writeColumn(column, vector, rangeOf(from, count));
    });
  });
  return count;
}
