/** Arrow IPC, stream or file → columns, record batch by record batch where the format allows. */

import { type ArrowBatch, BatchDecoder } from "../arrow/batches.ts";
import { FileSource } from "../arrow/file-source.ts";
import {
  type ArrowFile,
  type ArrowSchema,
  bytesSource,
  messagesOf,
  openArrow,
  type PlacedMessage,
} from "../arrow/messages.ts";
import type { BatchHeader } from "../arrow/record-batch.ts";
import { ArrowStream } from "../arrow/stream.ts";
import { DataError } from "../table.ts";
import { type ArrowColumnBuilder, arrowColumn } from "./arrow-column.ts";
import { arrowFault } from "./arrow-fault.ts";
import { type ByteSource, collect, decompressed } from "./byte-source.ts";
import { checkNames, checkWanted } from "./column-names.ts";
import { expectFormat, recognise } from "./file-format.ts";
import { ReadBudget } from "./read-limits.ts";
import {
  type BuiltColumn,
  type DataWarning,
  declaredKind,
  keepsWritten,
  type ReadOptions,
  type TableReading,
  tableOf,
  withStamps,
} from "./reading.ts";

/** Fields that a schema may have, nested ones counted; the columns among them are bounded by themselves. */
export const MAX_FIELDS = 65_536;
const HEAD_BYTES = 8;

export async function readArrow(
  source: ByteSource,
  options: ReadOptions = {},
): Promise<TableReading> {
  let bytes = 0;
  const budget = new ReadBudget(options.limits, options.spool);
  const chunks = decompressed(source, budget, (count) => {
    bytes += count;
  });
  const head = await headOf(chunks);
  let stream: ArrowStream | null = null;
  let rows = 0;
  let builders: (ArrowColumnBuilder | null)[] | null = null;
  const limit = options.maxRows ?? Number.POSITIVE_INFINITY;
  try {
    let schema: ArrowSchema;
    let messages: AsyncIterable<PlacedMessage> | Iterable<PlacedMessage>;
    if (recognise(head) === "Arrow IPC" && head[0] !== 0xff) {
      // A file's directory lies at its end.
      const whole = await collect(prepended(head, chunks), (held) => budget.checkHeld(held));
      const file = openArrow(bytesSource(whole), MAX_FIELDS);
      schema = file;
      messages = messagesOf(file);
    } else {
      stream = new ArrowStream(head, chunks, (held) => budget.checkHeld(held));
      schema = await stream.schema(MAX_FIELDS);
      messages = stream.messages();
    }
    builders = buildersOf(schema, options, budget);
    const wanted = builders.flatMap((builder, index) => (builder === null ? [] : [index]));
    let unpacked = 0;
    const decoder = new BatchDecoder(schema, wanted, {
      // One batch may be the whole file, as pyarrow writes a table; what is held is bounded by that.
      maxBytes: budget.limits.tableBytes,
      onBytes: (count) => {
        unpacked += count;
        budget.checkUnpacked(unpacked);
      },
    });
    for await (const message of messages) {
      const batch = decoder.decode(message);
      if (batch === null) continue;
      const taken = Math.min(batch.rows, limit - rows);
      budget.checkTable(rows + taken, wanted.length);
      addBatch(batch, taken, builders, wanted);
      rows += taken;
      options.onProgress?.({ bytes, rows });
      if (rows >= limit) break;
    }
  } catch (cause) {
    throw arrowFault(cause, rows, "Arrow");
  } finally {
    await chunks.return(undefined);
  }
  const { table, warnings } = finishTable(builders, rows, options);
  if (rows >= limit || stream === null || stream.isMarked) return { table, warnings };
  return { table, warnings: [...warnings, notMarked(rows)] };
}

function notMarked(rows: number): DataWarning {
  const message = `The Arrow stream ends without its end mark; it may be cut short after row ${rows}.`;
  return { message, row: rows };
}

/** Of columns that are read in one pass over the batches; a pass has one column at least. */
const PASS_BYTES = 64 * 2 ** 20;
const CELL_BYTES = 9;

/**
 * The same of a file that is not packed, for columns that are taken as they are made: a few of them at a
 * time, so that neither the file nor a batch is ever held whole.
 *
 * @param passBytes of the cells of a pass
 */
