/**
 * An Arrow type's name as users see it, in answers and errors; stable, so that clients may compare it:
 *
 *     Null  Bool  Int8…Int64  Uint8…Uint64  Float16 Float32 Float64  Decimal128<10, 2>
 *     Utf8 LargeUtf8 Utf8View  Binary LargeBinary BinaryView FixedSizeBinary<16>
 *     Date32<DAY> Date64<MILLISECOND>  Time32<SECOND>…Time64<NANOSECOND>
 *     Timestamp<MICROSECOND> Timestamp<MICROSECOND, UTC>  Duration<NANOSECOND>  Interval<MONTH_DAY_NANO>
 *     List<Int64> LargeList<Utf8> FixedSizeList<3, Float32>  Struct<a: Int64, "b c": Utf8>
 *     Map<Utf8, Int64>  SparseUnion<…> DenseUnion<a: Int32, b: Utf8>  Dictionary<Int8, Utf8>
 */

import { DataType, DateUnit, type Field, IntervalUnit, TimeUnit, UnionMode } from "apache-arrow";

const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u;

export function arrowTypeName(type: DataType): string {
  if (DataType.isInt(type)) return `${type.isSigned ? "Int" : "Uint"}${type.bitWidth}`;
  if (DataType.isFloat(type)) return `Float${16 << type.precision}`;
  if (DataType.isDecimal(type)) return `Decimal${type.bitWidth}<${type.precision}, ${type.scale}>`;
  if (DataType.isFixedSizeBinary(type)) return `FixedSizeBinary<${type.byteWidth}>`;
  if (DataType.isDate(type))
    return type.unit === DateUnit.DAY ? "Date32<DAY>" : "Date64<MILLISECOND>";
  if (DataType.isTime(type)) return `Time${type.bitWidth}<${TimeUnit[type.unit]}>`;
  if (DataType.isTimestamp(type))
    return `Timestamp<${TimeUnit[type.unit]}${type.timezone ? `, ${type.timezone}` : ""}>`;
  if (DataType.isDuration(type)) return `Duration<${TimeUnit[type.unit]}>`;
  if (DataType.isInterval(type)) return `Interval<${IntervalUnit[type.unit]}>`;
  if (DataType.isDictionary(type))
    return `Dictionary<${arrowTypeName(type.indices)}, ${arrowTypeName(type.dictionary)}>`;
  return nestedName(type) ?? plainName(type);
}

function nestedName(type: DataType): string | null {
  if (DataType.isList(type)) return `List<${arrowTypeName(type.valueType)}>`;
  if (DataType.isLargeList(type)) return `LargeList<${arrowTypeName(type.valueType)}>`;
  if (DataType.isFixedSizeList(type))
    return `FixedSizeList<${type.listSize}, ${arrowTypeName(type.valueType)}>`;
  if (DataType.isMap(type))
    return `Map<${arrowTypeName(type.keyType)}, ${arrowTypeName(type.valueType)}>`;
  if (DataType.isStruct(type)) return `Struct<${members(type.children)}>`;
  if (DataType.isUnion(type))
    return `${type.mode === UnionMode.Dense ? "Dense" : "Sparse"}Union<${members(type.children)}>`;
  return null;
}

function members(children: readonly Field[]): string {
  return children
    .map(({ name, type }) => {
      const shown = PLAIN_NAME.test(name) ? name : JSON.stringify(name);
      return `${shown}: ${arrowTypeName(type)}`;
    })
    .join(", ");
}

/** Types without parameters are named as apache-arrow names them. */
function plainName(type: DataType): string {
  return `${type}`;
}
