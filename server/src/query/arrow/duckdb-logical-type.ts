/** The same mapping as `duckdb-type.ts`, to types that DuckDB's interface takes. */

import {
  ARRAY,
  BIGINT,
  BLOB,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBStructType,
  type DuckDBType,
  DuckDBUnionType,
  FLOAT,
  INTEGER,
  INTERVAL,
  LIST,
  MAP,
  SMALLINT,
  TIME,
  TIME_NS,
  TIMESTAMP,
  TIMESTAMP_MS,
  TIMESTAMP_NS,
  TIMESTAMP_S,
  TIMESTAMPTZ,
  TINYINT,
  UBIGINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  VARCHAR,
} from "@duckdb/node-api";
import { DataType, type Field, Type } from "apache-arrow";
import { ArrowTypeError, decimalShapeOf, duckdbTypeOf, MAX_ARRAY_SIZE } from "./duckdb-type.ts";

const PLAIN: Readonly<Partial<Record<Type, DuckDBType>>> = {
  [Type.Null]: INTEGER,
  [Type.Bool]: BOOLEAN,
  [Type.Utf8]: VARCHAR,
  [Type.LargeUtf8]: VARCHAR,
  [Type.Utf8View]: VARCHAR,
  [Type.Binary]: BLOB,
  [Type.LargeBinary]: BLOB,
  [Type.BinaryView]: BLOB,
  [Type.FixedSizeBinary]: BLOB,
  [Type.Date]: DATE,
  [Type.Interval]: INTERVAL,
  [Type.Duration]: INTERVAL,
};

const SIGNED: Readonly<Record<number, DuckDBType>> = {
  8: TINYINT,
  16: SMALLINT,
  32: INTEGER,
  64: BIGINT,
};
const UNSIGNED: Readonly<Record<number, DuckDBType>> = {
  8: UTINYINT,
  16: USMALLINT,
  32: UINTEGER,
  64: UBIGINT,
};

/**
 * The type of a field's values; its metadata is passed over.
 *
 * @throws ArrowTypeError where DuckDB has no type that could hold the values
 */
export function duckdbLogicalTypeOf(field: Field): DuckDBType {
  // It names the member that cannot be held.
  duckdbTypeOf(field);
  return logicalType(field.type);
}

function logicalType(type: DataType): DuckDBType {
  const plain = PLAIN[type.typeId];
  if (plain !== undefined) return plain;
  if (DataType.isInt(type)) return (type.isSigned ? SIGNED : UNSIGNED)[type.bitWidth]!;
  if (DataType.isFloat(type)) return type.precision === 2 ? DOUBLE : FLOAT;
  if (DataType.isDecimal(type)) {
    const shape = decimalShapeOf(type);
    return shape === null ? DOUBLE : DECIMAL(shape.width, shape.scale);
  }
  if (DataType.isTime(type)) return type.unit === 3 ? TIME_NS : TIME;
  if (DataType.isTimestamp(type))
    return type.timezone
      ? TIMESTAMPTZ
      : [TIMESTAMP_S, TIMESTAMP_MS, TIMESTAMP, TIMESTAMP_NS][type.unit]!;
  return nestedType(type);
}

function nestedType(type: DataType): DuckDBType {
  if (DataType.isDictionary(type)) return logicalType(type.dictionary);
  if (DataType.isList(type) || DataType.isLargeList(type)) return LIST(logicalType(type.valueType));
  if (DataType.isFixedSizeList(type)) {
    const isArray = type.listSize >= 1 && type.listSize <= MAX_ARRAY_SIZE;
    const item = logicalType(type.valueType);
    return isArray ? ARRAY(item, type.listSize) : LIST(item);
  }
  if (DataType.isMap(type)) return MAP(logicalType(type.keyType), logicalType(type.valueType));
  const children: readonly Field[] = type.children ?? [];
  const names = children.map(({ name }) => name);
  const types = children.map((child) => logicalType(child.type));
  if (DataType.isStruct(type)) return new DuckDBStructType(names, types);
  if (DataType.isUnion(type)) return new DuckDBUnionType(names, types);
  throw new ArrowTypeError(`a column is of type ${type}, which SQL cannot represent`);
}
