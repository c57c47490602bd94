/** Trino as a warehouse: for data that is spread over many systems, or outgrows one machine. */

import { DataType, Field, Schema } from "apache-arrow";
import type { Outbound } from "../../../platform/net/outbound.ts";
import { quoteName } from "../../sql-text.ts";
import { pushFilter } from "../pushed-filter.ts";
import { SourceError } from "../source-error.ts";
import {
  emptyRows,
  type SourceTableName,
  type Warehouse,
  type WarehouseCheck,
  type WarehouseRead,
} from "../warehouse.ts";
import { CONNECT_TIMEOUT_MS, type WarehouseSettings } from "../warehouse-settings.ts";
import { parseTrinoUrl } from "./address.ts";
import { pushedColumn } from "./filter.ts";
import { TrinoClient, type TrinoColumn } from "./protocol.ts";
import { type ValueType, valueType } from "./values.ts";

/**
 * Connects when it is first asked for something.
 *
 * @throws SourceUrlError
 */
export function openTrinoWarehouse(settings: WarehouseSettings, outbound: Outbound): Warehouse {
  return new TrinoWarehouse(settings, outbound);
}

class TrinoWarehouse implements Warehouse {
  readonly cacheScope: string;
  readonly #place: string;
  readonly #client: TrinoClient;

  constructor(settings: WarehouseSettings, outbound: Outbound) {
    this.cacheScope = settings.cacheScope;
    const address = parseTrinoUrl(settings.url);
    this.#place = address.place;
    this.#client = new TrinoClient(
      {
        address,
        credentials: settings.credentials,
        connectTimeoutMs: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      },
      outbound,
    );
  }

  async check(signal: AbortSignal): Promise<WarehouseCheck> {
    const [version] = await this.#names("SELECT version()", signal);
    return { version: `Trino ${version ?? ""}`.trim() };
  }

  async describe(table: SourceTableName, signal: AbortSignal): Promise<Schema> {
    const columns = await this.#columns(table, signal);
    return new Schema(
      columns.map(({ name, type }) => new Field(name, valueType(type).arrow, true)),
    );
  }

  async listSchemas(catalog: string, signal: AbortSignal): Promise<readonly string[]> {
    const names = await this.#names(`SHOW SCHEMAS FROM ${quoteName(catalog)}`, signal);
    return names.filter((name) => name !== "information_schema").sort();
  }

  async listTables(
    catalog: string,
    schema: string,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const from = `${quoteName(catalog)}.${quoteName(schema)}`;
    return [...(await this.#names(`SHOW TABLES FROM ${from}`, signal))].sort();
  }

  async *read(read: WarehouseRead, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const found = await this.#columns(read.table, signal);
    const rows = this.#rowsOf(read, found);
    if (read.columns.length === 0) {
      const sql = `SELECT CAST(count(*) AS varchar) FROM (SELECT 1 ${rows}) AS wanted`;
      const [count] = await this.#names(sql, signal);
      const sentence = `${this.#place} did not say how many rows there are.`;
      if (count === undefined || !/^\d+$/.test(count)) throw new SourceError("broken", sentence);
      yield* emptyRows(Number(count));
      return;
    }
    const columns = read.columns.map((name) => this.#columnOf(name, read, found));
    const types = columns.map((column) => valueType(column.type));
    const fields = types.map((type, index) => type.select(quoteName(columns[index]!.name)));
    const sql = `SELECT ${fields.join(", ")} ${rows}`;
    const nested = types.some((type) => type.nested);
    for await (const page of this.#client.run(sql, signal, nested)) {
      yield* csvRows(page.rows, types);
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #rowsOf(read: WarehouseRead, found: readonly TrinoColumn[]): string {
    const pushed =
      read.filter === null
        ? null
        : pushFilter(read.filter, (name) => {
            const column = found.find((one) => one.name === name);
            const asked = fieldType(read.schema, name);
            if (column === undefined || asked === null) return null;
            // Of a column that is read as another type the reader compares other values.
            return String(asked) === String(valueType(column.type).arrow)
              ? pushedColumn(column)
              : null;
          });
    const exact = read.filter === null || pushed?.exact === true;
    return [
      `FROM ${tableName(read.table)}`,
      ...(pushed === null ? [] : [`WHERE ${pushed.sql}`]),
      ...(read.limit === null || !exact ? [] : [`LIMIT ${read.limit}`]),
    ].join(" ");
  }

  #columnOf(name: string, read: WarehouseRead, found: readonly TrinoColumn[]): TrinoColumn {
    const column = found.find((one) => one.name === name);
    const table = tableName(read.table);
    if (column === undefined) {
      const sentence = `${this.#place} has no column "${name}" in the table ${table}.`;
      throw new SourceError("not-found", sentence);
    }
    const asked = fieldType(read.schema, name);
    const type = valueType(column.type).arrow;
    if (asked !== null && DataType.isBinary(asked) !== DataType.isBinary(type)) {
      const sentence = `The column "${name}" of ${table} is ${type} at ${this.#place}, not ${asked}.`;
      throw new SourceError("broken", sentence);
    }
    return column;
  }

  /** Exact types come with an answer that has no rows. */
  async #columns(table: SourceTableName, signal: AbortSignal): Promise<readonly TrinoColumn[]> {
    const sql = `SELECT * FROM ${tableName(table)} LIMIT 0`;
    let columns: readonly TrinoColumn[] | null = null;
    for await (const page of this.#client.run(sql, signal)) columns = page.columns ?? columns;
    if (columns === null) {
      throw new SourceError("broken", `${this.#place} gave no columns of ${tableName(table)}.`);
    }
    return columns;
  }

  /** The first column of an answer. */
  async #names(sql: string, signal: AbortSignal): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const page of this.#client.run(sql, signal)) {
      for (const [value] of page.rows) names.push(String(value));
      if (names.length > MAX_NAMES) {
        throw new SourceError("broken", `${this.#place} tells more of its catalog than is taken.`);
      }
    }
    return names;
  }
}

/** Of schemas, or of tables of one. */
const MAX_NAMES = 1_000_000;

function tableName(table: SourceTableName): string {
  return [table.catalog, table.schema, table.table].map(quoteName).join(".");
}

function fieldType(schema: Schema, name: string): DataType | null {
  return schema.fields.find((field) => field.name === name)?.type ?? null;
}

/** Texts are joined up to about this many characters, then encoded. */
const CHUNK_CHARACTERS = 256 * 1024;

/** Rows of an answer as CSV. */
export function* csvRows(
  rows: readonly (readonly unknown[])[],
  types: readonly ValueType[],
): Generator<Uint8Array, void> {
  let text = "";
  for (const row of rows) {
    for (let index = 0; index < types.length; index++) {
      if (index > 0) text += ",";
      const value = row[index];
      if (value === null || value === undefined) continue;
      const type = types[index]!;
      text += type.free ? csvField(type.text(value)) : type.text(value);
    }
    text += "\n";
    if (text.length >= CHUNK_CHARACTERS) {
      yield Buffer.from(text);
      text = "";
    }
  }
  if (text !== "") yield Buffer.from(text);
}

function csvField(text: string): string {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
