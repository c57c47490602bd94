/**
 * The Arrow field for a column of DuckDB's, the way back of `duckdb-type.ts`. Types without a twin
 * travel as the nearest type that loses nothing, and their field's metadata names them:
 *
 *     HUGEINT    Decimal128<38, 0>  (39 digits are refused when they are met)
 *     UHUGEINT   Decimal256<39, 0>
 *     UUID, BIT, BIGNUM, TIME WITH TIME ZONE    Utf8, as DuckDB prints them
 *     VARIANT    Utf8 of JSON
 *     JSON       Utf8 with the extension arrow.json
 *     GEOMETRY   Binary of WKB with the extension geoarrow.wkb
 *     ENUM       Utf8
 *     INTERVAL   Interval<MONTH_DAY_NANO>
 *     UNION      SparseUnion; a NULL union is a NULL of its first member
 */

import {
  DuckDBArrayType,
  DuckDBDecimalType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionType,
} from "@duckdb/node-api";
import * as arrow from "apache-arrow";
import { ArrowTypeError, DUCKDB_TYPE_KEY, EXTENSION_KEY, JSON_EXTENSION } from "./duckdb-type.ts";

const MAX_UNION_MEMBERS = 128;

const PLAIN: Readonly<Partial<Record<DuckDBTypeId, () => arrow.DataType>>> = {
  [DuckDBTypeId.BOOLEAN]: () => new arrow.Bool(),
  [DuckDBTypeId.TINYINT]: () => new arrow.Int8(),
  [DuckDBTypeId.SMALLINT]: () => new arrow.Int16(),
  [DuckDBTypeId.INTEGER]: () => new arrow.Int32(),
  [DuckDBTypeId.BIGINT]: () => new arrow.Int64(),
  [DuckDBTypeId.UTINYINT]: () => new arrow.Uint8(),
  [DuckDBTypeId.USMALLINT]: () => new arrow.Uint16(),
  [DuckDBTypeId.UINTEGER]: () => new arrow.Uint32(),
  [DuckDBTypeId.UBIGINT]: () => new arrow.Uint64(),
  [DuckDBTypeId.FLOAT]: () => new arrow.Float32(),
  [DuckDBTypeId.DOUBLE]: () => new arrow.Float64(),
  [DuckDBTypeId.TIMESTAMP]: () => new arrow.TimestampMicrosecond(),
  [DuckDBTypeId.DATE]: () => new arrow.DateDay(),
  [DuckDBTypeId.TIME]: () => new arrow.TimeMicrosecond(),
  [DuckDBTypeId.INTERVAL]: () => new arrow.IntervalMonthDayNano(),
  [DuckDBTypeId.HUGEINT]: () => new arrow.Decimal(0, 38, 128),
  [DuckDBTypeId.UHUGEINT]: () => new arrow.Decimal(0, 39, 256),
  [DuckDBTypeId.VARCHAR]: () => new arrow.Utf8(),
  [DuckDBTypeId.BLOB]: () => new arrow.Binary(),
  [DuckDBTypeId.TIMESTAMP_S]: () => new arrow.TimestampSecond(),
  [DuckDBTypeId.TIMESTAMP_MS]: () => new arrow.TimestampMillisecond(),
  [DuckDBTypeId.TIMESTAMP_NS]: () => new arrow.TimestampNanosecond(),
  [DuckDBTypeId.ENUM]: () => new arrow.Utf8(),
  [DuckDBTypeId.UUID]: () => new arrow.Utf8(),
  [DuckDBTypeId.BIT]: () => new arrow.Utf8(),
  [DuckDBTypeId.TIME_TZ]: () => new arrow.Utf8(),
  [DuckDBTypeId.TIMESTAMP_TZ]: () => new arrow.TimestampMicrosecond("UTC"),
  [DuckDBTypeId.BIGNUM]: () => new arrow.Utf8(),
  [DuckDBTypeId.SQLNULL]: () => new arrow.Null(),
  [DuckDBTypeId.TIME_NS]: () => new arrow.TimeNanosecond(),
  [DuckDBTypeId.GEOMETRY]: () => new arrow.Binary(),
  [DuckDBTypeId.VARIANT]: () => new arrow.Utf8(),
};

