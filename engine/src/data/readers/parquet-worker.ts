/**
 * The thread that parquet-wasm runs in. Damaged files can make it abort outside of any promise;
 * here that ends this thread alone, and with it go the module's memory, which never shrinks.
 */

import { openAsBlob } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { ParquetFile, type ParquetMetaData, type RecordBatch } from "parquet-wasm";
import type { ParquetReply, ParquetRequest, ParquetSource } from "./parquet-thread.ts";

const BATCH_ROWS = 65_536;
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
    reply({ kind: "fault", message: cause instanceof Error ? cause.message : String(cause) });
    return null;
  }
}

const file = await answered(open(workerData));
parentPort?.on("message", (request: ParquetRequest) => {
  if (file !== null) void answered(sendColumn(file, request));
});