export function readArrowColumns(
  path: string,
  take: NonNullable<ReadOptions["onColumn"]>,
  options: Omit<ReadOptions, "onColumn" | "maxRows">,
  passBytes = PASS_BYTES,
): TableReading {
  const budget = new ReadBudget(options.limits);
  const source = new FileSource(path);
  return source.open(({ size, read }) => {
    budget.addFile(size);
    checkHead(read(0, Math.min(HEAD_BYTES, size)));
    let rows = 0;
    /** Rows that are behind what is read. */
    let at = 0;
    const warnings: DataWarning[] = [];
    try {
      const file = openArrow(source, MAX_FIELDS);
      const builders = buildersOf(file, options, budget);
      const wanted = builders.flatMap((builder, index) => (builder === null ? [] : [index]));
      const isMarked = eachBatch(file, ({ rows: more }) => {
        rows += more;
        at = rows;
        budget.checkTable(rows, wanted.length);
      });
      if (rows === 0) throw new DataError("The file has columns, but no rows.");
      at = 0;
      const together = Math.max(1, Math.floor(passBytes / (CELL_BYTES * rows)));
      let unpacked = 0;
      const onBytes = (count: number): void => {
        unpacked += count;
        budget.checkUnpacked(unpacked);
      };
      for (let from = 0; from < wanted.length; from += together) {
        const some = wanted.slice(from, from + together);
        const decoder = new BatchDecoder(file, some, {
          maxBytes: budget.limits.tableBytes,
          onBytes,
        });
        at = 0;
        for (const message of messagesOf(file)) {
          const batch = decoder.decode(message);
          if (batch === null) continue;
          addBatch(batch, batch.rows, builders, some);
          at += batch.rows;
          budget.checkTable(at, wanted.length);
        }
        for (const index of some) {
          const finished = builders[index]?.finish();
          builders[index] = null;
          if (finished === undefined) continue;
          const built = withStamps(finished, options);
          warnings.push(...built.warnings);
          take(built, rows);
        }
        const share = Math.min(1, (from + together) / wanted.length);
        options.onProgress?.({ bytes: size, rows: Math.floor(rows * share) });
      }
      if (!isMarked) warnings.push(notMarked(rows));
    } catch (cause) {
      throw arrowFault(cause, at, "Arrow");
    }
    return { table: { rows, columns: [] }, warnings };
  });
}

/** @returns whether the end is marked */
function eachBatch(file: ArrowFile, look: (batch: BatchHeader) => void): boolean {
  const messages = messagesOf(file);
  for (;;) {
    const next = messages.next();
    if (next.done) return next.value;
    if (next.value.message.kind === "batch") look(next.value.message.batch);
  }
}

/** The first `rows` rows of the wanted columns. */
function addBatch(
  { columns }: ArrowBatch,
  rows: number,
  builders: readonly (ArrowColumnBuilder | null)[],
  wanted: readonly number[],
): void {
  for (const [at, index] of wanted.entries()) builders[index]?.add(columns[at], rows);
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
  { fields }: ArrowSchema,
  options: ReadOptions,
  budget: ReadBudget,
): (ArrowColumnBuilder | null)[] {
  budget.checkColumns(fields.length);
  const names = fields.map((field) => field.name);
  checkNames(names);
  checkWanted(names, options.columns);
  const wanted = options.columns === undefined ? null : new Set(options.columns);
  return fields.map((field) =>
    wanted === null || wanted.has(field.name)
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

/** The first bytes, eight at least, once they look like Arrow. */
async function headOf(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < HEAD_BYTES) {
    const next = await chunks.next();
    if (next.done) break;
    const joined = new Uint8Array(head.length + next.value.length);
    joined.set(head);
    joined.set(next.value, head.length);
    head = joined;
  }
  checkHead(head);
  return head;
}

/** @param head the first bytes, fewer than eight where there are no more */
function checkHead(head: Uint8Array): void {
  expectFormat(head, "arrow");
  if (head.length < HEAD_BYTES) {
    throw new DataError("The Arrow file is cut short: it ends within its first bytes.");
  }
  // Streams before format version 0.15 begin with a length instead of a marker.
  const legacy = new DataView(head.buffer, head.byteOffset).getUint32(0, true) < 1 << 24;
  if (recognise(head) === null && !legacy) {
    throw new DataError("The file was sent as Arrow IPC, but it is not.");
  }
}

function finishTable(
  builders: (ArrowColumnBuilder | null)[],
  rows: number,
  options: ReadOptions,
): TableReading {
  if (rows === 0) throw new DataError("The file has columns, but no rows.");
  return tableOf(rows, finished(builders), options);
}

/** Each is let go of before the next. */
function* finished(builders: (ArrowColumnBuilder | null)[]): Generator<BuiltColumn> {
  for (const [index, builder] of builders.entries()) {
    builders[index] = null;
    if (builder !== null) yield builder.finish();
  }
}
