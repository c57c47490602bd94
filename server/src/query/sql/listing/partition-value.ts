/** Which texts DuckDB casts to a partition column's type, so that a bad one is told with its file. */

import { DataType } from "apache-arrow";
import { isText } from "../lossless-cast.ts";

const INTEGER = /^[+-]?\d{1,20}$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const BOOLEAN = /^(?:true|false|t|f|1|0)$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?$/;

/** A whole number of 64 bits. */
export function isIntegerText(text: string): boolean {
  return INTEGER.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/** Types that a partition column may have. */
export function isPartitionType(type: DataType): boolean {
  if (DataType.isDictionary(type)) return isText(type.dictionary);
  return (
    isText(type) ||
    DataType.isInt(type) ||
    DataType.isFloat(type) ||
    DataType.isDecimal(type) ||
    DataType.isBool(type) ||
    DataType.isDate(type) ||
    DataType.isTimestamp(type)
  );
}

export function castsToPartitionType(text: string, type: DataType): boolean {
  if (isText(type) || DataType.isDictionary(type)) return true;
  if (DataType.isBool(type)) return BOOLEAN.test(text);
  if (DataType.isInt(type)) {
    if (!INTEGER.test(text)) return false;
    const value = BigInt(text);
    const wrap = type.isSigned ? BigInt.asIntN : BigInt.asUintN;
    return wrap(type.bitWidth, value) === value;
  }
  if (DataType.isFloat(type)) return NUMBER.test(text);
  if (DataType.isDecimal(type)) return fitsDecimal(text, type.precision, type.scale);
  if (DataType.isDate(type)) return isDate(text);
  if (DataType.isTimestamp(type)) return isTimestamp(text);
  return false;
}

/** Without loss: no more digits than the type holds, on either side of the point. */
function fitsDecimal(text: string, precision: number, scale: number): boolean {
  const match = /^[+-]?(\d*)\.?(\d*)$/.exec(text);
  if (match === null || !/\d/.test(text)) return false;
  const [, whole = "", fraction = ""] = match;
  return (
    whole.replace(/^0+/, "").length <= precision - scale &&
    fraction.replace(/0+$/, "").length <= scale
  );
}

function isDate(text: string): boolean {
  const match = DATE.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isTimestamp(text: string): boolean {
  const [date = "", time] = text.split(/[T ]/, 2);
  return isDate(date) && (time === undefined || TIME.test(time));
}
