/** The builder for each DuckDB type; it writes the Arrow type of `fieldOfDuckdbType`. */

import {
  DuckDBArrayType,
  DuckDBDecimalType,
  DuckDBEnumType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionType,
  type DuckDBValue,
  JsonDuckDBValueConverter,
} from "@duckdb/node-api";
import { ArrowTypeError } from "../duckdb-type.ts";
import { EnumBuilder, StringBuilder, TextBuilder, UuidBuilder } from "./bytes-builders.ts";
import type { ColumnBuilder } from "./column-builder.ts";
import { BoolBuilder, FixedBuilder, NullBuilder } from "./fixed-builders.ts";
import { ArrayBuilder, ListBuilder, StructBuilder, UnionBuilder } from "./nested-builders.ts";
import {
  decimalWriter,
  writeDate,
  writeHugeint,
  writeInterval,
  writeTimestamp,
  writeUhugeint,
} from "./value-writers.ts";

/** Types whose values have the same bytes in both. */
const SAME_BYTES: Readonly<Partial<Record<DuckDBTypeId, number>>> = {
  [DuckDBTypeId.TINYINT]: 1,
  [DuckDBTypeId.UTINYINT]: 1,
  [DuckDBTypeId.SMALLINT]: 2,
  [DuckDBTypeId.USMALLINT]: 2,
  [DuckDBTypeId.INTEGER]: 4,
  [DuckDBTypeId.UINTEGER]: 4,
  [DuckDBTypeId.BIGINT]: 8,
  [DuckDBTypeId.UBIGINT]: 8,
  [DuckDBTypeId.FLOAT]: 4,
  [DuckDBTypeId.DOUBLE]: 8,
  [DuckDBTypeId.TIME]: 8,
  [DuckDBTypeId.TIME_NS]: 8,
};

/** @throws ArrowTypeError for types that no column has */
export function builderOf(type: DuckDBType): ColumnBuilder {
  if (type instanceof DuckDBDecimalType) return decimalBuilder(type.width);
  if (type instanceof DuckDBEnumType) return enumBuilder(type);
  if (type instanceof DuckDBListType) return new ListBuilder(builderOf(type.valueType));
  if (type instanceof DuckDBArrayType)
    return new ArrayBuilder(builderOf(type.valueType), type.length);
  if (type instanceof DuckDBMapType)
    return new ListBuilder(new StructBuilder([builderOf(type.keyType), builderOf(type.valueType)]));
  if (type instanceof DuckDBStructType) return new StructBuilder(type.entryTypes.map(builderOf));
  if (type instanceof DuckDBUnionType) return new UnionBuilder(type.memberTypes.map(builderOf));
  const bytes = SAME_BYTES[type.typeId];
  return bytes === undefined ? otherBuilder(type) : new FixedBuilder(bytes);
}

function otherBuilder(type: DuckDBType): ColumnBuilder {
  switch (type.typeId) {
    case DuckDBTypeId.BOOLEAN:
      return new BoolBuilder();
    case DuckDBTypeId.SQLNULL:
      return new NullBuilder();
    case DuckDBTypeId.DATE:
      return new FixedBuilder(4, 4, writeDate);
    case DuckDBTypeId.TIMESTAMP:
    case DuckDBTypeId.TIMESTAMP_S:
    case DuckDBTypeId.TIMESTAMP_MS:
    case DuckDBTypeId.TIMESTAMP_NS:
    case DuckDBTypeId.TIMESTAMP_TZ:
      return new FixedBuilder(8, 8, writeTimestamp);
    case DuckDBTypeId.HUGEINT:
      return new FixedBuilder(16, 16, writeHugeint);
    case DuckDBTypeId.UHUGEINT:
      return new FixedBuilder(16, 32, writeUhugeint);
    case DuckDBTypeId.INTERVAL:
      return new FixedBuilder(16, 16, writeInterval);
    case DuckDBTypeId.VARCHAR:
    case DuckDBTypeId.BLOB:
    case DuckDBTypeId.GEOMETRY:
      return new StringBuilder();
    case DuckDBTypeId.UUID:
      return new UuidBuilder();
    case DuckDBTypeId.BIT:
    case DuckDBTypeId.BIGNUM:
    case DuckDBTypeId.TIME_TZ:
      return new TextBuilder(type, String);
    case DuckDBTypeId.VARIANT:
      return new TextBuilder(type, (value: DuckDBValue) =>
        JSON.stringify(JsonDuckDBValueConverter(value, type, JsonDuckDBValueConverter)),
      );
    default:
      throw new ArrowTypeError(`a column is of type ${type}, which Arrow cannot represent`);
  }
}

/** DuckDB stores a decimal in the narrowest integer for its digits. */
function decimalBuilder(width: number): ColumnBuilder {
  if (width > 18) return new FixedBuilder(16);
  const bytes = width > 9 ? 8 : width > 4 ? 4 : 2;
  return new FixedBuilder(bytes, 16, decimalWriter(bytes));
}

function enumBuilder(type: DuckDBEnumType): ColumnBuilder {
  const bytes = { [DuckDBTypeId.UTINYINT]: 1, [DuckDBTypeId.USMALLINT]: 2 } as const;
  return new EnumBuilder(
    type.values,
    type.internalTypeId === DuckDBTypeId.UTINYINT || type.internalTypeId === DuckDBTypeId.USMALLINT
      ? bytes[type.internalTypeId]
      : 4,
  );
}
