/**
 * Parquet → columns, one column at a time: only the column's own chunks are fetched and decoded,
 * a batch of rows at a time, so that neither the file nor its decoded form is ever held whole.
 */

import { openAsBlob } from "node:fs";
import { type Schema, tableFromIPC } from "apache-arrow";
import { type ParquetFile, ParquetFile as ParquetReader, type RecordBatch } from "parquet-wasm";
import { type Column, DataError } from "../table.ts";
import { buildersOf } from "./arrow.ts";
import type { ArrowColumnBuilder } from "./arrow-column.ts";
import { type ByteSource, decompressed } from "./byte-source.ts";
import { expectFormat, recognise } from "./file-format.ts";
import type { DataWarning, ReadOptions, TableReading } from "./reading.ts";
import { finishTable } from "./typed-table.ts";

const BATCH_ROWS = 65_536;

export async function readParquet(
  source: ByteSource,
  options: ReadOptions = {},
): Promise<TableReading> {
  let bytes = 0;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of decompressed(source, (count) => {
    bytes += count;
  })) {
    if (chunks.length === 0 && chunk.length >= 4) expectFormat(chunk, "parquet");
    chunks.push(new Uint8Array(chunk));
    options.onProgress?.({ bytes, rows: 0 });
  }
  return readParquetBlob(new Blob(chunks.splice(0)), options);
}

export async function readParquetFile(
  path: string,
  options: ReadOptions = {},
): Promise<TableReading> {
  return readParquetBlob(await openAsBlob(path), options);
}

/** Yields the wanted columns of a file one after another, none of them held back. */
export async function* parquetColumns(
  path: string,
  options: ReadOptions = {},
): AsyncGenerator<Column> {
  const parquet = await OpenParquet.open(await openAsBlob(path), options);
  try {
    for (let index = 0; index < parquet.columns; index++) {
      const reading = await parquet.column(index);
      if (reading !== null) yield reading.column;
    }
  } finally {
    parquet.close();
  }
}

async function readParquetBlob(blob: Blob, options: ReadOptions): Promise<TableReading> {
  const parquet = await OpenParquet.open(blob, options);
  try {
    const columns: Column[] = [];
    const warnings: DataWarning[] = [];
    for (let index = 0; index < parquet.columns; index++) {
      const built = await parquet.column(index);
      if (built === null) continue;
      columns.push(built.column);
      warnings.push(...built.warnings);
      const share = (index + 1) / parquet.columns;
      options.onProgress?.({ bytes: blob.size, rows: Math.floor(parquet.rows * share) });
    }
    return { table: { rows: parquet.rows, columns }, warnings };
  } finally {
    parquet.close();
  }
}

class OpenParquet {
  readonly #file: ParquetFile;
  readonly #schema: Schema;
  readonly #builders: (ArrowColumnBuilder | null)[];
  readonly rows: number;

  private constructor(file: ParquetFile, schema: Schema, options: ReadOptions, rows: number) {
    this.#file = file;
    this.#schema = schema;
    this.#builders = buildersOf(schema, options);
    this.rows = rows;
  }

  static async open(blob: Blob, options: ReadOptions): Promise<OpenParquet> {
    await checkEnds(blob);
    return damaged(async () => {
      const file = await ParquetReader.fromFile(blob);
      const schema = tableFromIPC(file.schema().intoIPCStream()).schema;
      const metadata = file.metadata().fileMetadata();
      const rows = Math.min(metadata.numRows(), options.maxRows ?? Number.POSITIVE_INFINITY);
      if (rows === 0) throw new DataError("The file has columns, but no rows.");
      return new OpenParquet(file, schema, options, rows);
    });
  }

  get columns(): number {
    return this.#builders.length;
  }

  /** Column `index`, or null where it is not wanted. */
  async column(index: number) {
    const builder = this.#builders[index];
    if (builder === null) return null;
    this.#builders[index] = null;
    const { name } = this.#schema.fields[index];
    const rows = await damaged(async () => {
      let seen = 0;
      const batches = await this.#file.stream({
        columns: [name],
        batchSize: BATCH_ROWS,
        limit: this.rows,
      });
      for await (const batch of batches as AsyncIterable<RecordBatch>) {
        for (const part of tableFromIPC(batch.intoIPCStream()).batches) {
          builder.add(part.data.children[0]);
          seen += part.numRows;
        }
      }
      return seen;
    });
    if (rows !== this.rows) {
      throw new DataError(
        `The Parquet file promises ${this.rows} rows, but column ${JSON.stringify(name)} has ${rows}.`,
        { column: name },
      );
    }
    const built = finishTable([builder], rows);
    return { column: built.table.columns[0], warnings: built.warnings };
  }

  close(): void {
    this.#file.free();
  }
}

/** A Parquet file begins and ends with `PAR1`; one that does not was cut or is no Parquet. */
async function checkEnds(blob: Blob): Promise<void> {
  const head = new Uint8Array(await blob.slice(0, 8).arrayBuffer());
  expectFormat(head, "parquet");
  if (recognise(head) !== "Parquet") {
    throw new DataError("The file was sent as Parquet, but it is not.");
  }
  const tail = new Uint8Array(await blob.slice(-4).arrayBuffer());
  if (blob.size < 12 || recognise(tail) !== "Parquet") {
    throw new DataError("The Parquet file is cut short: its footer is missing.");
  }
}

async function damaged<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof DataError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DataError(`The Parquet file is damaged or of an unknown kind (${reason}).`, {
      cause,
    });
  }
}
