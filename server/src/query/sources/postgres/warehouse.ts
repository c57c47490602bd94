/** PostgreSQL, and what speaks its protocol with its catalog, as a warehouse. */

import { Field, Schema } from "apache-arrow";
import type { Outbound } from "../../../platform/net/outbound.ts";
import { SourceError } from "../source-error.ts";
import {
  ANY_NUMBER,
  emptyRows,
  type SourceTableName,
  type Warehouse,
  type WarehouseCheck,
  type WarehouseRead,
} from "../warehouse.ts";
import { CONNECT_TIMEOUT_MS, type WarehouseSettings } from "../warehouse-settings.ts";
import { type PostgresAddress, parsePostgresUrl } from "./address.ts";
import { type Query, schemaNames, tableColumns, tableNames, withSampledDigits } from "./catalog.ts";
import { columnType, isUnboundedNumeric } from "./column-types.ts";
import { copyStatement, countStatement } from "./copy-statement.ts";
import { PostgresSession } from "./session.ts";
import { SessionPool } from "./session-pool.ts";

/**
 * Connects when it is first asked for something.
 *
 * @throws SourceUrlError
 */
export function openPostgresWarehouse(settings: WarehouseSettings, outbound: Outbound): Warehouse {
  return new PostgresWarehouse(settings, outbound);
}

class PostgresWarehouse implements Warehouse {
  readonly cacheScope: string;
  readonly #address: PostgresAddress;
  readonly #pool: SessionPool;

  constructor(settings: WarehouseSettings, outbound: Outbound) {
    this.cacheScope = settings.cacheScope;
    const address = parsePostgresUrl(settings.url);
    this.#address = address;
    const session = {
      address,
      credentials: settings.credentials,
      connectTimeoutMs: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    };
    this.#pool = new SessionPool(address.place, (signal) =>
      PostgresSession.open(session, outbound, signal),
    );
  }

  async check(signal: AbortSignal): Promise<WarehouseCheck> {
    const rows = await this.#transaction(signal, (query) =>
      query("select pg_catalog.version() as version"),
    );
    const version = rows[0]?.["version"] ?? "";
    // "PostgreSQL 18.4 on x86_64-pc-linux-gnu, compiled by …"
    return { version: version.split(/ on |, | \(/)[0] || "PostgreSQL" };
  }

  async describe(table: SourceTableName, signal: AbortSignal): Promise<Schema> {
    this.#checkCatalog(table.catalog);
    const columns = await this.#transaction(signal, async (query) => {
      const found = await tableColumns(query, table, this.#address.place);
      return withSampledDigits(query, table, found.columns);
    });
    return new Schema(
      columns.map((column) => {
        const type = columnType(column);
        const nullable = !column.notNull || type.losesValues;
        const metadata = isUnboundedNumeric(column) ? [[ANY_NUMBER, "true"] as const] : [];
        return new Field(column.name, type.arrow, nullable, new Map(metadata));
      }),
    );
  }

  async listSchemas(catalog: string, signal: AbortSignal): Promise<readonly string[]> {
    this.#checkCatalog(catalog);
    return await this.#transaction(signal, schemaNames);
  }

  async listTables(
    catalog: string,
    schema: string,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    this.#checkCatalog(catalog);
    return await this.#transaction(signal, (query) =>
      tableNames(query, schema, this.#address.place),
    );
  }

  async *read(read: WarehouseRead, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const { table } = read;
    this.#checkCatalog(table.catalog);
    const { place } = this.#address;
    if (read.columns.length === 0) {
      const rows = await this.#transaction(signal, async (query) =>
        query(countStatement(read, await tableColumns(query, table, place))),
      );
      yield* emptyRows(Number(rows[0]?.["rows"]));
      return;
    }
    const session = await this.#pool.lease(signal);
    try {
      yield* session.copy(signal, async (query) =>
        copyStatement(read, await tableColumns(query, table, place), place),
      );
    } finally {
      this.#pool.release(session);
    }
  }

  async close(): Promise<void> {
    const sentence = `The connection to ${this.#address.place} was closed.`;
    await this.#pool.close(new SourceError("unreachable", sentence));
  }

  async #transaction<Result>(
    signal: AbortSignal,
    work: (query: Query) => Promise<Result>,
  ): Promise<Result> {
    const session = await this.#pool.lease(signal);
    try {
      return await session.transaction(signal, work);
    } finally {
      this.#pool.release(session);
    }
  }

  /** A connection of PostgreSQL sees one database. */
  #checkCatalog(catalog: string): void {
    const { place, database } = this.#address;
    if (catalog === database) return;
    const sentence =
      `The connector reads the database "${database}" of ${place}; ` +
      `its tables have that name as their catalog, not "${catalog}".`;
    throw new SourceError("not-found", sentence);
  }
}
