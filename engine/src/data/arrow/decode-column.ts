/** Columns out of a record batch's nodes and buffers, in the order of the Arrow columnar format. */

import { DataType, type Field, IntervalUnit, Type, UnionMode } from "apache-arrow";
import { FixedRows, OffsetRows, ViewRows } from "./byte-rows.ts";
import {
  ALL_VALID,
  type ArrowColumn,
  BoolColumn,
  BytesColumn,
  DictionaryColumn,
  FixedColumn,
  FixedListColumn,
  ListColumn,
  NullColumn,
  StructColumn,
  UnionColumn,
  Validity,
} from "./column.ts";
import { ArrowFileError } from "./file-error.ts";
import type { BatchBody } from "./record-batch.ts";

/** Values of dictionaries by id. */
export type Dictionaries = ReadonlyMap<number, ArrowColumn>;

/** @throws ArrowFileError where the buffers do not hold what the nodes say */
export function decodeColumn(
  type: DataType,
  body: BatchBody,
  dictionaries: Dictionaries,
): ArrowColumn {
  if (DataType.isNull(type)) return new NullColumn(body.node().length);
  if (DataType.isUnion(type)) return decodeUnion(type, body, dictionaries);
  const { length, nullCount } = body.node();
  const validity = validityOf(body.buffer(), length, nullCount);
  if (DataType.isDictionary(type)) {
    const values = dictionaries.get(type.id);
    const bits = type.indices.bitWidth;
    const bytes = enough(body.buffer(), length * (bits / 8));
    if (values === undefined) {
      // A column of NULLs alone needs none.
      if (nullCount === length) return new NullColumn(length);
      throw new ArrowFileError(`the dictionary ${type.id} is used before it is defined`);
    }
    return new DictionaryColumn(
      length,
      validity,
      indexReader(bytes, bits, type.indices.isSigned),
      values,
    );
  }
  return (
    decodeBytes(type, length, validity, body) ??
    decodeNested(type, length, validity, body, dictionaries) ??
    decodeFixed(type, length, validity, body)
  );
}

/** Passes over a column that nobody asked for. */
export function skipColumn(type: DataType, body: BatchBody): void {
  const isView = type.typeId === Type.Utf8View || type.typeId === Type.BinaryView;
  body.skip(1, buffersOf(type, body.header.isV4) + (isView ? body.variadicCount() : 0));
  if (!DataType.isDictionary(type))
    for (const child of childrenOf(type)) skipColumn(child.type, body);
}

function buffersOf(type: DataType, isV4: boolean): number {
  if (DataType.isNull(type)) return 0;
  if (DataType.isDictionary(type)) return 2;
  if (DataType.isUnion(type)) return (type.mode === UnionMode.Dense ? 2 : 1) + (isV4 ? 1 : 0);
  if (DataType.isStruct(type) || DataType.isFixedSizeList(type)) return 1;
  const hasOffsets =
    DataType.isUtf8(type) ||
    DataType.isLargeUtf8(type) ||
    DataType.isBinary(type) ||
    DataType.isLargeBinary(type);
  return hasOffsets ? 3 : 2;
}

function childrenOf(type: DataType): readonly Field[] {
  return type.children ?? [];
}

function decodeBytes(
  type: DataType,
  length: number,
  validity: Validity,
  body: BatchBody,
): ArrowColumn | null {
  const isText = DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
  const isLarge = DataType.isLargeUtf8(type) || DataType.isLargeBinary(type);
  if (isLarge || DataType.isUtf8(type) || DataType.isBinary(type)) {
    const offsets = offsetsOf(body.buffer(), length, isLarge);
    const data = body.buffer();
    ascending(offsets, data.length);
    return new BytesColumn(new OffsetRows(offsets, data), validity, isText);
  }
  if (DataType.isUtf8View(type) || DataType.isBinaryView(type)) {
    const views = enough(body.buffer(), 16 * length);
    const buffers = Array.from({ length: body.variadicCount() }, () => body.buffer());
    return new BytesColumn(new ViewRows(length, views, buffers), validity, isText);
  }
  if (DataType.isFixedSizeBinary(type)) {
    const data = enough(body.buffer(), length * type.byteWidth);
    return new BytesColumn(new FixedRows(length, data, type.byteWidth), validity, false);
  }
  return null;
}

function decodeNested(
  type: DataType,
  length: number,
  validity: Validity,
  body: BatchBody,
  dictionaries: Dictionaries,
): ArrowColumn | null {
  if (DataType.isStruct(type)) {
    const children = type.children.map((child) => decodeColumn(child.type, body, dictionaries));
    for (const child of children) atLeast(child, length);
    return new StructColumn(length, validity, children);
  }
  if (DataType.isFixedSizeList(type)) {
    const size = type.listSize;
    const items = decodeColumn(type.valueType, body, dictionaries);
    atLeast(items, length * size);
    return new FixedListColumn(length, validity, size, items);
  }
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isMap(type)) {
    const offsets = offsetsOf(body.buffer(), length, DataType.isLargeList(type));
    const items = decodeColumn(type.children[0]!.type, body, dictionaries);
    ascending(offsets, items.length);
    return new ListColumn(length, validity, offsets, items);
  }
  return null;
}

