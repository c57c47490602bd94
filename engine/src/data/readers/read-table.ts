/** Any of the formats → a table. */

import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { checkOptions } from "../known-options.ts";
import { shown } from "../shown.ts";
import { DataError } from "../table.ts";
import { readArrow, readArrowColumns } from "./arrow.ts";
import {
  type ByteSource,
  COMPRESSION_MAGIC_BYTES,
  compressionOf,
  decompressed,
} from "./byte-source.ts";
import { readCsv } from "./csv.ts";
import { readNdjson } from "./ndjson.ts";
import { readParquet, readParquetFile } from "./parquet.ts";
import { ReadBudget } from "./read-limits.ts";
import { type ReadOptions, TABLE_FORMATS, type TableFormat, type TableReading } from "./reading.ts";

/** How a table is read. */
export interface ReadTableOptions extends ReadOptions {
  readonly format: TableFormat;
}

/**
 * Reads a table from bytes, compressed by gzip or Zstandard or not.
 *
 * @returns the table and warnings about what the sender may not have meant
 * @throws DataError where the bytes are not a table of this format
 * @throws TypeError where the format is none of `TABLE_FORMATS`, and for an option that there is none of
 */
export async function readTable(
  source: ByteSource,
  options: ReadTableOptions,
): Promise<TableReading> {
  checkReading(options);
  switch (options.format) {
    case "csv":
      return readCsv(source, options);
    case "parquet":
      return readParquet(source, options);
    case "arrow":
      return readArrow(source, options);
    case "ndjson":
      return readNdjson(source, options);
  }
}

/**
 * `readTable` of a file. Parquet is then read where it lies, without holding it in memory, and so is Arrow
 * for somebody who takes column after column.
 *
 * @throws DataError as `readTable`, and where the path is that of a folder
 */
export async function readTableFromFile(
  path: string,
  options: ReadTableOptions,
): Promise<TableReading> {
  checkReading(options);
  // Node's own error, of the first bytes, names no path.
  const found = await stat(path);
  if (found.isDirectory()) {
    throw new DataError(
      `${shown(path)} is a folder: give the path of a file, or read one after another.`,
    );
  }
  const { format, onColumn, maxRows } = options;
  const isPacked = await isCompressed(path);
  if (format === "parquet" && !isPacked) return readParquetFile(path, options);
  if (format === "arrow" && !isPacked && onColumn && maxRows === undefined) {
    return readArrowColumns(path, onColumn, options);
  }
  if (isPacked && maxRows === undefined && found.size <= UNPACKED_FIRST_BYTES) {
    const budget = new ReadBudget(options.limits);
    for await (const _ of decompressed(createReadStream(path), budget, () => {}));
  }
  return readTable(createReadStream(path, { highWaterMark: 256 * 1024 }), options);
}

/**
 * Packed files up to this are unpacked once to see what they hold: rows of nothing take a reader a hundred times as
 * long as unpacking them, until it would find that there are too many.
 */
const UNPACKED_FIRST_BYTES = 1 << 20;

const OPTIONS: Readonly<Record<keyof ReadTableOptions, true>> = {
  format: true,
  kinds: true,
  columns: true,
  written: true,
  encoding: true,
  maxRows: true,
  limits: true,
  spool: true,
  onProgress: true,
  onColumn: true,
};

/** Programs without types may name no format, or another, or an option that there is none of. */
function checkReading(options: Partial<ReadTableOptions> | null | undefined): void {
  checkFormat(options?.format);
  // What is read may be named by the same object.
  const { path: _, ...others }: Partial<ReadTableOptions> & { readonly path?: string } =
    options ?? {};
  checkOptions("readTable", others, Object.keys(OPTIONS));
}

function checkFormat(format: unknown): void {
  if (TABLE_FORMATS.some((known) => known === format)) return;
  const given = typeof format === "string" ? shown(format) : String(format);
  throw new TypeError(
    `The format of a table is one of ${TABLE_FORMATS.join(", ")}, but is ${given}.`,
  );
}

async function isCompressed(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const length = COMPRESSION_MAGIC_BYTES;
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, 0);
    return compressionOf(buffer.subarray(0, bytesRead)) !== null;
  } finally {
    await file.close();
  }
}
