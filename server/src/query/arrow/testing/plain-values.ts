/**
 * Values of DuckDB and of Arrow in one plain form, to compare them: numbers beyond a double as texts,
 * times as the integers that store them, bytes as hexadecimal text, structs and maps as lists of pairs.
 */

import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBGeometryValue,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimeNSValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  DuckDBUnionValue,
  type DuckDBValue,
} from "@duckdb/node-api";
import { type Data, DataType } from "apache-arrow";

export type Plain = string | number | boolean | null | readonly Plain[];

export function plainDuckdb(value: DuckDBValue): Plain {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return plainNumber(value);
  if (typeof value === "bigint") return `${value}`;
  if (value instanceof DuckDBDecimalValue) return plainDecimal(value.value, value.scale);
  if (value instanceof DuckDBGeometryValue) return Buffer.from(value.bytes).toString("hex");
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString("hex");
  if (value instanceof DuckDBDateValue) return `${value.days}`;
  if (value instanceof DuckDBTimeValue || value instanceof DuckDBTimestampValue)
    return `${value.micros}`;
  if (value instanceof DuckDBTimestampTZValue) return `${value.micros}`;
  if (value instanceof DuckDBTimeNSValue) return `${value.nanos}`;
  if (value instanceof DuckDBTimestampNanosecondsValue) return `${value.nanos}`;
  if (value instanceof DuckDBTimestampMillisecondsValue) return `${value.millis}`;
  if (value instanceof DuckDBTimestampSecondsValue) return `${value.seconds}`;
  if (value instanceof DuckDBIntervalValue)
    return [value.months, value.days, `${value.micros * 1000n}`];
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue)
    return value.items.map(plainDuckdb);
  if (value instanceof DuckDBStructValue)
    return Object.entries(value.entries).map(([name, entry]) => [name, plainDuckdb(entry)]);
  if (value instanceof DuckDBMapValue)
    return value.entries.map(({ key, value: item }) => [plainDuckdb(key), plainDuckdb(item)]);
  if (value instanceof DuckDBUnionValue) return plainDuckdb(value.value);
  return `${value}`;
}

/** One value of a column, read from its buffers. */
export function plainArrow(data: Data, index: number): Plain {
  const type: DataType = data.type;
  if (DataType.isUnion(type)) {
    const id = data.typeIds[data.offset + index]!;
    return plainArrow(data.children[type.typeIds.indexOf(id)]!, index);
  }
  if (!data.getValid(index)) return null;
  if (DataType.isNull(type)) return null;
  if (DataType.isBool(type)) {
    const bit = data.offset + index;
    return ((data.values[bit >> 3] >> (bit & 7)) & 1) === 1;
  }
  if (DataType.isUtf8(type)) return Buffer.from(bytesAt(data, index)).toString("utf8");
  if (DataType.isBinary(type)) return Buffer.from(bytesAt(data, index)).toString("hex");
  if (DataType.isDecimal(type))
    return plainDecimal(decimalAt(data, index, type.bitWidth), type.scale);
  if (DataType.isInterval(type)) {
    const bytes = new DataView(data.values.buffer, data.values.byteOffset + 16 * index);
    return [bytes.getInt32(0, true), bytes.getInt32(4, true), `${bytes.getBigInt64(8, true)}`];
  }
  if (DataType.isList(type))
    return itemsOf(data, data.valueOffsets[index]!, data.valueOffsets[index + 1]!);
  if (DataType.isMap(type))
    return itemsOf(data, data.valueOffsets[index]!, data.valueOffsets[index + 1]!).map((pair) =>
      Array.isArray(pair) ? pair.map((entry) => (Array.isArray(entry) ? entry[1] : null)) : null,
    );
  if (DataType.isFixedSizeList(type))
    return itemsOf(data, index * type.listSize, (index + 1) * type.listSize);
  if (DataType.isStruct(type))
    return type.children.map((child, i) => [child.name, plainArrow(data.children[i]!, index)]);
  const value = data.values[index];
  if (DataType.isInt(type)) return typeof value === "bigint" ? `${value}` : value;
  return DataType.isFloat(type) ? plainNumber(value) : `${value}`;
}

function itemsOf(data: Data, start: number, end: number): Plain[] {
  return Array.from({ length: end - start }, (_, i) => plainArrow(data.children[0]!, start + i));
}

function bytesAt(data: Data, index: number): Uint8Array {
  return data.values.subarray(data.valueOffsets[index], data.valueOffsets[index + 1]);
}

function decimalAt(data: Data, index: number, bits: number): bigint {
  const words: Uint32Array = data.values.subarray((index * bits) / 32, ((index + 1) * bits) / 32);
  const value = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return BigInt.asIntN(bits, value);
}

function plainNumber(value: number): Plain {
  return Number.isFinite(value) && !Object.is(value, -0)
    ? value
    : Object.is(value, -0)
      ? "-0"
      : `${value}`;
}

function plainDecimal(value: bigint, scale: number): Plain {
  return scale === 0 ? `${value}` : `${value}e${-scale}`;
}
