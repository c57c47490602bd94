/**
 * The thread that parquet-wasm runs in. Damaged files can make it abort outside of any promise;
 * here that ends this thread alone, and with it go the module's memory, which never shrinks.
 */

import { openAsBlob } from "node:fs";
import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { ParquetFile, type ParquetMetaData, type RecordBatch, wasmMemory } from "parquet-wasm";
import type { ParquetReply, ParquetRequest, ParquetSource } from "./parquet-thread.ts";

const BATCH_ROWS = 65_536;
/** Of the 4 GiB that a module can have, grown by doubling. */
const FULL_BYTES = 2 ** 31;
/** Of a batch, as its pages announce it: rows with long texts come fewer at a time. */
const BATCH_BYTES = 32 * 2 ** 20;

async function open(source: ParquetSource): Promise<ParquetFile> {
  const blob = typeof source === "string" ? await openAsBlob(source) : source;
  const file = await ParquetFile.fromFile(blob);
  reply({
    kind: "opened",
    schema: file.schema().intoIPCStream(),
    rows: file.metadata().fileMetadata().numRows(),
    columns: file.metadata().numRowGroups() === 0 ? 0 : file.metadata().rowGroup(0).numColumns(),
  });
  return file;
}

/** Posts the first `rows` rows of one column, batch by batch, then `end`. */
async function sendColumn(
  file: ParquetFile,
  { column: name, index, rows }: ParquetRequest,
): Promise<void> {
  const metadata = file.metadata();
  const rowGroups: number[] = [];
  for (let group = 0, covered = 0; group < metadata.numRowGroups() && covered < rows; group++) {
    rowGroups.push(group);
    covered += metadata.rowGroup(group).numRows();
  }
  const batches: AsyncIterable<RecordBatch> = await file.stream({
    columns: [name],
    batchSize: batchRows(metadata, rowGroups, index),
    rowGroups,
  });
  let sent = 0;
  for await (const batch of batches) {
    const wanted = Math.min(batch.numRows, rows - sent);
    sent += wanted;
    if (wanted > 0) reply({ kind: "batch", ipc: batch.slice(0, wanted).intoIPCStream() });
    batch.free();
  }
  reply({ kind: "end" });
}

function batchRows(metadata: ParquetMetaData, rowGroups: readonly number[], index: number): number {
  let bytesPerRow = 1;
  for (const group of rowGroups) {
    const column = metadata.rowGroup(group).column(index);
    bytesPerRow = Math.max(bytesPerRow, column.uncompressedSize() / column.numValues());
  }
  return Math.max(64, Math.min(BATCH_ROWS, Math.floor(BATCH_BYTES / bytesPerRow)));
}

function reply(message: ParquetReply): void {
  const bytes =
    message.kind === "opened" ? message.schema : message.kind === "batch" ? message.ipc : null;
  const transfer = bytes?.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
  parentPort?.postMessage(message, transfer);
}

async function answered<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (cause) {
    replyFault(cause);
    return null;
  }
}

/** Where its memory ends, the module fails as it does on damaged data. */
function replyFault(cause: unknown): void {
  if (cause instanceof WebAssembly.RuntimeError && wasmMemory().buffer.byteLength > FULL_BYTES) {
    reply({ kind: "full", bytes: FULL_BYTES });
  } else {
    reply({ kind: "fault", message: cause instanceof Error ? cause.message : String(cause) });
  }
}

// The module aborts outside of any promise, too.
process.once("uncaughtException", replyFault);
const file = await answered(open(workerData));
parentPort?.on("message", (request: ParquetRequest) => {
  if (file !== null) void answered(sendColumn(file, request));
});