/** What the field's metadata says of types without a twin. */
const METADATA: Readonly<Partial<Record<DuckDBTypeId, readonly (readonly [string, string])[]>>> = {
  [DuckDBTypeId.HUGEINT]: [[DUCKDB_TYPE_KEY, "HUGEINT"]],
  [DuckDBTypeId.UHUGEINT]: [[DUCKDB_TYPE_KEY, "UHUGEINT"]],
  [DuckDBTypeId.UUID]: [[DUCKDB_TYPE_KEY, "UUID"]],
  [DuckDBTypeId.BIT]: [[DUCKDB_TYPE_KEY, "BIT"]],
  [DuckDBTypeId.BIGNUM]: [[DUCKDB_TYPE_KEY, "BIGNUM"]],
  [DuckDBTypeId.TIME_TZ]: [[DUCKDB_TYPE_KEY, "TIME WITH TIME ZONE"]],
  [DuckDBTypeId.VARIANT]: [[DUCKDB_TYPE_KEY, "VARIANT"]],
  [DuckDBTypeId.GEOMETRY]: [
    [DUCKDB_TYPE_KEY, "GEOMETRY"],
    [EXTENSION_KEY, "geoarrow.wkb"],
  ],
};

/** @throws ArrowTypeError for types that no column has, such as ANY */
export function fieldOfDuckdbType(name: string, type: DuckDBType, nullable: boolean): arrow.Field {
  return new arrow.Field(name, arrowTypeOfDuckdb(name, type), nullable, metadataOf(type));
}

function arrowTypeOfDuckdb(name: string, type: DuckDBType): arrow.DataType {
  if (type instanceof DuckDBDecimalType) return new arrow.Decimal(type.scale, type.width, 128);
  if (type instanceof DuckDBListType)
    return new arrow.List(fieldOfDuckdbType("item", type.valueType, true));
  if (type instanceof DuckDBArrayType)
    return new arrow.FixedSizeList(type.length, fieldOfDuckdbType("item", type.valueType, true));
  if (type instanceof DuckDBStructType)
    return new arrow.Struct(
      type.entryTypes.map((entry, i) => fieldOfDuckdbType(type.entryNames[i]!, entry, true)),
    );
  if (type instanceof DuckDBMapType) {
    const entries = new arrow.Struct<{ key: arrow.DataType; value: arrow.DataType }>([
      fieldOfDuckdbType("key", type.keyType, false),
      fieldOfDuckdbType("value", type.valueType, true),
    ]);
    return new arrow.Map_(new arrow.Field("entries", entries, false));
  }
  if (type instanceof DuckDBUnionType) {
    if (type.memberCount > MAX_UNION_MEMBERS)
      throw new ArrowTypeError(
        `${JSON.stringify(name)} is a union of ${type.memberCount} members; Arrow has at most 128`,
      );
    return new arrow.SparseUnion(
      type.memberTypes.map((_, i) => i),
      type.memberTypes.map((member, i) => fieldOfDuckdbType(type.memberTags[i]!, member, true)),
    );
  }
  const make = PLAIN[type.typeId];
  if (make === undefined)
    throw new ArrowTypeError(
      `${JSON.stringify(name)} is of type ${type}, which Arrow cannot represent`,
    );
  return make();
}

function metadataOf(type: DuckDBType): Map<string, string> {
  if (type.typeId === DuckDBTypeId.VARCHAR && type.alias === "JSON")
    return new Map([[EXTENSION_KEY, JSON_EXTENSION]]);
  return new Map(METADATA[type.typeId] ?? []);
}
