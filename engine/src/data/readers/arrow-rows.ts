/**
 * Rows of Arrow data that lies in memory, a range of them at a time: each range is read by itself, in
 * whatever thread, and nothing of it is copied where its values are doubles. The rows of all ranges are
 * those of the whole, since only columns are read so whose cells do not depend on each other.
 */

import { type DataType, type Dictionary, Type } from "apache-arrow";
import { BatchDecoder } from "../arrow/batches.ts";
import { type ArrowColumn, rowsOfColumn } from "../arrow/column.ts";
import { type ArrowFile, bytesSource, messagesOf, openArrow } from "../arrow/messages.ts";
import { type ColumnKind, DataError, type Table } from "../table.ts";
import { buildersOf, MAX_FIELDS } from "./arrow.ts";
import { arrowFault } from "./arrow-fault.ts";
import { ReadBudget, type ReadLimits } from "./read-limits.ts";

/** A range of rows, and where it is found. Plain data. */
export interface ArrowRange {
  readonly rows: number;
  /** Where the messages begin that it needs: dictionaries, and the batches that it has rows of. */
  readonly messages: readonly number[];
  /** Rows of its first batch that come before it: a multiple of 64. */
  readonly skipped: number;
}

/** How the columns of a table are read. */
export interface ArrowRangesOptions {
  /** Of the columns to read; others are not decoded. */
  readonly kinds: Readonly<Partial<Record<string, ColumnKind>>>;
  readonly limits: ReadLimits;
}

/** More of them take longer to look through than they save. */
const MOST_MESSAGES = 4096;
/** Texts of dictionaries, which each range reads again. */
const MOST_DICTIONARY_ROWS = 65_536;

/**
 * Cuts the rows of an Arrow stream or file into ranges of about `size` rows, in order.
 *
 * @returns null for what is to be read whole: data that is packed, damaged or beyond the limits, and
 *   columns of texts that are read as something else
 */
export function arrowRanges(
  bytes: Uint8Array,
  size: number,
  options: ArrowRangesOptions,
): ArrowRange[] | null {
  try {
    return rangesOf(bytes, Math.ceil(size / 64) * 64, options);
  } catch (cause) {
    // Who reads it whole is told what is wrong with it.
    if (arrowFault(cause, 0, "Arrow") instanceof DataError) return null;
    throw cause;
  }
}

function rangesOf(
  bytes: Uint8Array,
  size: number,
  { kinds, limits }: ArrowRangesOptions,
): ArrowRange[] | null {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return null;
  const file = openArrow(bytesSource(bytes), MAX_FIELDS);
  const budget = new ReadBudget(limits);
  buildersOf(file, { kinds }, budget);
  const isCellwise = file.fields.every(({ name, type }) => {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    return kind === undefined || readsCellwise(type, kind);
  });
  if (!isCellwise) return null;
  const ranges: ArrowRange[] = [];
  const dictionaries: number[] = [];
  let open: { rows: number; messages: number[] } | null = null;
  let rows = 0;
  let messages = 0;
  let dictionaryRows = 0;
  for (const { message, at } of messagesOf(file)) {
    const { batch } = message;
    if (++messages > MOST_MESSAGES || batch.codec !== null) return null;
    if (message.kind === "dictionary") {
      dictionaryRows += batch.rows;
      if (dictionaryRows > MOST_DICTIONARY_ROWS) return null;
      dictionaries.push(at);
      open?.messages.push(at);
      continue;
    }
    rows += batch.rows;
    budget.checkTable(rows, file.fields.length);
    if (batch.rows <= size) {
      open ??= { rows: 0, messages: [...dictionaries] };
      open.rows += batch.rows;
      open.messages.push(at);
      if (open.rows < size) continue;
    }
    if (open !== null && open.rows > 0) ranges.push({ ...open, skipped: 0 });
    open = null;
    if (batch.rows <= size) continue;
    const pieces = Math.ceil(batch.rows / size);
    const piece = Math.ceil(batch.rows / pieces / 64) * 64;
    for (let from = 0; from < batch.rows; from += piece) {
      const count = Math.min(piece, batch.rows - from);
      ranges.push({ rows: count, messages: [...dictionaries, at], skipped: from });
    }
  }
  if (open !== null && open.rows > 0) ranges.push({ ...open, skipped: 0 });
  return rows === 0 ? null : ranges;
}

const TEXTS: ReadonlySet<Type> = new Set([Type.Utf8, Type.LargeUtf8, Type.Utf8View]);
const NUMBERS: ReadonlySet<Type> = new Set([Type.Int, Type.Float, Type.Decimal]);
const TIMES: ReadonlySet<Type> = new Set([Type.Date, Type.Timestamp]);

/** Whether what a cell means does not depend on other cells of its column. */
function readsCellwise(type: DataType, kind: ColumnKind): boolean {
  const id = type.typeId === Type.Dictionary ? (type as Dictionary).dictionary.typeId : type.typeId;
  switch (kind) {
    case "numeric":
      return NUMBERS.has(id);
    case "boolean":
      return id === Type.Bool;
    case "timestamp":
      return TIMES.has(id);
    case "categorical":
    case "text":
      return TEXTS.has(id) || id === Type.Bool;
  }
}

/**
 * The rows of one of the ranges of `arrowRanges`, of the columns that have a kind.
 *
 * @throws DataError
 */
export function readArrowRange(
  bytes: Uint8Array,
  range: ArrowRange,
  { kinds, limits }: ArrowRangesOptions,
): Table {
  const budget = new ReadBudget(limits);
  const { rows } = range;
  try {
    const opened = openArrow(bytesSource(bytes), MAX_FIELDS);
    const file: ArrowFile = { ...opened, blocks: range.messages };
    const names = file.fields.map(({ name }) => name);
    const columns = names.filter((name) => Object.hasOwn(kinds, name));
    const builders = buildersOf(file, { kinds, columns }, budget);
    const wanted = builders.flatMap((builder, index) => (builder === null ? [] : [index]));
    const decoder = new BatchDecoder(file, wanted, { maxBytes: limits.tableBytes });
    let left = rows;
    let from = range.skipped;
    for (const message of messagesOf(file)) {
      const batch = decoder.decode(message);
      if (batch === null) continue;
      const to = Math.min(batch.rows, from + left);
      for (const [place, index] of wanted.entries()) {
        const column: ArrowColumn = batch.columns[place];
        builders[index]?.add(rowsOfColumn(column, from, to), to - from);
      }
      left -= to - from;
      from = 0;
    }
    return {
      rows,
      columns: builders.flatMap((builder) => (builder === null ? [] : [builder.finish().column])),
      unread: names.filter((name) => !Object.hasOwn(kinds, name)),
    };
  } catch (cause) {
    throw arrowFault(cause, 0, "Arrow");
  }
}
