/** A PostgreSQL server with a database `shop` that a role `reader` may read, for tests of reading it. */

import { PostgresServer } from "../../../test/support/postgres.ts";
import { GuardedOutbound } from "../platform/net/guarded-outbound.ts";
import { quoteText } from "../query/sources/postgres/literal.ts";
import { openPostgresWarehouse } from "../query/sources/postgres/warehouse.ts";
import type { Warehouse } from "../query/sources/warehouse.ts";

export const READER_PASSWORD = "p@ss/w'ord of the reader";

export interface OpenOptions {
  readonly port?: number;
  readonly password?: string;
  readonly database?: string;
  readonly sslMode?: string;
  readonly host?: string;
  readonly connectTimeoutMs?: number;
}

export class PostgresWarehouseServer {
  readonly #server: PostgresServer;
  readonly #outbound = new GuardedOutbound({ allowPrivateNetwork: true });
  readonly #opened: Warehouse[] = [];

  private constructor(server: PostgresServer) {
    this.#server = server;
  }

  /** The database's order of texts is a language's, not that of bytes. */
  static async create(): Promise<PostgresWarehouseServer> {
    const server = await PostgresServer.create();
    await server.administer([
      `CREATE ROLE reader LOGIN PASSWORD ${quoteText(READER_PASSWORD)}`,
      "CREATE DATABASE shop ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en' TEMPLATE template0",
      "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
    ]);
    return new PostgresWarehouseServer(server);
  }

  get port(): number {
    return this.#server.port;
  }

  /** Statements of the superuser; then `reader` may read what there is in `sales`. */
  async prepare(statements: readonly string[], database = "shop"): Promise<void> {
    await this.#server.administer(
      [
        "CREATE SCHEMA IF NOT EXISTS sales",
        ...statements,
        "GRANT USAGE ON SCHEMA sales TO reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA sales TO reader",
      ],
      database,
    );
  }

  /** Statements of the superuser. */
  async administer(statements: readonly string[], database = "shop"): Promise<void> {
    await this.#server.administer(statements, database);
  }

  superuserUrl(): string {
    return this.#server.url("postgres", "of-the-operator", "shop");
  }

  open(options: OpenOptions = {}): Warehouse {
    const { port = this.port, database = "shop", sslMode, host = "127.0.0.1" } = options;
    const warehouse = openPostgresWarehouse(
      {
        url: `postgres://${host}:${port}/${database}${sslMode ? `?sslmode=${sslMode}` : ""}`,
        credentials: { username: "reader", password: options.password ?? READER_PASSWORD },
        cacheScope: "test",
        ...(options.connectTimeoutMs !== undefined && {
          connectTimeoutMs: options.connectTimeoutMs,
        }),
      },
      this.#outbound,
    );
    this.#opened.push(warehouse);
    return warehouse;
  }

  async restart(): Promise<void> {
    await this.#server.stop();
    await this.#server.start();
  }

  async close(): Promise<void> {
    for (const warehouse of this.#opened) await warehouse.close();
    await this.#outbound.close();
    await this.#server.remove();
  }
}
