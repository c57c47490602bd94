/**
 * `read_arrow(paths)`: a table function over Arrow IPC files and streams, which DuckDB itself cannot
 * read. It takes a list of paths within one folder, reads only the buffers of the columns that a query
 * needs, one record batch at a time, and undoes LZ4 and ZSTD compression and dictionaries.
 *
 * It runs on the thread of the event loop, a call for each 2,048 rows, while DuckDB's threads wait.
 */

import { basename } from "node:path";
import {
  type ArrowBatch,
  ArrowFileError,
  ArrowSchemaError,
  batchesOf,
} from "@distillery/engine/arrow";
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBListValue,
  DuckDBTableFunction,
  type DuckDBTableFunctionBindInfo,
  LIST,
  VARCHAR,
} from "@duckdb/node-api";
import type { Field } from "apache-arrow";
import { type ArrowPath, openArrowPath } from "./arrow-path.ts";
import { duckdbLogicalTypeOf } from "./duckdb-logical-type.ts";
import { ArrowTypeError, duckdbTypeOf } from "./duckdb-type.ts";
import { pathWithin, reporting, writeRows } from "./table-function.ts";

/**
 * Makes `read_arrow` known to a connection, and with it to its instance.
 *
 * @param folder the only one whose files it reads, absolute
 */
export function registerReadArrow(connection: DuckDBConnection, folder: string): void {
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: "read_arrow",
      parameterTypes: [LIST(VARCHAR)],
      supportsProjectionPushdown: true,
      bindFunction: (bind) => {
        reporting(bind, () => bindFiles(bind, folder));
      },
      initFunction: (init) => {
        reporting(init, () => {
          const files = init.getBindData();
          if (!(files instanceof BoundFiles)) throw new TypeError("the scan is not bound");
          init.setInitData(new Scan(files, init.getColumnIndexes()));
        });
      },
      mainFunction: (info, chunk) => {
        chunk.rowCount = 0;
        reporting(info, () => {
          const scan = info.getInitData();
          if (!(scan instanceof Scan)) throw new TypeError("the scan is not begun");
          scan.fill(chunk);
        });
      },
    }),
  );
}

function bindFiles(bind: DuckDBTableFunctionBindInfo, folder: string): void {
  const list = bind.getParameter(0);
  const paths = list instanceof DuckDBListValue ? list.items : [];
  if (paths.length === 0) throw new ArrowFileError("read_arrow needs the path of a file");
  const files = paths.map((path) => {
    if (typeof path !== "string") throw new ArrowFileError("read_arrow takes paths, not NULL");
    return inFile(path, () => openArrowPath(pathWithin(path, folder)));
  });
  const [first, ...others] = files;
  const { fields } = first!;
  if (fields.length === 0)
    throw new ArrowFileError(`${basename(first!.path)}: the file has no columns`);
  for (const field of fields)
    bind.addResultColumn(
      field.name,
      inFile(first!.path, () => duckdbLogicalTypeOf(field)),
    );
  const places = others.map((other) => placesIn(other, first!));
  bind.setBindData(new BoundFiles(files, [fields.map((_, i) => i), ...places]));
}

/** Where a file has the columns of the first; they may stand in another order. */
function placesIn(file: ArrowPath, first: ArrowPath): number[] {
  return inFile(file.path, () => {
    if (file.fields.length !== first.fields.length)
      throw new ArrowFileError(
        `it has ${file.fields.length} columns, and ${basename(first.path)} has ${first.fields.length}`,
      );
    return first.fields.map((field) => {
      const place = file.fields.findIndex(({ name }) => name === field.name);
      const found = file.fields[place];
      if (found === undefined)
        throw new ArrowFileError(
          `it has no column ${JSON.stringify(field.name)}, which ${basename(first.path)} has`,
        );
      const [type, expected] = [
        duckdbTypeOf(withoutMetadata(found)),
        duckdbTypeOf(withoutMetadata(field)),
      ];
      if (type !== expected)
        throw new ArrowFileError(
          `column ${JSON.stringify(field.name)} is ${type}, and ${expected} in ${basename(first.path)}`,
        );
      return place;
    });
  });
}

function withoutMetadata(field: Field): Field {
  return field.clone({ metadata: new Map() });
}

/** Names the file in what goes wrong with it. */
function inFile<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw faultIn(path, error);
  }
}

function faultIn(path: string, error: unknown): unknown {
  const isFault =
    error instanceof ArrowFileError ||
    error instanceof ArrowSchemaError ||
    error instanceof ArrowTypeError;
  return isFault
    ? new ArrowFileError(`${basename(path)}: ${error.message}`, { cause: error })
    : error;
}

class BoundFiles {
  readonly files: readonly ArrowPath[];
  /** For each file, where it has the columns. */
  readonly places: readonly (readonly number[])[];

  constructor(files: readonly ArrowPath[], places: readonly (readonly number[])[]) {
    this.files = files;
    this.places = places;
  }
}

/** One scan's place in its files. */
class Scan {
  readonly #bound: BoundFiles;
  readonly #columns: readonly number[];
  readonly #batches: Generator<ArrowBatch, void>;
  #batch: ArrowBatch | null = null;
  #row = 0;
  #path = "";

  constructor(bound: BoundFiles, columns: readonly number[]) {
    this.#bound = bound;
    this.#columns = columns;
    this.#batches = this.#all();
  }

  /** The next rows; none when there are no more. */
  fill(chunk: DuckDBDataChunk): void {
    try {
      if (this.#advance()) this.#write(chunk, this.#batch!);
    } catch (error) {
      // Half a chunk is nobody's.
      chunk.rowCount = 0;
      throw faultIn(this.#path, error);
    }
  }

  /** To a batch with rows left; false where there is none. */
  #advance(): boolean {
    while (this.#batch === null || this.#row === this.#batch.rows) {
      const next = this.#batches.next();
      if (next.done === true) return false;
      this.#batch = next.value;
      this.#row = 0;
    }
    return true;
  }

  #write(chunk: DuckDBDataChunk, batch: ArrowBatch): void {
    const { fields } = this.#bound.files[0]!;
    const nameOf = (index: number): string => fields[this.#columns[index]!]!.name;
    this.#row += writeRows(chunk, batch, this.#row, nameOf);
  }

  *#all(): Generator<ArrowBatch, void> {
    for (const [i, file] of this.#bound.files.entries()) {
      this.#path = file.path;
      const places = this.#bound.places[i]!;
      yield* batchesOf(
        file,
        this.#columns.map((column) => places[column]!),
      );
    }
  }
}
