/**
 * A warehouse's rows as DuckDB has them: the CSV is read with the types of the schema. Also the
 * meaning of a filter, said in DuckDB's SQL, as what pushing down is held against.
 */

import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { DataType, type Field, type Schema } from "apache-arrow";
import { duckdbTypeOf } from "../query/arrow/duckdb-type.ts";
import type { ScanFilter, ScanValue } from "../query/sources/scan-filter.ts";
import type { Warehouse, WarehouseRead } from "../query/sources/warehouse.ts";

export type TextRow = readonly (string | null)[];

const CSV =
  "delim=',', header=false, quote='\"', escape='\"', nullstr='', allow_quoted_nulls=false, " +
  "auto_detect=false, new_line='\\n', max_line_size=16777216";

export class RowReader {
  readonly #folder: string;
  readonly #connection: DuckDBConnection;
  #count = 0;

  private constructor(folder: string, connection: DuckDBConnection) {
    this.#folder = folder;
    this.#connection = connection;
  }

  static async open(): Promise<RowReader> {
    const folder = await mkdtemp(join(tmpdir(), "distillery-rows-"));
    const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    await connection.run("SET TimeZone = 'UTC'");
    return new RowReader(folder, connection);
  }

  /** The rows that the read gives, each value as DuckDB's text of it (bytes as hex); sorted where asked. */
  async rows(
    warehouse: Warehouse,
    read: WarehouseRead,
    then: { readonly filter?: ScanFilter; readonly orderBy?: string } = {},
  ): Promise<readonly TextRow[]> {
    const table = await this.load(warehouse, read);
    const rows = await this.select(table, read.columns, { ...then, schema: read.schema });
    await this.#connection.run(`DROP TABLE ${table}`);
    return rows;
  }

  /** Keeps the rows as a table of DuckDB and gives its name. */
  async load(warehouse: Warehouse, read: WarehouseRead): Promise<string> {
    const path = join(this.#folder, `${this.#count++}.csv`);
    const stream = Readable.from(warehouse.read(read, AbortSignal.timeout(60_000)));
    await pipeline(stream, createWriteStream(path));
    const fields = read.columns.map((name) => fieldIn(read.schema, name));
    const csv = fields.map((field) => {
      const type = DataType.isBinary(field.type) ? "VARCHAR" : duckdbTypeOf(field);
      return `${text(field.name)}: ${text(type)}`;
    });
    const values = fields.map(({ name, type }) => {
      const column = quoted(name);
      return DataType.isBinary(type) ? `unhex(${column}) AS ${column}` : column;
    });
    const table = `rows_${this.#count++}`;
    await this.#connection.run(
      `CREATE TABLE ${table} AS SELECT ${values.join(", ")}
       FROM read_csv('${path}', columns={${csv.join(", ")}}, ${CSV})`,
    );
    await rm(path);
    return table;
  }

  async select(
    table: string,
    columns: readonly string[],
    then: {
      readonly schema: Schema;
      readonly filter?: ScanFilter;
      readonly orderBy?: string;
    },
  ): Promise<readonly TextRow[]> {
    const fields = columns.map((name) =>
      DataType.isBinary(fieldIn(then.schema, name).type)
        ? `lower(hex(${quoted(name)}))`
        : `${quoted(name)}::VARCHAR`,
    );
    const result = await this.#connection.runAndReadAll(
      `SELECT ${fields.join(", ")} FROM ${table}
       ${then.filter === undefined ? "" : `WHERE ${meaning(then.filter)}`}
       ${then.orderBy === undefined ? "" : `ORDER BY ${table}.${quoted(then.orderBy)}`}`,
    );
    return result
      .getRows()
      .map((row) => row.map((value) => (value === null ? null : String(value))));
  }

  async query(sql: string): Promise<readonly (readonly unknown[])[]> {
    return (await this.#connection.runAndReadAll(sql)).getRows();
  }

  async close(): Promise<void> {
    this.#connection.closeSync();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** A filter as a condition of DuckDB's. */
export function meaning(filter: ScanFilter): string {
  switch (filter.kind) {
    case "comparison":
      return `(${quoted(filter.column)} ${SYMBOLS[filter.op]} ${constant(filter.value)})`;
    case "in":
      return filter.values.length === 0
        ? "(1 = 0)"
        : `(${quoted(filter.column)} IN (${filter.values.map(constant).join(", ")}))`;
    case "is_null":
      return `(${quoted(filter.column)} IS NULL)`;
    case "is_not_null":
      return `(${quoted(filter.column)} IS NOT NULL)`;
    case "and":
      return `(${["true", ...filter.filters.map(meaning)].join(" AND ")})`;
    case "or":
      return `(${["false", ...filter.filters.map(meaning)].join(" OR ")})`;
  }
}

const SYMBOLS = { eq: "=", ne: "<>", lt: "<", le: "<=", gt: ">", ge: ">=" };

function constant(value: ScanValue): string {
  switch (value.type) {
    case "boolean":
      return String(value.value);
    case "number":
      return value.value;
    case "double":
      return `'${value.value}'::DOUBLE`;
    case "text":
      return text(value.value);
    case "date":
      return `'${value.value}'::DATE`;
    case "timestamp":
      return `'${value.value}'::TIMESTAMP`;
    case "timestamptz":
      return `'${value.value}'::TIMESTAMPTZ`;
  }
}

function fieldIn(schema: Schema, name: string): Field {
  const field = schema.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`the schema has no column ${name}`);
  return field;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
