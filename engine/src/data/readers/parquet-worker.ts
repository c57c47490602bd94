/**
 * The thread that parquet-wasm runs in. Damaged files can make it abort outside of any promise;
 * here that ends this thread alone, and with it go the module's memory, which never shrinks.
 */

import { openAsBlob } from "node:fs";
import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { ParquetFile, type RecordBatch, type RowGroupMetaData, wasmMemory } from "parquet-wasm";
import { collectPassingArrays } from "../../compute/garbage.ts";
import type { BatchTaken, ParquetReply, ParquetRequest, ParquetSource } from "./parquet-thread.ts";

const BATCH_ROWS = 65_536;
/** Of the 4 GiB that a module can have, grown by doubling. */
const FULL_BYTES = 2 ** 31;
/** Of a batch, as its pages announce it: rows with long texts come fewer at a time. */
const BATCH_BYTES = 32 * 2 ** 20;
/** Of batches that nobody has taken: where reading them is slower, they would be the whole column in the end. */
const AHEAD_BYTES = 4 * 2 ** 20;

/** Bytes of batches that nobody has taken, and who waits for there to be fewer. */
const ahead = { bytes: 0, goOn: (): void => undefined };

/** A file, and of its row groups what the module copies with all of their columns wherever it is asked. */
interface Opened {
  readonly file: ParquetFile;
  readonly groups: readonly RowGroupMetaData[];
}

async function open(source: ParquetSource): Promise<Opened> {
  const blob = typeof source === "string" ? await openAsBlob(source) : source;
  const file = await ParquetFile.fromFile(blob);
  const metadata = file.metadata();
  const groups = metadata.rowGroups();
  reply({
    kind: "opened",
    schema: file.schema().intoIPCStream(),
    rows: metadata.fileMetadata().numRows(),
    columns: groups.length === 0 ? 0 : groups[0].numColumns(),
  });
  metadata.free();
  return { file, groups };
}

/** Posts the first `rows` rows of some columns, batch by batch, then `end`. */
async function sendColumns(
  { file, groups }: Opened,
  { columns, rows }: ParquetRequest,
): Promise<void> {
  ahead.bytes = 0;
  const rowGroups: number[] = [];
  for (let group = 0, covered = 0; group < groups.length && covered < rows; group++) {
    rowGroups.push(group);
    covered += groups[group].numRows();
  }
  const batches: AsyncIterable<RecordBatch> = await file.stream({
    columns: columns.map(({ name }) => name),
    batchSize: batchRows(groups, rowGroups, columns),
    rowGroups,
  });
  let sent = 0;
  for await (const batch of batches) {
    const wanted = Math.min(batch.numRows, rows - sent);
    sent += wanted;
    if (wanted > 0) {
      const ipc = batch.slice(0, wanted).intoIPCStream();
      ahead.bytes += ipc.byteLength;
      reply({ kind: "batch", ipc });
    }
    batch.free();
    // Of what was read of the file, and of batches that came back.
    collectPassingArrays();
    while (ahead.bytes > AHEAD_BYTES) {
      await new Promise<void>((resolve) => {
        ahead.goOn = resolve;
      });
    }
  }
  reply({ kind: "end" });
}

function batchRows(
  groups: readonly RowGroupMetaData[],
  rowGroups: readonly number[],
  columns: ParquetRequest["columns"],
): number {
  let bytesPerRow = 1;
  for (const group of rowGroups) {
    let bytes = 0;
    for (const { index } of columns) {
      const chunk = groups[group].column(index);
      bytes += chunk.uncompressedSize() / chunk.numValues();
      chunk.free();
    }
    bytesPerRow = Math.max(bytesPerRow, bytes);
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
const opened = await answered(open(workerData));
parentPort?.on("message", (request: ParquetRequest | BatchTaken) => {
  if (request.kind === "taken") {
    ahead.bytes -= request.bytes;
    ahead.goOn();
  } else if (opened !== null) void answered(sendColumns(opened, request));
});
