/**
 * Times of files in nanoseconds that SQL has in microseconds: DuckDB's type of times with a zone, its
 * intervals, and what it reads Parquet's INT96 as. Values are not looked at, which would fetch files only to see
 * their columns; files that Spark wrote have microseconds in INT96 and are not told of.
 */

import { Field, Schema } from "apache-arrow";
import { cutsTimes } from "../../arrow/duckdb-type.ts";
import { quoteTexts } from "../../sql-text.ts";
import { COLUMN_WARNING, type SchemaReader } from "../scan.ts";
import { arrowColumns, parquetColumns } from "./columns-with.ts";
import type { LocalFile } from "./file-schemas.ts";
import type { ReadOptions } from "./format-options.ts";

const INT96 = "type = 'INT96'";
/** `TimestampType(isAdjustedToUTC=1, unit=TimeUnit(MILLIS=<null>, MICROS=<null>, NANOS=NanoSeconds()))` */
const ZONED =
  "logical_type LIKE 'TimestampType(%isAdjustedToUTC=1%' AND logical_type NOT LIKE '%NANOS=<null>%'";

/** @param types of all files @param files those whose columns they are @throws SqlError */
export async function withCutTimes(
  types: Schema,
  files: readonly LocalFile[],
  format: ReadOptions["format"],
  reader: SchemaReader,
): Promise<Schema> {
  const paths = files.map(({ path }) => path);
  const cut = new Set<string>();
  const add = (columns: ReadonlyMap<string, ReadonlySet<string>>): void => {
    for (const names of columns.values()) for (const name of names) cut.add(name.toLowerCase());
  };
  if (format === "arrow") add(await arrowColumns(paths, "cuts_times", reader));
  else {
    const [zoned, stamped] = await parquetColumns(paths, [`(${ZONED})`, INT96], reader);
    add(zoned ?? new Map());
    const stampedPaths = [...(stamped ?? [])].flatMap(([path, { size }]) => (size > 0 ? path : []));
    if (stamped !== undefined && stampedPaths.length > 0) {
      const spark = await writtenBySpark(stampedPaths, reader);
      add(new Map([...stamped].filter(([path]) => !spark.has(path))));
    }
  }
  if (cut.size === 0) return types;
  return new Schema(
    types.fields.map((field) => (cut.has(field.name.toLowerCase()) ? warned(field) : field)),
  );
}

/** The same of types that a definition says. */
export const withDeclaredCutTimes = (types: Schema): Schema =>
  types.fields.some(cutsTimes)
    ? new Schema(types.fields.map((field) => (cutsTimes(field) ? warned(field) : field)))
    : types;

async function writtenBySpark(
  paths: readonly string[],
  reader: SchemaReader,
): Promise<ReadonlySet<string>> {
  const rows = await reader.textsOf(
    `SELECT DISTINCT file_name FROM parquet_kv_metadata(${quoteTexts(paths)}) WHERE starts_with(CAST(key AS VARCHAR), 'org.apache.spark.')`,
  );
  return new Set(rows);
}

/** A column whose times in nanoseconds are read in microseconds. */
export function warned({ name, type, nullable, metadata }: Field): Field {
  const own = `the column ${name} has times in nanoseconds, which are read in microseconds; digits behind those, where there are any, are cut`;
  const known = metadata.get(COLUMN_WARNING);
  const warning = known === undefined ? own : `${known}; ${own}`;
  return new Field(name, type, nullable, new Map([...metadata, [COLUMN_WARNING, warning]]));
}
