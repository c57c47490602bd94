/**
 * Reading a value of a text or a JSON value as a column's type, so that one that is none stops the
 * query with its table, file, column and value.
 */

import { DataType, type Field } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { exactCast } from "../exact-cast.ts";
import { isText } from "../lossless-cast.ts";
import { quoteName, quoteText } from "../sql-text.ts";
import { usualText, WITH_MISSING } from "./csv-files.ts";
import type { FoundCsv } from "./csv-options.ts";
import { FILE_COLUMN, FILE_NAME } from "./relations.ts";

/** Characters of a bad value that are shown. */
const SHOWN_CHARACTERS = 100;

/** @param at the place of a column of texts among those of its file */
export function castText(table: string, at: number, field: Field, csv: FoundCsv): string {
  const source = quoteName(`c${at}`);
  if (isText(field.type) && duckdbTypeOf(field) === "VARCHAR")
    return field.nullable ? source : `coalesce(${source}, '')`;
  const missing = !field.metadata.has(WITH_MISSING)
    ? source
    : `CASE WHEN ${source} NOT IN (${csv.missing.map(quoteText).join(", ")}) THEN ${source} END`;
  return orError(table, missing, field, parse(missing, field, csv), rowMark(at, missing, csv));
}

/** @param source a column of JSON values, quoted */
export function castJson(table: string, source: string, field: Field): string {
  if (isText(field.type) && duckdbTypeOf(field) === "VARCHAR") {
    const text = `${source}->>'$'`;
    return field.nullable ? `(${text})` : orMissing(table, field, `(${text})`);
  }
  return orError(table, source, field, exactCast(source, field));
}

function parse(source: string, field: Field, csv: FoundCsv): string {
  const formatted = (format: string) =>
    `CAST(try_strptime(${source}, ${quoteText(format)}) AS ${duckdbTypeOf(field)})`;
  const { type } = field;
  if (DataType.isDate(type) && csv.dateFormat !== null) return formatted(csv.dateFormat);
  if (DataType.isTimestamp(type) && csv.timestampFormat !== null) {
    return formatted(csv.timestampFormat);
  }
  return exactCast(usualText(source, field), field);
}

/**
 * For the session, which finds the value's row by it and takes it off the message: how the file is read,
 * where it lies, and the value.
 */
function rowMark(column: number, source: string, csv: FoundCsv): string {
  const { hasHeader: header, delimiter, comment } = csv;
  const place = quoteText(JSON.stringify({ column, header, delimiter, comment }));
  const parts = [place, quoteName(FILE_COLUMN), `left(${source}, ${SHOWN_CHARACTERS})`];
  return parts.map((part) => ` || chr(1) || ${part}`).join("");
}

function orError(table: string, source: string, field: Field, value: string, mark = ""): string {
  const shown = `left(CAST(${source} AS VARCHAR), ${SHOWN_CHARACTERS})`;
  const bad = `error(${beginning(table)} || ${FILE_NAME} || ${quoteText(`: the column ${field.name} has `)} || ${shown} || ${quoteText(`, which is no ${arrowTypeName(field.type)}`)}${mark})`;
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
