/** Parquet: a row group a part, compressed by ZSTD; the footer names where each lies. */

import { constants, zstdCompressSync } from "node:zlib";
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { z } from "zod";
import { type OutputColumn, type OutputField, type OutputType, valueAt } from "../output-column.ts";
import type { OutputFormat, PlacedPart } from "./format.ts";

const MAGIC = Buffer.from("PAR1");
const ZSTD = (bytes: Uint8Array): Uint8Array =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });

type RowGroup = ParquetWriter["row_groups"][number];

const TYPES: Readonly<Record<OutputType, Pick<SchemaElement, "type" | "converted_type">>> = {
  double: { type: "DOUBLE" },
  integer: { type: "INT32" },
  long: { type: "INT64" },
  boolean: { type: "BOOLEAN" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  timestamp: { type: "INT64", converted_type: "TIMESTAMP_MICROS" },
};

export const parquetFormat: OutputFormat = {
  mediaType: "application/vnd.apache.parquet",
  extension: "parquet",
  head: () => MAGIC,
  part(columns, rows) {
    const { bytes, writer } = writerOf(columns);
    const columnData = columns.map((column) => sourceOf(column, rows));
    if (rows > 0) void writer.write({ columnData, rowGroupSize: rows });
    const groups = writer.row_groups.map((group) => JSON.stringify(group, asDigits));
    return { bytes: bytes.getBytes().subarray(MAGIC.length), said: groups };
  },
  tail(fields, parts) {
    const { bytes, writer } = writerOf(fields);
    writer.row_groups = [...placedGroups(parts)];
    writer.num_rows = parts.reduce((sum, { rows }) => sum + BigInt(rows), 0n);
    void writer.finish();
    return bytes.getBytes().subarray(MAGIC.length);
  },
};

function writerOf(fields: readonly OutputField[]) {
  const bytes = new ByteWriter();
  const schema: SchemaElement[] = [
    { name: "schema", num_children: fields.length },
    ...fields.map(
      ({ name, type, nullable }): SchemaElement => ({
        name,
        ...TYPES[type],
        repetition_type: nullable ? "OPTIONAL" : "REQUIRED",
      }),
    ),
  ];
  const writer = new ParquetWriter({
    writer: bytes,
    schema,
    codec: "ZSTD",
    compressors: { ZSTD },
    statistics: false,
    createdBy: "Distillery",
  });
  return { bytes, writer };
}

function sourceOf(column: OutputColumn, rows: number): ColumnSource {
  const { name, type, cells, nullable } = column;
  const source = { name, nullable, offsetIndex: false };
  if (type === "text") return { ...source, data: [...cells] };
  if (type === "boolean") {
    return { ...source, data: Array.from({ length: rows }, (_, row) => valueAt(column, row)) };
  }
  const numbers =
    cells instanceof Float64Array
      ? cells
      : Float64Array.from({ length: rows }, (_, row) => Number(cells[row]));
  const encoding = "PLAIN" as const;
  if (type === "timestamp") {
    const micros = (time: number) => (Number.isNaN(time) ? null : BigInt(Math.round(time * 1000)));
    return { ...source, encoding, data: Array.from(numbers, micros) };
  }
  if (type === "long") {
    const data = Array.from(numbers, (value) => (Number.isNaN(value) ? null : BigInt(value)));
    return { ...source, encoding, data };
  }
  let isWhole = true;
  for (let row = 0; row < rows && isWhole; row++) isWhole = !Number.isNaN(numbers[row]);
  if (!isWhole) {
    const data = Array.from(numbers, (value) => (Number.isNaN(value) ? null : value));
    return { ...source, encoding, data };
  }
  return { ...source, encoding, data: type === "integer" ? Int32Array.from(numbers) : numbers };
}

const asDigits = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? { digits: String(value) } : value;

const digits = z.strictObject({ digits: z.string() });

function fromDigits(_name: string, value: unknown): unknown {
  const known = digits.safeParse(value);
  return known.success ? BigInt(known.data.digits) : value;
}

/** Row groups as they lie in the whole file. */
function* placedGroups(parts: readonly PlacedPart[]): Generator<RowGroup> {
  // In its own part, a row group lay behind the magic bytes too.
  let shift = 0n;
  for (const { bytes, said } of parts) {
    for (const json of z.array(z.string()).parse(said)) {
      const group: RowGroup = JSON.parse(json, fromDigits);
      for (const { meta_data: chunk } of group.columns) {
        if (chunk === undefined) continue;
        chunk.data_page_offset += shift;
        if (chunk.dictionary_page_offset !== undefined) chunk.dictionary_page_offset += shift;
      }
      for (const chunk of group.columns) chunk.file_offset += shift;
      yield group;
    }
    shift += BigInt(bytes);
  }
}
