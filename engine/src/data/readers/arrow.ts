/** Arrow IPC, stream or file → columns, record batch by record batch where the format allows. */

import {
  type AsyncRecordBatchStreamReader,
  type RecordBatch,
  RecordBatchReader,
  type Schema,
} from "apache-arrow";
import { DataError } from "../table.ts";
import { checkArrowData } from "./arrow-check.ts";
import { type ArrowColumnBuilder, arrowColumn } from "./arrow-column.ts";
import { ArrowFrames } from "./arrow-frames.ts";
import { ArrowMetadataError, verifyFile } from "./arrow-metadata.ts";
import { type ByteSource, collect, decompressed } from "./byte-source.ts";
import { checkNames, checkWanted } from "./column-names.ts";
import { expectFormat, recognise } from "./file-format.ts";
import { ReadBudget } from "./read-limits.ts";
import { declaredKind, keepsWritten, type ReadOptions, type TableReading } from "./reading.ts";
import { finishTable } from "./typed-table.ts";

export async function readArrow(
  source: ByteSource,
  options: ReadOptions = {},
): Promise<TableReading> {
  let bytes = 0;
  const budget = new ReadBudget(options.limits);
  const chunks = decompressed(source, budget, (count) => {
    bytes += count;
  });
  const head = await headOf(chunks);
  let frames: ArrowFrames | null = null;
  let rows = 0;
  let builders: (ArrowColumnBuilder | null)[] | null = null;
  const limit = options.maxRows ?? Number.POSITIVE_INFINITY;
  try {
    let reader: AsyncIterable<RecordBatch> & Pick<AsyncRecordBatchStreamReader, "schema">;
    if (recognise(head) === "Arrow IPC" && head[0] !== 0xff) {
      // A file's directory lies at its end.
      const whole = await collect(prepended(head, chunks), (held) => budget.checkHeld(held));
      verifyFile(whole);
      const file = RecordBatchReader.from(whole).open();
      reader = { schema: file.schema, [Symbol.asyncIterator]: () => inTurn(file) };
    } else {
      frames = new ArrowFrames(head, chunks);
      reader = await (await RecordBatchReader.from(frames.verified())).open();
    }
    builders = buildersOf(reader.schema, options, budget);
    const kept = builders.filter((builder) => builder !== null).length;
    for await (const whole of reader) {
      const batch = rows + whole.numRows > limit ? whole.slice(0, limit - rows) : whole;
      budget.checkTable(rows + batch.numRows, kept);
      for (const [index, builder] of builders.entries()) {
        if (builder === null) continue;
        const data = batch.data.children[index];
        checkArrowData(data, reader.schema.fields[index].name, batch.numRows);
        builder.add(data);
      }
      rows += batch.numRows;
      options.onProgress?.({ bytes, rows });
      if (rows >= limit) break;
    }
  } catch (cause) {
    // What the source itself threw (a file that is gone, a cut connection) is no fault of the data.
    if (cause instanceof DataError || (cause instanceof Error && "syscall" in cause)) throw cause;
    throw arrowFault(cause, rows);
  } finally {
    await chunks.return(undefined);
  }
  const { table, warnings } = finishTable(builders, rows);
  if (rows >= limit || frames === null || frames.marked) return { table, warnings };
  const message = `The Arrow stream ends without its end mark; it may be cut short after row ${rows}.`;
  return { table, warnings: [...warnings, { message, row: rows }] };
}

async function* inTurn(batches: Iterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  yield* batches;
}

async function* prepended(
  head: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

/** One builder a field, null for the unwanted; refuses what no table can hold. */
export function buildersOf(
  schema: Schema,
  options: ReadOptions,
  budget: ReadBudget,
): (ArrowColumnBuilder | null)[] {
  budget.checkColumns(schema.fields.length);
  const names = schema.fields.map((field) => field.name);
  checkNames(names);
  checkWanted(names, options.columns);
  return schema.fields.map((field) =>
    options.columns === undefined || options.columns.includes(field.name)
      ? arrowColumn(
          field.name,
          field.type,
          declaredKind(options, field.name),
          budget,
          keepsWritten(options, field.name),
        )
      : null,
  );
}

/** @param rows that were read before */
function arrowFault(cause: unknown, rows: number): DataError {
  // What the library says is for those who wrote it.
  if (cause instanceof Error && /compress/i.test(cause.message)) {
    return new DataError(
      "The Arrow file has compressed buffers, which are not read; write it uncompressed.",
      { cause },
    );
  }
  const reason = cause instanceof ArrowMetadataError ? `: ${cause.message}` : "";
  const place = rows > 0 ? ` behind row ${rows}` : "";
  return new DataError(
    `The Arrow file is damaged or cut short${place}${reason}. Write the file anew, or send it once more.`,
    { cause, ...(rows > 0 ? { row: rows } : {}) },
  );
}

/** The first bytes, eight at least, once they look like Arrow. */
async function headOf(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < 8) {
    const next = await chunks.next();
    if (next.done) {
      expectFormat(head, "arrow");
      throw new DataError("The Arrow file is cut short: it ends within its first bytes.");
    }
    const joined = new Uint8Array(head.length + next.value.length);
    joined.set(head);
    joined.set(next.value, head.length);
    head = joined;
  }
  expectFormat(head, "arrow");
  // Streams before format version 0.15 begin with a length instead of a marker.
  const legacy = new DataView(head.buffer).getUint32(0, true) < 1 << 24;
  if (recognise(head) === null && !legacy) {
    throw new DataError("The file was sent as Arrow IPC, but it is not.");
  }
  return head;
}
