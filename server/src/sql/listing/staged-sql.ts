/**
 * The SELECT over staged files: files of equal columns are read together, and a file's partition is a
 * column of one reader's call, so that a thousand partitions are one scan and not a union of them.
 */

import type { Field, Schema } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { emptySql } from "../empty-select.ts";
import { mayCutTime } from "../lossless-cast.ts";
import { quoteName, quoteText } from "../sql-text.ts";
import { castJson, castText } from "./checked-cast.ts";
import { findColumn } from "./fit-schema.ts";
import type { ReadOptions } from "./format-options.ts";
import {
  arrowRelation,
  csvRelation,
  jsonRelation,
  type PartitionColumn,
  parquetRelation,
} from "./relations.ts";
import { PARTITION_FOLDER, type StagedFile } from "./staged-files.ts";

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
  /** In the files' order; no columns where a format needs none to be known. */
  readonly schema: Schema;
  readonly files: readonly StagedFile[];
}

export function stagedSql(staged: StagedTable, groups: readonly FileGroup[]): string {
  if (groups.length === 0) return emptySql(staged.columns);
  return groups.flatMap((group) => groupSql(staged, group)).join("\nUNION ALL\n");
}

function groupSql(staged: StagedTable, group: FileGroup): string[] {
  if (staged.options.format === "arrow") {
    // The reader of Arrow files gives no paths, so that a partition is a call.
    const partitions = [...new Set(group.files.map(({ partition }) => partition))];
    return partitions.map((partition) => {
      const files = group.files.filter((file) => file.partition === partition);
      return selectSql(staged, { ...group, files });
    });
  }
  return [selectSql(staged, group)];
}

function selectSql(staged: StagedTable, group: FileGroup): string {
  const partitions = [...new Set(group.files.map(({ partition }) => partition))];
  const single = partitions.length === 1 ? partitions[0]! : null;
  const fileColumns = staged.columns.filter((field) => !staged.partitionFields.includes(field));
  const needsPlace = single === null && fileColumns.length < staged.columns.length;
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
    needsPlace ? "with-partition" : "without-partition",
  );
  return `SELECT ${listed(expressions)} FROM ${from}`;
}

function relation(
  options: ReadOptions,
  { files, schema }: FileGroup,
  columns: readonly Field[],
  partition: PartitionColumn,
): string {
  const paths = files.map(({ path }) => path);
  switch (options.format) {
    case "parquet":
      return parquetRelation(paths, options.binaryAsString, partition);
    case "csv":
    case "tsv":
      return csvRelation(paths, schema.fields.length, options.csv, partition);
    case "json":
    case "ndjson":
      return jsonRelation(
        paths,
        // Some member has to be named for the objects to be counted.
        columns.length === 0 ? ["counted"] : columns.map(({ name }) => name),
        options.json,
        partition,
      );
    case "arrow":
      return arrowRelation(paths);
  }
}

function fileColumn({ table, options }: StagedTable, group: FileGroup, field: Field): string {
  if (options.format === "json" || options.format === "ndjson") {
    return castJson(table, quoteName(field.name), field);
  }
  const at = findColumn(group.schema, field.name);
  if (at < 0) return nullOf(field);
  if (options.format === "csv" || options.format === "tsv") {
    return castText(table, quoteName(`c${at}`), field, options.csv);
  }
  return castTyped(table, quoteName(group.schema.fields[at]!.name), field);
}

/** Types were compared before; what a coarser unit would cut off is compared here. */
function castTyped(table: string, source: string, field: Field): string {
  const cast = `CAST(${source} AS ${duckdbTypeOf(field)})`;
  if (!mayCutTime(field.type)) return cast;
  const message = `${table}: the column ${field.name} has times finer than ${arrowTypeName(field.type)}`;
  return `CASE WHEN CAST(${cast} AS TIMESTAMP_NS) <> ${source} THEN error(${quoteText(message)}) ELSE ${cast} END`;
}

function partitionValue(
  { partitions }: StagedTable,
  field: Field,
  at: number,
  single: number | null,
): string {
  const value = (values: readonly (string | null)[]) => {
    const text = values[at];
    return text == null ? "NULL" : quoteText(text);
  };
  const type = duckdbTypeOf(field);
  if (single !== null) return `CAST(${value(partitions[single]!)} AS ${type})`;
  return `(CAST([${partitions.map(value).join(", ")}] AS ${type}[]))[${quoteName(PARTITION_FOLDER)} + 1]`;
}

function nullOf(field: Field): string {
  return `CAST(NULL AS ${duckdbTypeOf(field)})`;
}

/** A SELECT has at least one column. */
function listed(expressions: readonly string[]): string {
  return expressions.length === 0 ? "NULL AS counted" : expressions.join(", ");
}