function decodeUnion(
  type: DataType & { readonly mode: UnionMode; readonly typeIds: Int32Array },
  body: BatchBody,
  dictionaries: Dictionaries,
): ArrowColumn {
  const { length } = body.node();
  if (body.header.isV4) body.skip(0, 1);
  const codes = enough(body.buffer(), length);
  const isDense = type.mode === UnionMode.Dense;
  const offsets = isDense ? enough(body.buffer(), 4 * length) : null;
  const members = childrenOf(type).map((child) => decodeColumn(child.type, body, dictionaries));
  if (!isDense) for (const member of members) atLeast(member, length);
  return new UnionColumn(
    new Int8Array(codes.buffer, codes.byteOffset, length),
    offsets === null ? null : new Int32Array(offsets.buffer, offsets.byteOffset, length),
    [...type.typeIds],
    members,
  );
}

function decodeFixed(
  type: DataType,
  length: number,
  validity: Validity,
  body: BatchBody,
): ArrowColumn {
  if (DataType.isBool(type))
    return new BoolColumn(length, validity, enough(body.buffer(), Math.ceil(length / 8)));
  const width = widthOf(type);
  if (width === null)
    throw new ArrowFileError(`a column is of type ${type}, which is not supported`, {
      fault: "unsupported",
    });
  return new FixedColumn(type, length, validity, width, enough(body.buffer(), length * width));
}

/** Bytes of a value; null for types whose values have no fixed width of whole bytes. */
function widthOf(type: DataType): number | null {
  if (DataType.isInt(type) || DataType.isDecimal(type) || DataType.isTime(type))
    return type.bitWidth / 8;
  if (DataType.isFloat(type)) return 2 << type.precision;
  if (DataType.isDate(type)) return type.unit === 0 ? 4 : 8;
  if (DataType.isTimestamp(type) || DataType.isDuration(type)) return 8;
  if (!DataType.isInterval(type)) return null;
  if (type.unit === IntervalUnit.YEAR_MONTH) return 4;
  return type.unit === IntervalUnit.DAY_TIME ? 8 : 16;
}

function validityOf(bitmap: Uint8Array, length: number, nullCount: number): Validity {
  if (nullCount === 0) return ALL_VALID;
  return new Validity(enough(bitmap, Math.ceil(length / 8)));
}

/** Offsets of 64 bits as doubles, which hold what a buffer can have. */
function offsetsOf(bytes: Uint8Array, length: number, isLarge: boolean): Int32Array | Float64Array {
  // A column without rows may leave its offsets out.
  if (length === 0 && bytes.length === 0) return new Int32Array(1);
  const all = enough(bytes, (length + 1) * (isLarge ? 8 : 4));
  if (!isLarge) return new Int32Array(all.buffer, all.byteOffset, length + 1);
  return Float64Array.from(new BigInt64Array(all.buffer, all.byteOffset, length + 1), Number);
}

function ascending(offsets: Int32Array | Float64Array, end: number): void {
  let last = 0;
  for (const offset of offsets) {
    if (offset < last) throw new ArrowFileError("the offsets of a column do not ascend");
    last = offset;
  }
  if (last > end) throw new ArrowFileError("the offsets of a column point outside its values");
}

function enough(bytes: Uint8Array, needed: number): Uint8Array {
  if (bytes.length < needed)
    throw new ArrowFileError(`a buffer has ${bytes.length} bytes; its column needs ${needed}`);
  return bytes;
}

function atLeast(column: ArrowColumn, rows: number): void {
  if (column.length < rows)
    throw new ArrowFileError(`a child column has ${column.length} rows; its parent needs ${rows}`);
}

function indexReader(bytes: Uint8Array, bits: number, isSigned: boolean): (row: number) => number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (bits) {
    case 8:
      return isSigned ? (row) => view.getInt8(row) : (row) => view.getUint8(row);
    case 16:
      return isSigned
        ? (row) => view.getInt16(2 * row, true)
        : (row) => view.getUint16(2 * row, true);
    case 32:
      return isSigned
        ? (row) => view.getInt32(4 * row, true)
        : (row) => view.getUint32(4 * row, true);
    default:
      return isSigned
        ? (row) => Number(view.getBigInt64(8 * row, true))
        : (row) => Number(view.getBigUint64(8 * row, true));
  }
}
