/**
 * The partition columns of a listing and the files of each partition.
 *
 * With a schema given, each file must have a part for each of its fields, whose text casts to the
 * field's type. Without one, the columns are the names that all files have parts of, in the order of
 * the first file; a column is an integer where all its values are, else a date, else a text.
 */

import { DataType, DateDay, Field, Int64, type Schema, Utf8 } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { isText, isUnzonedTime } from "../lossless-cast.ts";
import { ScanError } from "../scan.ts";
import type { DiscoveredFile } from "./discovery.ts";
import { partitionParts } from "./partition-parts.ts";

export interface FilePartition {
  readonly values: readonly (string | null)[];
  readonly files: readonly DiscoveredFile[];
}

export interface Partitioning {
  readonly fields: readonly Field[];
  /** Only those with files, but where there are no fields: then one, with all files. */
  readonly partitions: readonly FilePartition[];
}

/** @throws ScanError naming file, column and value */
export function partitionFiles(
  table: string,
  files: readonly DiscoveredFile[],
  given: Schema | null,
): Partitioning {
  const parts = files.map((file) => partitionParts(file.folders));
  const fields = given === null ? inferFields(parts) : given.fields;
  if (fields.length === 0) return { fields, partitions: [{ values: [], files }] };
  checkTypes(table, fields);
  const groups = new Map<string, { values: (string | null)[]; files: DiscoveredFile[] }>();
  for (const [index, file] of files.entries()) {
    const values = fields.map((field) => partitionValue(table, file, parts[index]!, field));
    const id = JSON.stringify(values);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, { values, files: [file] });
    else group.files.push(file);
  }
  return { fields, partitions: [...groups.values()] };
}

function checkTypes(table: string, fields: readonly Field[]): void {
  for (const field of fields) {
    if (!isPartitionType(field.type)) {
      throw new ScanError(
        `${table}: the partition column ${field.name} cannot be ${arrowTypeName(field.type)}; it can be a boolean, number, text, date or timestamp`,
      );
    }
  }
}

function partitionValue(
  table: string,
  file: DiscoveredFile,
  parts: ReadonlyMap<string, string | null>,
  field: Field,
): string | null {
  const value = parts.get(field.name);
  const { key } = file.object;
  if (value === undefined) {
    throw new ScanError(`${table}: ${key} has no ${field.name}=… part in its path`);
  }
  if (value === null) {
    if (field.nullable) return null;
    throw new ScanError(`${table}: ${key} has no value of ${field.name}, which is not nullable`);
  }
  if (castsToPartitionType(value, field.type)) return value;
  throw new ScanError(
    `${table}: ${key} has ${field.name}=${value}, which is not of type ${arrowTypeName(field.type)}, as its partition schema says`,
  );
}

function inferFields(parts: readonly ReadonlyMap<string, string | null>[]): Field[] {
  const [first] = parts;
  if (first === undefined) return [];
  const names = [...first.keys()].filter((name) => parts.every((part) => part.has(name)));
  return names.map((name) => {
    const values = parts.map((part) => part.get(name)).filter((value) => value != null);
    return new Field(name, inferType([...new Set(values)]), true);
  });
}

function inferType(values: readonly string[]): DataType {
  if (values.length === 0) return new Utf8();
  if (values.every(isIntegerText)) return new Int64();
  const date = new DateDay();
  return values.every((value) => castsToPartitionType(value, date)) ? date : new Utf8();
}

const INTEGER = /^[+-]?\d{1,20}$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const BOOLEAN = /^(?:true|false|t|f|1|0)$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?$/;
const OFFSET = /:\d{2}(?:\.\d+)?[+-](?!00(?::?00)?$)\d{2}/;

/** A whole number of 64 bits. */
function isIntegerText(text: string): boolean {
  return INTEGER.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/** Types that a partition column may have. */
function isPartitionType(type: DataType): boolean {
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

/** Whether DuckDB casts the text to a partition column's type, so that a bad one is told with its file. */
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
  if (DataType.isTimestamp(type)) {
    // Without a zone the distance from UTC would be dropped.
    return isTimestamp(text) && !(isUnzonedTime(type) && OFFSET.test(text));
  }
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
