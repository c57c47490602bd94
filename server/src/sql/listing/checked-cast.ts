/**
 * Reading a value of a text or a JSON value as a column's type, so that one that is none stops the
 * query with its table, file, column and value.
 */

import { DataType, type Field } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { exactCast } from "../exact-cast.ts";
import { isText } from "../lossless-cast.ts";
import { quoteText } from "../sql-text.ts";
import { usualText, WITH_MISSING } from "./csv-files.ts";
import type { CsvOptions } from "./csv-options.ts";
import { FILE_NAME } from "./relations.ts";

/** Characters of a bad value that are shown. */
const SHOWN_CHARACTERS = 100;

/** @param source a column of texts, quoted */
export function castText(table: string, source: string, field: Field, csv: CsvOptions): string {
  if (isText(field.type) && duckdbTypeOf(field) === "VARCHAR")
    return field.nullable ? source : `coalesce(${source}, '')`;
  const missing = !field.metadata.has(WITH_MISSING)
    ? source
    : `CASE WHEN ${source} NOT IN (${csv.missing.map(quoteText).join(", ")}) THEN ${source} END`;
  return orError(table, missing, field, parse(missing, field, csv));
}

/** @param source a column of JSON values, quoted */
export function castJson(table: string, source: string, field: Field): string {
  if (isText(field.type) && duckdbTypeOf(field) === "VARCHAR") {
    const text = `${source}->>'$'`;
    return field.nullable ? `(${text})` : orMissing(table, field, `(${text})`);
  }
  return orError(table, source, field, exactCast(source, field));
}

function parse(source: string, field: Field, csv: CsvOptions): string {
  const formatted = (format: string) =>
    `CAST(try_strptime(${source}, ${quoteText(format)}) AS ${duckdbTypeOf(field)})`;
  const { type } = field;
  if (DataType.isDate(type) && csv.dateFormat !== null) return formatted(csv.dateFormat);
  if (DataType.isTimestamp(type) && csv.timestampFormat !== null) {
    return formatted(csv.timestampFormat);
  }
  return exactCast(usualText(source, field), field);
}

function orError(table: string, source: string, field: Field, value: string): string {
  const shown = `left(CAST(${source} AS VARCHAR), ${SHOWN_CHARACTERS})`;
  const bad = `error(${beginning(table)} || ${FILE_NAME} || ${quoteText(`: the column ${field.name} has `)} || ${shown} || ${quoteText(`, which is no ${arrowTypeName(field.type)}`)})`;
  const checked = `coalesce(${value}, CASE WHEN ${source} IS NOT NULL THEN ${bad} END)`;
  return field.nullable ? checked : orMissing(table, field, checked);
}

function orMissing(table: string, field: Field, value: string): string {
  const message = `: the column ${field.name} has no value, which is not nullable`;
  return `coalesce(${value}, error(${beginning(table)} || ${FILE_NAME} || ${quoteText(message)}))`;
}

function beginning(table: string): string {
  return quoteText(`${table}: `);
}
