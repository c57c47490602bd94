/**
 * The SELECT over staged files: files of equal columns are read together, with their partitions' values
 * from the folders they lie in, so that a thousand partitions are one scan and not a union of them.
 */

import { DataType, type Field, type Schema } from "apache-arrow";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { quoteName, quoteText } from "../../sql-text.ts";
import { emptySql } from "../empty-select.ts";
import { castJson, castText } from "./checked-cast.ts";
import { dialectOf, foundCsv } from "./csv-files.ts";
import { findColumn } from "./fit-schema.ts";
import type { ReadOptions } from "./format-options.ts";
import { partitionFolders, partitionText } from "./partition-folders.ts";
import { arrowRelation, csvRelation, jsonRelation, parquetRelation } from "./relations.ts";
import type { StagedFile } from "./staged-files.ts";
import { castTime } from "./time-cast.ts";
import { castByValue } from "./value-cast.ts";

export interface StagedTable {
  readonly table: string;
  readonly options: ReadOptions;
  /** The needed columns, in the order wanted. */
  readonly columns: readonly Field[];
  /** All partition columns, needed or not. */
  readonly partitionFields: readonly Field[];
  /** Their values, a partition; `StagedFile.partition` is a place here. */
  readonly partitions: readonly (readonly (string | null)[])[];
}

/** Files that hold the same columns. */
export interface FileGroup {
  /** In the files' order. */
  readonly schema: Schema;
  readonly files: readonly StagedFile[];
  /** Whether each of them is for one thread; see `mayEndLong`. */
  readonly isSequential: boolean;
}

export function stagedSql(staged: StagedTable, groups: readonly FileGroup[]): string {
  if (groups.length === 0) return emptySql(staged.columns);
  return groups.flatMap((group) => groupSql(staged, group)).join("\nUNION ALL\n");
}

/** One row for each of these partitions, of which nothing but their values is needed. */
export function partitionRowsSql(
  { columns, partitionFields }: Pick<StagedTable, "columns" | "partitionFields">,
  partitions: readonly (readonly (string | null)[])[],
): string {
  const rows = partitions.map((values) => `(${values.map(textOrNull).join(", ")})`);
  const names = partitionFields.map((_, at) => quoteName(`value_${at}`));
  const selected = columns.map((field) => {
    const at = partitionFields.indexOf(field);
    return `CAST(${names[at]} AS ${duckdbTypeOf(field)}) AS ${quoteName(field.name)}`;
  });
  return `SELECT ${selected.join(", ")} FROM (VALUES ${rows.join(", ")}) AS partitions(${names.join(", ")})`;
}

const textOrNull = (value: string | null | undefined): string =>
  value == null ? "NULL" : quoteText(value);

function groupSql(staged: StagedTable, group: FileGroup): string[] {
  if (!isReadTogether(staged)) {
    const partitions = [...new Set(group.files.map(({ partition }) => partition))];
    return partitions.map((partition) => {
      const files = group.files.filter((file) => file.partition === partition);
      return selectSql(staged, { ...group, files });
    });
  }
  return [selectSql(staged, group)];
}

/** The reader of Arrow files takes no values from paths. */
function isReadTogether({ options, columns, partitionFields, partitions }: StagedTable): boolean {
  if (!columns.some((field) => partitionFields.includes(field))) return true;
  return (
    options.format !== "arrow" && partitions.every((values) => partitionFolders(values) !== null)
  );
}

function selectSql(staged: StagedTable, group: FileGroup): string {
  const partitions = [...new Set(group.files.map(({ partition }) => partition))];
  const single = partitions.length === 1 ? partitions[0]! : null;
  const fileColumns = staged.columns.filter((field) => !staged.partitionFields.includes(field));
  const hasPartitions = single === null && fileColumns.length < staged.columns.length;
  const expressions = staged.columns.map((field) => {
    const at = staged.partitionFields.indexOf(field);
    const value =
      at < 0 ? fileColumn(staged, group, field) : partitionValue(staged, field, at, single);
    return `${value} AS ${quoteName(field.name)}`;
  });
  const from = relation(
    staged.options,
    group,
    fileColumns,
    hasPartitions ? staged.partitionFields.length : 0,
  );
  return `SELECT ${listed(expressions)} FROM ${from}`;
}

function relation(
  options: ReadOptions,
  { files, schema, isSequential }: FileGroup,
  columns: readonly Field[],
  partitionColumns: number,
): string {
  const paths = files.map(({ path }) => path);
  switch (options.format) {
    case "parquet":
      return parquetRelation(paths, options.binaryAsString, partitionColumns);
    case "csv":
    case "tsv":
      return csvRelation(
        paths,
        schema.fields.length,
        foundCsv(options.csv, dialectOf(schema)),
        partitionColumns,
        isSequential,
      );
    case "json":
    case "ndjson":
      return jsonRelation(
        paths,
        // Some member has to be named for the objects to be counted.
        columns.length === 0 ? ["counted"] : columns.map(({ name }) => keyOf(schema, name)),
        options.json,
        partitionColumns,
      );
    case "arrow":
      return arrowRelation(paths);
  }
}

function fileColumn({ table, options }: StagedTable, group: FileGroup, field: Field): string {
  if (options.format === "json" || options.format === "ndjson") {
    return castJson(table, quoteName(keyOf(group.schema, field.name)), field);
  }
  const at = findColumn(group.schema, field.name);
  if (at < 0) return nullOf(field);
  if (options.format === "csv" || options.format === "tsv") {
    return castText(table, at, field, foundCsv(options.csv, dialectOf(group.schema)));
  }
  const found = group.schema.fields[at]!;
  const source = quoteName(found.name);
  // DuckDB would leave out row groups by statistics, in which NaN, greater than every number, is not.
  const hidden = options.format === "parquet" && DataType.isFloat(found.type);
  return castTyped(table, hidden ? `(-(-${source}))` : source, found, field, group.files);
}

/** What a JSON file calls a column. */
function keyOf(schema: Schema, name: string): string {
  return schema.fields[findColumn(schema, name)]?.name ?? name;
}

/** Types were compared before; @param source the column's value @param found the column as its files have it */
function castTyped(
  table: string,
  source: string,
  found: Field,
  field: Field,
  files: readonly StagedFile[],
): string {
  const place = `${table}: the column ${field.name} of ${shownFiles(files)}`;
  return (
    castTime(source, found, field, place) ??
    castByValue(source, found, field, place) ??
    `CAST(${source} AS ${duckdbTypeOf(field)})`
  );
}

/** Files of typed formats tell no row the file that it is of. */
function shownFiles(files: readonly StagedFile[]): string {
  const first = files[0]?.file.object.key ?? "no file";
  return files.length < 2 ? first : `${first} or of ${files.length - 1} more of its files`;
}

function partitionValue(
  { partitions }: StagedTable,
  field: Field,
  at: number,
  single: number | null,
): string {
  const type = duckdbTypeOf(field);
  if (single === null) return `CAST(${partitionText(at)} AS ${type})`;
  return `CAST(${textOrNull(partitions[single]![at])} AS ${type})`;
}

function nullOf(field: Field): string {
  return `CAST(NULL AS ${duckdbTypeOf(field)})`;
}

/** A SELECT has at least one column. */
function listed(expressions: readonly string[]): string {
  return expressions.length === 0 ? "NULL AS counted" : expressions.join(", ");
}
