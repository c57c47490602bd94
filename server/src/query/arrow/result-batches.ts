/**
 * A DuckDB result as an Arrow IPC stream. Chunks of 2,048 rows are copied column by column into
 * batches of about 64k rows; each batch leaves as the bytes of one message.
 */

import type { DuckDBDataChunk, DuckDBResult, DuckDBType } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import { Message, Schema } from "apache-arrow";
import {
  BufferRegion,
  FieldNode,
  RecordBatch as RecordBatchHeader,
} from "apache-arrow/ipc/metadata/message";
import { fieldOfDuckdbType } from "./duckdb-field.ts";
import { builderOf } from "./encoding/builder-of.ts";
import type { BatchParts, ColumnBuilder } from "./encoding/column-builder.ts";

const BATCH_ROWS = 65_536;
const BATCH_BYTES = 16 << 20;
const ALIGNMENT = 8;
const PREFIX_BYTES = 8;
const CONTINUATION = 0xffff_ffff;

export interface ResultColumn {
  readonly name: string;
  readonly type: DuckDBType;
}

/** The columns of a result, in order; names may be equal, as in SQL. @internal */
export function columnsOf(result: DuckDBResult): ResultColumn[] {
  return result.columnTypes().map((type, i) => ({ name: result.columnName(i), type }));
}

/** @throws ArrowTypeError where a column is of a type that Arrow cannot hold */
export function schemaOfColumns(columns: readonly ResultColumn[]): Schema {
  return new Schema(columns.map(({ name, type }) => fieldOfDuckdbType(name, type, true)));
}

/**
 * Write `start()`, then what `append` gives, then `end()`.
 *
 *     const encoder = new ArrowStreamEncoder(columnsOf(result));
 *     const parts = [encoder.start()];
 *     for await (const chunk of result) parts.push(...encoder.append(chunk, chunk.rowCount));
 *     parts.push(...encoder.end());
 */
export class ArrowStreamEncoder {
  readonly schema: Schema;
  readonly #columns: readonly ColumnBuilder[];
  #rows = 0;
  #pending = 0;
  #written = 0;

  /**
   * @param metadata of the schema
   * @throws ArrowTypeError where a column is of a type that Arrow cannot hold
   */
  constructor(columns: readonly ResultColumn[], metadata = new Map<string, string>()) {
    this.schema = new Schema(schemaOfColumns(columns).fields, metadata);
    this.#columns = columns.map(({ type }) => builderOf(type));
  }

  /** Rows that were appended. */
  get rows(): number {
    return this.#rows;
  }

  /** About what the stream has so far, batches that are not yet full included. */
  get bytes(): number {
    return this.#written + this.#bytesOf(this.#pending);
  }

  /** The schema message. */
  start(): Uint8Array {
    return this.#counted(encapsulated(Message.encode(Message.from(this.schema)), []));
  }

  /**
   * Copies the first rows of a chunk.
   *
   * @returns the messages that are full now
   * @throws Error where Arrow cannot hold a value
   */
  append(chunk: DuckDBDataChunk, rows: number): Uint8Array[] {
    this.#columns.forEach((column, i) => {
      column.append(duckdb.data_chunk_get_vector(chunk.chunk, i), 0, rows);
    });
    this.#rows += rows;
    this.#pending += rows;
    const isFull = this.#pending >= BATCH_ROWS || this.#bytesOf(this.#pending) >= BATCH_BYTES;
    return isFull ? this.#flush() : [];
  }

  /**
   * As `append`, of as many rows as the stream can take up to a size.
   *
   * @returns the rows that were taken: all of them, or fewer when the stream is full
   */
  appendWithin(
    chunk: DuckDBDataChunk,
    rows: number,
    maxBytes: number,
  ): { readonly rows: number; readonly messages: Uint8Array[] } {
    const before = this.#pending;
    this.#columns.forEach((column, i) => {
      column.append(duckdb.data_chunk_get_vector(chunk.chunk, i), 0, rows);
    });
    const taken = this.#fitting(before, rows, maxBytes);
    if (taken < rows) for (const column of this.#columns) column.truncate(before + taken);
    this.#rows += taken;
    this.#pending += taken;
    const isFull = this.#pending >= BATCH_ROWS || this.#bytesOf(this.#pending) >= BATCH_BYTES;
    return { rows: taken, messages: isFull ? this.#flush() : [] };
  }

  /** The last batch and the mark of the stream's end. */
  end(): Uint8Array[] {
    const mark = new Uint8Array(PREFIX_BYTES);
    mark.fill(255, 0, 4);
    return [...this.#flush(), this.#counted(mark)];
  }

  /** The most rows of an append with which the stream stays within a size. */
  #fitting(before: number, rows: number, maxBytes: number): number {
    let [low, high] = [0, rows];
    if (this.#written + this.#bytesOf(before + rows) <= maxBytes) return rows;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#written + this.#bytesOf(before + middle) <= maxBytes) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** A batch of so many of the pending rows: its body, and an estimate of what surrounds it. */
  #bytesOf(pending: number): number {
    if (pending === 0) return 0;
    return this.#columns.reduce((sum, column) => sum + column.bytesOf(pending) + 96, 256);
  }

  #flush(): Uint8Array[] {
    if (this.#pending === 0) return [];
    const parts: BatchParts = { nodes: [], buffers: [] };
    for (const column of this.#columns) column.take(parts);
    const message = recordBatchMessage(this.#pending, parts);
    this.#pending = 0;
    return [this.#counted(message)];
  }

  #counted(message: Uint8Array): Uint8Array {
    this.#written += message.length;
    return message;
  }
}

function recordBatchMessage(rows: number, { nodes, buffers }: BatchParts): Uint8Array {
  let bodyLength = 0;
  const regions = buffers.map((buffer) => {
    const region = new BufferRegion(bodyLength, buffer.length);
    bodyLength = aligned(bodyLength + buffer.length);
    return region;
  });
  const header = new RecordBatchHeader(
    rows,
    nodes.map(({ length, nullCount }) => new FieldNode(length, nullCount)),
    regions,
    null,
  );
  return encapsulated(Message.encode(Message.from(header, bodyLength)), buffers);
}

/** A message with its length before it and its body behind it, all padded to 8 bytes. */
function encapsulated(metadata: Uint8Array, body: readonly Uint8Array[]): Uint8Array {
  const metadataBytes = aligned(metadata.length);
  const bodyBytes = body.reduce((sum, buffer) => sum + aligned(buffer.length), 0);
  const message = new Uint8Array(PREFIX_BYTES + metadataBytes + bodyBytes);
  const view = new DataView(message.buffer);
  view.setUint32(0, CONTINUATION, true);
  view.setUint32(4, metadataBytes, true);
  message.set(metadata, PREFIX_BYTES);
  let at = PREFIX_BYTES + metadataBytes;
  for (const buffer of body) {
    message.set(buffer, at);
    at += aligned(buffer.length);
  }
  return message;
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
