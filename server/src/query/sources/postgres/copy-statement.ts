/** The statement that reads a table: projection, filter and limit as the server applies them. */

import { DataType, type Schema } from "apache-arrow";
import { type PushedFilter, pushFilter } from "../pushed-filter.ts";
import { SourceError } from "../source-error.ts";
import type { WarehouseRead } from "../warehouse.ts";
import type { TableColumns } from "./catalog.ts";
import { type ColumnType, columnType } from "./column-types.ts";
import { pushedColumn } from "./filter.ts";
import { quoteName } from "./literal.ts";

/** @throws SourceError `not-found` where the table lost a column, `broken` where it changed too much */
export function copyStatement(read: WarehouseRead, found: TableColumns, place: string): string {
  const fields = read.columns.map((name) => {
    const type = typeOf(name, read, found, place);
    return type.select(quoteName(name));
  });
  return `COPY (SELECT ${fields.join(", ")} ${rowsOf(read, found)}) TO STDOUT (FORMAT csv)`;
}

/** How many rows there are, for a read without columns. */
export function countStatement(read: WarehouseRead, found: TableColumns): string {
  return `SELECT pg_catalog.count(*)::text AS rows FROM (SELECT ${rowsOf(read, found)}) AS wanted`;
}

function rowsOf(read: WarehouseRead, found: TableColumns): string {
  const pushed = pushedFilter(read, found);
  const exact = read.filter === null || pushed?.exact === true;
  return [
    `FROM ${quoteName(read.table.schema)}.${quoteName(read.table.table)}`,
    ...(pushed === null ? [] : [`WHERE ${pushed.sql}`]),
    ...(read.limit === null || !exact ? [] : [`LIMIT ${read.limit}`]),
  ].join(" ");
}

function pushedFilter(read: WarehouseRead, found: TableColumns): PushedFilter | null {
  if (read.filter === null) return null;
  const columns = new Map(found.columns.map((column) => [column.name, column]));
  return pushFilter(read.filter, (name) => {
    const column = columns.get(name);
    const asked = fieldType(read.schema, name);
    if (column === undefined || asked === null) return null;
    // Of a column that is read as another type the reader compares other values.
    return sameType(asked, columnType(column, asked).arrow)
      ? pushedColumn(column, asked, found.server)
      : null;
  });
}

function typeOf(name: string, read: WarehouseRead, found: TableColumns, place: string): ColumnType {
  const column = found.columns.find((one) => one.name === name);
  const table = `"${read.table.schema}.${read.table.table}"`;
  if (column === undefined) {
    throw new SourceError("not-found", `${place} has no column "${name}" in the table ${table}.`);
  }
  const asked = fieldType(read.schema, name);
  const type = columnType(column, asked);
  if (asked !== null && DataType.isBinary(asked) !== DataType.isBinary(type.arrow)) {
    const sentence = `The column "${name}" of ${table} is ${type.arrow} at ${place}, not ${asked}.`;
    throw new SourceError("broken", sentence);
  }
  return type;
}

function fieldType(schema: Schema, name: string): DataType | null {
  return schema.fields.find((field) => field.name === name)?.type ?? null;
}

function sameType(one: DataType, other: DataType): boolean {
  return String(one) === String(other);
}
