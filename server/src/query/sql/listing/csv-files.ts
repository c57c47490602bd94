/**
 * Files of delimited text as they are written: each is looked at before it is read, so that files of
 * one table may differ in delimiter and encoding; how dates and numbers are written is one decision for
 * the table, made when its columns are inferred.
 */

import { open } from "node:fs/promises";
import { type Field, Schema } from "apache-arrow";
import type { CsvFile } from "../csv-look.ts";
import { readAsLearned } from "../date-order.ts";
import type { DateOrders, SchemaReader } from "../scan.ts";
import type { CsvOptions, FoundCsv } from "./csv-options.ts";
import { fileFault, type LocalFile } from "./file-schemas.ts";

/** Metadata of a field that says how its texts are written. */
export const TEXT_FORM = "csv.form";
/** Metadata of a field of dates that no value tells the order of. */
export const EITHER_ORDER = "csv.either_order";
/** Metadata of a field whose inference took NA and its like for missing. */
export const WITH_MISSING = "csv.with_missing";
export type TextForm = "month-first" | "day-first" | "comma-number";

/** @param dates in which order who the rows are for wants dates that do not tell it */
export async function withLearnedOrders(schema: Schema, dates: DateOrders): Promise<Schema> {
  const fields = schema.fields.map(async (field) => {
    const order = field.metadata.has(EITHER_ORDER) ? await dates(field.name) : null;
    return order === null ? field : readAsLearned(field, order, [[TEXT_FORM, order]]);
  });
  return new Schema(await Promise.all(fields), schema.metadata);
}

/** @param sampleRows rows that the columns' forms are told from; 0 = none is */
export async function lookAtFiles(
  table: string,
  files: readonly LocalFile[],
  csv: CsvOptions,
  sampleRows: number,
  reader: SchemaReader,
): Promise<CsvFile[]> {
  const { delimiter, comment, encoding, hasHeader } = csv;
  const look = { delimiter, comment, encoding, hasHeader, sampleRows };
  const found: CsvFile[] = [];
  for (const file of files) {
    try {
      found.push(await reader.lookAtCsv(file.path, look));
    } catch (error) {
      throw fileFault(table, file, error);
    }
  }
  return found;
}

export function foundCsv(csv: CsvOptions, { delimiter, comment, isDeclared }: Dialect): FoundCsv {
  return { ...csv, delimiter, comment, isDeclared };
}

type Dialect = Pick<CsvFile, "delimiter" | "comment" | "isDeclared">;

const DELIMITER = "csv.delimiter";
const COMMENT = "csv.comment";
const DECLARED = "csv.declared";
const ENCODING = "csv.encoding";
const CHANGED = "csv.changed";
const ENDS_LONG = "csv.ends_long";
/** DuckDB takes no longer records; its reader loses only some that are much longer. */
const LONGEST_RECORD_BYTES = 2_000_000;

/**
 * A file's columns together with how it is written.
 *
 * @param lastLine bytes of the last line, where the file had to be unpacked to tell; else 0
 */
export function withDialect(schema: Schema, file: CsvFile, lastLine: number): Schema {
  return new Schema(
    schema.fields,
    new Map([
      [DELIMITER, file.delimiter],
      [COMMENT, file.comment],
      [DECLARED, String(file.isDeclared)],
      [ENCODING, file.encoding],
      ...(file.isChanged ? [[CHANGED, "true"] as const] : []),
      ...(lastLine > LONGEST_RECORD_BYTES ? [[ENDS_LONG, "true"] as const] : []),
    ]),
  );
}

export function dialectOf({ metadata }: Schema): Dialect {
  return {
    delimiter: metadata.get(DELIMITER) ?? ",",
    comment: metadata.get(COMMENT) ?? "",
    isDeclared: metadata.get(DECLARED) === "true",
  };
}

/** Whether a compressed file's last record may be longer than DuckDB's parallel reader has in hand. */
export function endsLong({ metadata }: Schema): boolean {
  return metadata.has(ENDS_LONG);
}

/** Whether a fresh copy of the file has to be written anew. */
export function isForeign({ metadata }: Schema): boolean {
  return (metadata.get(ENCODING) ?? "utf-8") !== "utf-8" || metadata.has(CHANGED);
}

const USUAL_TAIL_BYTES = 64 << 10;

/**
 * Whether a file's last record may be longer than what DuckDB's parallel reader has in hand at once
 * (some 16 MB). It passes over such a record in silence, where the sequential one refuses it. In the
 * middle of a file both refuse it. The sequential one is for such files alone: it passes over a quote
 * that is never closed.
 *
 * @param path of a local file that is not compressed: of one that is, `withDialect` keeps what is known
 */
export async function mayEndLong(path: string): Promise<boolean> {
  if (/\.(?:gz|zst)$/.test(path)) return false;
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size <= LONGEST_RECORD_BYTES) return false;
    for (const length of [USUAL_TAIL_BYTES, LONGEST_RECORD_BYTES]) {
      // The end of the last line itself does not count.
      const tail = Buffer.alloc(length - 2);
      const { bytesRead } = await file.read(tail, 0, tail.length, size - length);
      const read = tail.subarray(0, bytesRead);
      if (read.includes(0x0a) || read.includes(0x0d)) return false;
    }
    return true;
  } finally {
    await file.close();
  }
}

/**
 * The text of a column as SQL's casts read it.
 *
 * @param source a column of texts, quoted
 */
export function usualText(source: string, field: Field): string {
  const date = (order: string): string =>
    `regexp_replace(${source}, '^([0-9]{1,2})[/.]([0-9]{1,2})[/.]([0-9]{4})', '${order}')`;
  switch (field.metadata.get(TEXT_FORM)) {
    case "month-first":
      return date("\\3-\\1-\\2");
    case "day-first":
      return date("\\3-\\2-\\1");
    case "comma-number":
      return `CASE WHEN regexp_matches(${source}, '^[+-]?([0-9]+|[1-9][0-9]{0,2}([.][0-9]{3})+)(,[0-9]+)?([eE][+-]?[0-9]+)?$') THEN replace(replace(${source}, '.', ''), ',', '.') END`;
    default:
      return source;
  }
}
