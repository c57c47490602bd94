/** The rows of an Arrow file, batch by batch, of the columns that are wanted. */

import { DataType, type Field } from "apache-arrow";
import { type ArrowFile, messagesOf } from "./arrow-file.ts";
import { type ByteRows, BytesColumn } from "./bytes-columns.ts";
import { type ArrowColumn, Nulls } from "./column.ts";
import { decodeColumn, skipColumn } from "./decode-column.ts";
import { ArrowFileError } from "./file-error.ts";
import { BatchBody } from "./record-batch.ts";

export interface ScannedBatch {
  readonly rows: number;
  /** In the order in which they were wanted. */
  readonly columns: readonly ArrowColumn[];
}

/** @param wanted indexes into the file's fields */
export function* scanBatches(
  file: ArrowFile,
  wanted: readonly number[],
): Generator<ScannedBatch, void> {
  const dictionaries = new Map<number, ArrowColumn>();
  const needed = new Set<number>();
  for (const index of wanted) collectDictionaries(file.fields[index]!, needed);
  for (const { message, read } of messagesOf(file)) {
    const body = new BatchBody(message.batch, read);
    if (message.kind === "dictionary") {
      const type = file.dictionaries.get(message.id);
      if (type === undefined || !needed.has(message.id)) continue;
      const values = decodeColumn(type, body, dictionaries);
      const known = dictionaries.get(message.id);
      dictionaries.set(
        message.id,
        message.isDelta && known !== undefined ? extended(known, values) : values,
      );
      continue;
    }
    const { rows } = message.batch;
    const decoded = new Map<number, ArrowColumn>();
    file.fields.forEach((field, index) => {
      if (!wanted.includes(index)) {
        skipColumn(field.type, body);
        return;
      }
      const column = inColumn(field, () => decodeColumn(field.type, body, dictionaries));
      if (column.length !== rows)
        throw new ArrowFileError(
          `column ${JSON.stringify(field.name)} has ${column.length} rows in a batch of ${rows}`,
        );
      decoded.set(index, column);
    });
    yield { rows, columns: wanted.map((index) => decoded.get(index)!) };
  }
}

/** Names the column in what goes wrong with it. */
export function inColumn<Result>(field: Field, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ArrowFileError)) throw error;
    throw new ArrowFileError(`column ${JSON.stringify(field.name)}: ${error.message}`, {
      cause: error,
    });
  }
}

/** Dictionaries that a column needs; those of its dictionaries' values too. */
function collectDictionaries(field: Field, into: Set<number>): void {
  const type: DataType = field.type;
  if (DataType.isDictionary(type)) into.add(type.id);
  for (const child of type.children ?? []) collectDictionaries(child, into);
}

/** A dictionary with more values behind those that it had. */
function extended(known: ArrowColumn, more: ArrowColumn): ArrowColumn {
  if (
    !(known instanceof BytesColumn && more instanceof BytesColumn && known.isText === more.isText)
  )
    throw new ArrowFileError("a dictionary of other values than texts grows, which is not read");
  const rows: ByteRows = {
    length: known.length + more.length,
    isChecked: known.rows.isChecked && more.rows.isChecked,
    bytes: (row) =>
      row < known.length ? known.rows.bytes(row) : more.rows.bytes(row - known.length),
  };
  const bits = new Uint8Array(Math.ceil(rows.length / 8));
  for (let row = 0; row < rows.length; row++) {
    const isNull = row < known.length ? known.isNull(row) : more.isNull(row - known.length);
    if (!isNull) bits[row >> 3]! |= 1 << (row & 7);
  }
  return new BytesColumn(rows, new Nulls(bits), known.isText);
}
