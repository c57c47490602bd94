/**
 * Columns of a result's chunk as JSON, value by value. Lists, structs, maps and unions are read where DuckDB has
 * them, an item at a time: a value that is longer than an answer is given up where it gets too long, and members
 * without names, as ROW makes them, and one named `__proto__` are kept, which objects by names would lose.
 */

import {
  type DuckDBListType,
  type DuckDBMapType,
  type DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBUnionType,
  DuckDBVector,
} from "@duckdb/node-api";
import duckdb, { type Vector } from "@duckdb/node-bindings";
import { isValid, validityOf } from "../../../arrow/encoding/column-builder.ts";
import type { JsonText } from "./json-text.ts";
import { jsonEncoderOf } from "./json-values.ts";

/** Adds the value of a row. @throws RowTooLong */
type WriteRow = (row: number, text: JsonText) => void;

/** Rows of a vector: what is read of it stays valid as long as the chunk. */
export type ColumnWriter = (vector: Vector, rows: number) => WriteRow;

/** Bytes of DuckDB's `string_t`, whose first four are a length, and of an entry of a list, whose second eight are. */
const WORDS = 4;
const LENGTH_OF_LIST = 2;

export function columnWriterOf(type: DuckDBType): ColumnWriter {
  switch (type.typeId) {
    case DuckDBTypeId.VARCHAR:
    case DuckDBTypeId.BLOB:
    case DuckDBTypeId.BIT:
    case DuckDBTypeId.BIGNUM:
    case DuckDBTypeId.GEOMETRY:
      return bytesWriter(type);
    case DuckDBTypeId.LIST:
      return listWriter(type);
    case DuckDBTypeId.ARRAY: {
      const writeItems = columnWriterOf(type.valueType);
      const size = type.length;
      return (vector, rows) => {
        const write = writeItems(duckdb.array_vector_get_child(vector), rows * size);
        return orNull(vector, rows, (row, text) => writeList(write, row * size, size, text));
      };
    }
    case DuckDBTypeId.STRUCT:
      return structWriter(type);
    case DuckDBTypeId.MAP:
      return mapWriter(type);
    case DuckDBTypeId.UNION:
      return unionWriter(type);
    default:
      return valueWriter(type);
  }
}

function valueWriter(type: DuckDBType): ColumnWriter {
  const encode = jsonEncoderOf(type);
  return (vector, rows) => {
    const values = DuckDBVector.create(vector, rows, type);
    return (row, text) => text.add(encode(values.getItem(row)));
  };
}

/** Of values that may be long by themselves: their length is looked at before they are read. */
function bytesWriter(type: DuckDBType): ColumnWriter {
  const ofValues = valueWriter(type);
  return (vector, rows) => {
    const write = ofValues(vector, rows);
    const lengths = wordsOf(vector, rows);
    return orNull(vector, rows, (row, text) => {
      text.expect(lengths[WORDS * row]!);
      write(row, text);
    });
  };
}

function listWriter({ valueType }: DuckDBListType): ColumnWriter {
  const writeItems = columnWriterOf(valueType);
  return (vector, rows) => {
    const write = writeItems(
      duckdb.list_vector_get_child(vector),
      duckdb.list_vector_get_size(vector),
    );
    const entries = wordsOf(vector, rows);
    return orNull(vector, rows, (row, text) =>
      writeList(write, entries[WORDS * row]!, entries[WORDS * row + LENGTH_OF_LIST]!, text),
    );
  };
}

function writeList(write: WriteRow, from: number, count: number, text: JsonText): void {
  // A character each, and what is between them.
  text.expect(2 * count);
  text.add("[");
  for (let at = from; at < from + count; at++) {
    if (at > from) text.add(",");
    write(at, text);
  }
  text.add("]");
}

function structWriter({ entryNames, entryTypes }: DuckDBStructType): ColumnWriter {
  const isRow = entryNames.every((name) => name === "");
  const members = entryNames.map((name, index) => ({
    before: `${index === 0 ? "" : ","}${isRow ? "" : `${JSON.stringify(name)}:`}`,
    writerOf: columnWriterOf(entryTypes[index]!),
  }));
  const [open, close] = isRow ? ["[", "]"] : ["{", "}"];
  return (vector, rows) => {
    const writers = members.map(({ before, writerOf }, index) => ({
      before,
      write: writerOf(duckdb.struct_vector_get_child(vector, index), rows),
    }));
    return orNull(vector, rows, (row, text) => {
      text.add(open);
      for (const { before, write } of writers) {
        text.add(before);
        write(row, text);
      }
      text.add(close);
    });
  };
}

/** A list of structs of a key and a value. */
function mapWriter({ keyType, valueType }: DuckDBMapType): ColumnWriter {
  const [keyWriter, contentWriter] = [columnWriterOf(keyType), columnWriterOf(valueType)];
  const byText = keyType.typeId === DuckDBTypeId.VARCHAR;
  const [open, beforeKey, between, after, close] = byText
    ? ["{", "", ":", "", "}"]
    : ["[", '{"key":', ',"value":', "}", "]"];
  return (vector, rows) => {
    const entries = duckdb.list_vector_get_child(vector);
    const count = duckdb.list_vector_get_size(vector);
    const writeKey = keyWriter(duckdb.struct_vector_get_child(entries, 0), count);
    const writeContent = contentWriter(duckdb.struct_vector_get_child(entries, 1), count);
    const places = wordsOf(vector, rows);
    return orNull(vector, rows, (row, text) => {
      const from = places[WORDS * row]!;
      const end = from + places[WORDS * row + LENGTH_OF_LIST]!;
      text.add(open);
      for (let at = from; at < end; at++) {
        text.add(at > from ? `,${beforeKey}` : beforeKey);
        writeKey(at, text);
        text.add(between);
        writeContent(at, text);
        text.add(after);
      }
      text.add(close);
    });
  };
}

/** A struct of the member's number and all members. */
function unionWriter({ memberTypes }: DuckDBUnionType): ColumnWriter {
  const members = memberTypes.map(columnWriterOf);
  return (vector, rows) => {
    const tags = duckdb.struct_vector_get_child(vector, 0);
    const numbers = duckdb.vector_get_data(tags, rows);
    const writers = members.map((writerOf, index) =>
      writerOf(duckdb.struct_vector_get_child(vector, index + 1), rows),
    );
    return orNull(tags, rows, (row, text) => writers[numbers[row]!]!(row, text));
  };
}

function orNull(vector: Vector, rows: number, write: WriteRow): WriteRow {
  const validity = validityOf(vector, rows);
  return (row, text) => {
    if (isValid(validity, row)) write(row, text);
    else text.add("null");
  };
}

/** Of 16 bytes a row. */
function wordsOf(vector: Vector, rows: number): Uint32Array {
  const bytes = duckdb.vector_get_data(vector, rows * 16);
  return new Uint32Array(bytes.buffer, bytes.byteOffset, rows * WORDS);
}
