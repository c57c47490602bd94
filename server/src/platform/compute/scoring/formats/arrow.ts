/** An Arrow IPC stream: its schema, one record batch a part, and its end. */

import {
  Bool,
  type DataType,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
} from "apache-arrow";
import type { OutputColumn, OutputField, OutputType } from "../output-column.ts";
import type { OutputFormat } from "./format.ts";

const TYPES: Readonly<Record<OutputType, () => DataType>> = {
  double: () => new Float64(),
  integer: () => new Int32(),
  long: () => new Int64(),
  boolean: () => new Bool(),
  text: () => new Utf8(),
  timestamp: () => new TimestampMicrosecond("UTC"),
};
/** A continuation marker, and the length 0. */
const END = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

export const arrowFormat: OutputFormat = {
  mediaType: "application/vnd.apache.arrow.stream",
  extension: "arrows",
  head: (fields) => streamOf(schemaOf(fields)).subarray(0, -END.length),
  part(columns, rows) {
    const schema = schemaOf(columns);
    const children = columns.map((column) => dataOf(column, rows));
    const data = makeData({
      type: new Struct(schema.fields),
      length: rows,
      nullCount: 0,
      children,
    });
    const whole = streamOf(schema, new RecordBatch(schema, data));
    const head = streamOf(schema).length - END.length;
    return { bytes: whole.subarray(head, -END.length), said: null };
  },
  tail: () => END,
};

const schemaOf = (fields: readonly OutputField[]): Schema =>
  new Schema(fields.map(({ name, type, nullable }) => new Field(name, TYPES[type](), nullable)));

function streamOf(schema: Schema, ...batches: readonly RecordBatch[]): Uint8Array {
  const writer = new RecordBatchStreamWriter();
  writer.reset(undefined, schema);
  for (const batch of batches) writer.write(batch);
  writer.finish();
  return writer.toUint8Array(true);
}

function dataOf({ type, cells }: OutputColumn, rows: number) {
  const valid = new Uint8Array(Math.ceil(rows / 8));
  let nullCount = 0;
  const mark = (row: number, isThere: boolean): void => {
    if (isThere) valid[row >> 3] = (valid[row >> 3] ?? 0) | (1 << (row & 7));
    else nullCount++;
  };
  if (type === "text") {
    const texts = Array.from({ length: rows }, (_, row) => {
      const text = cells[row];
      mark(row, typeof text === "string");
      return Buffer.from(typeof text === "string" ? text : "");
    });
    const valueOffsets = new Int32Array(rows + 1);
    for (const [row, bytes] of texts.entries()) {
      valueOffsets[row + 1] = (valueOffsets[row] ?? 0) + bytes.length;
    }
    const data = Buffer.concat(texts);
    return makeData({
      type: new Utf8(),
      length: rows,
      nullCount,
      nullBitmap: valid,
      valueOffsets,
      data,
    });
  }
  const numbers = Float64Array.from({ length: rows }, (_, row) => {
    const value = Number(cells[row]);
    const isMissing = type === "boolean" ? value === 255 : Number.isNaN(value);
    mark(row, !isMissing);
    return isMissing ? 0 : value;
  });
  const common = { length: rows, nullBitmap: valid };
  switch (type) {
    case "double":
      return makeData({ type: new Float64(), ...common, nullCount, data: numbers });
    case "integer":
      return makeData({ type: new Int32(), ...common, nullCount, data: Int32Array.from(numbers) });
    case "long": {
      const data = BigInt64Array.from(numbers, BigInt);
      return makeData({ type: new Int64(), ...common, nullCount, data });
    }
    case "timestamp": {
      const data = BigInt64Array.from(numbers, (time) => BigInt(Math.round(time * 1000)));
      return makeData({ type: new TimestampMicrosecond("UTC"), ...common, nullCount, data });
    }
    case "boolean": {
      const data = new Uint8Array(Math.ceil(rows / 8));
      for (let row = 0; row < rows; row++) {
        if (numbers[row] === 1) data[row >> 3] = (data[row >> 3] ?? 0) | (1 << (row & 7));
      }
      return makeData({ type: new Bool(), ...common, nullCount, data });
    }
  }
}
