/**
 * `read_dataset(path, filter)`: a table function over the file of a dataset's table
 * (`engine/src/data/stored/`), whose columns it calls `c0`, `c1`, … in their order: a dataset's own names
 * may differ in their case alone. Groups of rows are left out of which no row meets the filter, a
 * `ScanFilter` over those names as JSON, or an empty text; rows that do not meet it still come of the others.
 */

import {
  type ArrowBatch,
  BatchDecoder,
  messagesOf,
  type StoredMetadata,
  storedMetadataOf,
} from "@distillery/engine/arrow";
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBTableFunction,
  VARCHAR,
} from "@duckdb/node-api";
import { type ArrowPath, openArrowPath } from "../../../arrow/arrow-path.ts";
import { duckdbLogicalTypeOf } from "../../../arrow/duckdb-logical-type.ts";
import { pathWithin, reporting, writeRows } from "../../../arrow/table-function.ts";
import { type ScanFilter, scanFilterSchema } from "../../../sources/scan-filter.ts";
import { mayMeet } from "./dataset-groups.ts";

/** @param folder the only one whose files it reads, absolute */
export function registerReadDataset(connection: DuckDBConnection, folder: string): void {
  const opened = new Map<string, OpenedDataset>();
  // A file of the folder does not change, and a statement binds it several times.
  const openedOnce = (path: string): OpenedDataset => {
    const known = opened.get(path);
    if (known !== undefined) return known;
    const file = openArrowPath(path);
    const dataset = { file, metadata: storedMetadataOf(file) };
    opened.set(path, dataset);
    return dataset;
  };
  connection.registerTableFunction(
    DuckDBTableFunction.create({
      name: "read_dataset",
      parameterTypes: [VARCHAR, VARCHAR],
      supportsProjectionPushdown: true,
      bindFunction: (bind) => {
        reporting(bind, () => {
          const filter = String(bind.getParameter(1) ?? "");
          const dataset = openedOnce(pathWithin(String(bind.getParameter(0) ?? ""), folder));
          // Behind the columns lie cells as they were written.
          for (const place of dataset.metadata.columns.keys()) {
            bind.addResultColumn(`c${place}`, duckdbLogicalTypeOf(dataset.file.fields[place]!));
          }
          bind.setBindData(
            new BoundDataset(
              dataset,
              filter === "" ? null : scanFilterSchema.parse(JSON.parse(filter)),
            ),
          );
        });
      },
      initFunction: (init) => {
        reporting(init, () => {
          const bound = init.getBindData();
          if (!(bound instanceof BoundDataset)) throw new TypeError("the scan is not bound");
          init.setInitData(new DatasetRows(bound, init.getColumnIndexes()));
        });
      },
      mainFunction: (info, chunk) => {
        chunk.rowCount = 0;
        reporting(info, () => {
          const rows = info.getInitData();
          if (!(rows instanceof DatasetRows)) throw new TypeError("the scan is not begun");
          rows.fill(chunk);
        });
      },
    }),
  );
}

interface OpenedDataset {
  readonly file: ArrowPath;
  readonly metadata: StoredMetadata;
}

class BoundDataset {
  readonly file: ArrowPath;
  readonly metadata: StoredMetadata;
  readonly filter: ScanFilter | null;

  constructor({ file, metadata }: OpenedDataset, filter: ScanFilter | null) {
    this.file = file;
    this.metadata = metadata;
    this.filter = filter;
  }
}

/** One scan's place in the file. */
class DatasetRows {
  readonly #bound: BoundDataset;
  readonly #columns: readonly number[];
  readonly #batches: Generator<ArrowBatch, void>;
  #batch: ArrowBatch | null = null;
  #row = 0;

  constructor(bound: BoundDataset, columns: readonly number[]) {
    this.#bound = bound;
    this.#columns = columns;
    this.#batches = this.#kept();
  }

  /** The next rows; none when there are no more. */
  fill(chunk: DuckDBDataChunk): void {
    while (this.#batch === null || this.#row === this.#batch.rows) {
      const next = this.#bound.file.source.open(() => this.#batches.next());
      if (next.done === true) return;
      this.#batch = next.value;
      this.#row = 0;
    }
    try {
      const { columns } = this.#bound.metadata;
      const nameOf = (place: number): string => columns[this.#columns[place]!]!.name;
      this.#row += writeRows(chunk, this.#batch, this.#row, nameOf);
    } catch (error) {
      // Half a chunk is nobody's.
      chunk.rowCount = 0;
      throw error;
    }
  }

  *#kept(): Generator<ArrowBatch, void> {
    const { file, metadata, filter } = this.#bound;
    const decoder = new BatchDecoder(file, this.#columns);
    let group = 0;
    for (const placed of messagesOf(file)) {
      if (placed.message.kind === "batch") {
        const { rows } = placed.message.batch;
        if (filter !== null && !mayMeet(filter, metadata.columns, group++, rows)) continue;
      }
      const batch = decoder.decode(placed);
      if (batch !== null) yield batch;
    }
  }
}
