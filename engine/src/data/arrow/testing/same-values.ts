/** Whether a column holds what apache-arrow reads of the same bytes. */

import { type Data, DataType, type Vector } from "apache-arrow";
import { expect } from "vitest";
import type { ArrowColumn } from "../column.ts";

/** The value of a row in a form that compares. */
export type Shown = null | boolean | number | string | readonly Shown[];

export function expectSame(column: ArrowColumn, data: Data): void {
  expect(column.length).toBe(data.length);
  for (let row = 0; row < data.length; row++)
    expect(shownColumn(column, row), `row ${row} of ${data.type}`).toEqual(shownData(data, row));
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

export function shownColumn(column: ArrowColumn, row: number): Shown {
  if (column.layout === "null") return null;
  if (column.layout === "union") {
    const member = column.memberAt(row);
    return [member, shownColumn(column.members[member]!, column.placeAt(row, member))];
  }
  if (column.validity.isNull(row)) return null;
  switch (column.layout) {
    case "fixed":
      return hex(column.values.subarray(row * column.width, (row + 1) * column.width));
    case "bool":
      return ((column.bits[row >> 3]! >> (row & 7)) & 1) === 1;
    case "bytes":
      return hex(column.rows.bytes(row));
    case "struct":
      return column.children.map((child) => shownColumn(child, row));
    case "list":
      return itemsOf(column.items, column.offsets[row]!, column.offsets[row + 1]!);
    case "fixed-list":
      return itemsOf(column.items, row * column.size, (row + 1) * column.size);
    case "dictionary":
      return shownColumn(column.values, column.indexAt(row));
  }
}

function itemsOf(items: ArrowColumn, from: number, to: number): Shown[] {
  return Array.from({ length: to - from }, (_, i) => shownColumn(items, from + i));
}

function shownData(data: Data, row: number): Shown {
  const { type } = data;
  if (DataType.isNull(type)) return null;
  if (DataType.isUnion(type)) {
    const member = type.typeIds.indexOf(data.typeIds[row]);
    const place = DataType.isDenseUnion(type) ? data.valueOffsets[row] : row;
    return [member, shownData(data.children[member]!, place)];
  }
  if (!data.getValid(row)) return null;
  if (DataType.isStruct(type)) return data.children.map((child) => shownData(child, row));
  if (DataType.isFixedSizeList(type))
    return Array.from({ length: type.listSize }, (_, i) =>
      shownData(data.children[0]!, row * type.listSize + i),
    );
  if (DataType.isList(type))
    return Array.from({ length: data.valueOffsets[row + 1] - data.valueOffsets[row] }, (_, i) =>
      shownData(data.children[0]!, data.valueOffsets[row] + i),
    );
  if (DataType.isDictionary(type)) {
    let index = Number(data.values[row]);
    for (const chunk of (data.dictionary as Vector).data) {
      if (index < chunk.length) return shownData(chunk, index);
      index -= chunk.length;
    }
    throw new RangeError("an index lies outside its dictionary");
  }
  const bytes = new Uint8Array(data.values.buffer, data.values.byteOffset, data.values.byteLength);
  if (DataType.isBool(type)) {
    const bit = data.offset + row;
    return ((bytes[bit >> 3]! >> (bit & 7)) & 1) === 1;
  }
  if (data.valueOffsets !== undefined)
    return hex(bytes.subarray(Number(data.valueOffsets[row]), Number(data.valueOffsets[row + 1])));
  const width = widthOf(type);
  return hex(bytes.subarray(row * width, (row + 1) * width));
}

function widthOf(type: DataType): number {
  if (DataType.isFixedSizeBinary(type)) return type.byteWidth;
  if (DataType.isInterval(type)) return type.unit === 0 ? 4 : 8;
  if (DataType.isDate(type)) return type.unit === 0 ? 4 : 8;
  if (DataType.isFloat(type)) return 2 << type.precision;
  if (DataType.isInt(type) || DataType.isDecimal(type) || DataType.isTime(type))
    return type.bitWidth / 8;
  return 8;
}
