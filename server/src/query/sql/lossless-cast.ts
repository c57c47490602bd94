/**
 * Which values of one type are all values of another: what a definition's type may differ by from
 * the type that is found. Units of times are not told apart, because readers of files do not keep
 * them; everything becomes a text but bytes and nested values.
 */

import { DataType, type Field, Precision, type Struct, type Timestamp } from "apache-arrow";
import { duckdbTypeOf } from "../arrow/duckdb-type.ts";

/** Bits of whole numbers that a binary float holds exactly. */
const MANTISSA_BITS = { [Precision.HALF]: 11, [Precision.SINGLE]: 24, [Precision.DOUBLE]: 53 };
/** Decimal digits that a double gives back as they were. */
const DOUBLE_DIGITS = 15;

export function castsLosslessly(found: Field, wanted: Field): boolean {
  const type = duckdbTypeOf(wanted);
  if (duckdbTypeOf(found) === type) return true;
  // A text that stands for another type, such as a UUID, is not any text.
  if (isText(wanted.type) && type !== "VARCHAR") return false;
  return typeCasts(found.type, wanted.type);
}

function typeCasts(found: DataType, wanted: DataType): boolean {
  if (DataType.isDictionary(found)) return typeCasts(found.dictionary, wanted);
  if (DataType.isDictionary(wanted)) return typeCasts(found, wanted.dictionary);
  if (DataType.isNull(found)) return true;
  if (isText(wanted)) return isText(found) || isWrittenAsText(found);
  if (DataType.isInt(found)) return castsInteger(found.bitWidth, found.isSigned, wanted);
  if (DataType.isFloat(found))
    return DataType.isFloat(wanted) && found.precision <= wanted.precision;
  if (DataType.isDecimal(found)) return castsDecimal(found.precision, found.scale, wanted);
  if (DataType.isDate(found)) return DataType.isTimestamp(wanted) && !hasZone(wanted);
  if (DataType.isTimestamp(found)) {
    return DataType.isTimestamp(wanted) && hasZone(found) === hasZone(wanted);
  }
  if (DataType.isTime(found)) return DataType.isTime(wanted);
  return castsNested(found, wanted);
}

/** Times that casts to another unit may cut or have no room for, which `castsLosslessly` does not tell. */
export function isUnzonedTime(type: DataType): type is Timestamp {
  return DataType.isTimestamp(type) && !hasZone(type);
}

function castsInteger(bits: number, signed: boolean, wanted: DataType): boolean {
  const magnitude = signed ? bits - 1 : bits;
  if (DataType.isInt(wanted)) {
    const room = wanted.isSigned ? wanted.bitWidth - 1 : wanted.bitWidth;
    return magnitude <= room && (!signed || wanted.isSigned);
  }
  if (DataType.isFloat(wanted)) return magnitude <= MANTISSA_BITS[wanted.precision];
  if (!DataType.isDecimal(wanted)) return false;
  return wanted.precision - wanted.scale >= String(2n ** BigInt(magnitude)).length;
}

function castsDecimal(precision: number, scale: number, wanted: DataType): boolean {
  if (DataType.isDecimal(wanted)) {
    return wanted.scale >= scale && wanted.precision - wanted.scale >= precision - scale;
  }
  if (DataType.isInt(wanted)) {
    const room = wanted.isSigned ? wanted.bitWidth - 1 : wanted.bitWidth;
    return scale === 0 && wanted.isSigned && precision < String(2n ** BigInt(room)).length;
  }
  return (
    DataType.isFloat(wanted) && wanted.precision === Precision.DOUBLE && precision <= DOUBLE_DIGITS
  );
}

function castsNested(found: DataType, wanted: DataType): boolean {
  if (isList(found)) {
    if (!isList(wanted)) return false;
    return castsLosslessly(found.children[0]!, wanted.children[0]!);
  }
  if (DataType.isMap(found) && DataType.isMap(wanted)) {
    // Its entries are one struct, whose members writers name differently.
    return membersCast(found.children[0]!.type, wanted.children[0]!.type);
  }
  return DataType.isStruct(found) && DataType.isStruct(wanted) && structCasts(found, wanted);
}

/**
 * Members are matched by name, in any case and order, as columns are; one that is not found is NULL, one
 * that is not wanted is left out. DuckDB casts no struct that has none of the wanted members.
 */
function structCasts(found: Struct, wanted: Struct): boolean {
  let common = 0;
  const fit = wanted.children.every((member) => {
    const same = found.children.filter((child) => sameName(child, member));
    if (same.length > 0) common++;
    return same.length === 0
      ? member.nullable
      : same.length === 1 && castsLosslessly(same[0]!, member);
  });
  return fit && common > 0;
}

function sameName(a: Field, b: Field): boolean {
  return a.name.toLowerCase() === b.name.toLowerCase();
}

function membersCast(found: DataType, wanted: DataType): boolean {
  return (
    found.children.length === wanted.children.length &&
    found.children.every((child, at) => castsLosslessly(child, wanted.children[at]!))
  );
}

export function isText(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
}

function isWrittenAsText(type: DataType): boolean {
  return (
    DataType.isInt(type) ||
    DataType.isFloat(type) ||
    DataType.isDecimal(type) ||
    DataType.isBool(type) ||
    DataType.isDate(type) ||
    DataType.isTime(type) ||
    DataType.isTimestamp(type)
  );
}

function isList(type: DataType): boolean {
  return DataType.isList(type) || DataType.isFixedSizeList(type) || DataType.isLargeList(type);
}

function hasZone(type: DataType): boolean {
  return DataType.isTimestamp(type) && typeof type.timezone === "string" && type.timezone !== "";
}
