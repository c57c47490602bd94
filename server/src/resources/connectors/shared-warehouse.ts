/**
 * A warehouse that many queries share: opened when it is first asked for something, closed when
 * nobody has asked for a while, opened again when somebody does.
 */

import type { Schema } from "apache-arrow";
import type {
  SourceTableName,
  Warehouse,
  WarehouseCheck,
  WarehouseRead,
} from "../../query/sources/warehouse.ts";

export class SharedWarehouse implements Warehouse {
  readonly cacheScope: string;
  readonly #openWarehouse: () => Warehouse;
  readonly #idleMs: number;
  #open: Warehouse | null = null;
  /** Operations under way. */
  #active = 0;
  #retired = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(cacheScope: string, openWarehouse: () => Warehouse, idleMs: number) {
    this.cacheScope = cacheScope;
    this.#openWarehouse = openWarehouse;
    this.#idleMs = idleMs;
  }

  check(signal: AbortSignal): Promise<WarehouseCheck> {
    return this.#use((warehouse) => warehouse.check(signal));
  }

  describe(table: SourceTableName, signal: AbortSignal): Promise<Schema> {
    return this.#use((warehouse) => warehouse.describe(table, signal));
  }

  listSchemas(catalog: string, signal: AbortSignal): Promise<readonly string[]> {
    return this.#use((warehouse) => warehouse.listSchemas(catalog, signal));
  }

  listTables(catalog: string, schema: string, signal: AbortSignal): Promise<readonly string[]> {
    return this.#use((warehouse) => warehouse.listTables(catalog, schema, signal));
  }

  async *read(read: WarehouseRead, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const warehouse = this.#enter();
    try {
      yield* warehouse.read(read, signal);
    } finally {
      await this.#leave();
    }
  }

  /** Those who share it have no say in when it closes. */
  async close(): Promise<void> {}

  /** It is shared no more: closes once the last operation has ended. */
  async retire(): Promise<void> {
    this.#retired = true;
    if (this.#active === 0) await this.#shut();
  }

  async #use<Result>(operation: (warehouse: Warehouse) => Promise<Result>): Promise<Result> {
    const warehouse = this.#enter();
    try {
      return await operation(warehouse);
    } finally {
      await this.#leave();
    }
  }

  #enter(): Warehouse {
    clearTimeout(this.#timer);
    this.#open ??= this.#openWarehouse();
    this.#active += 1;
    return this.#open;
  }

  async #leave(): Promise<void> {
    this.#active -= 1;
    if (this.#active > 0) return;
    if (this.#retired) {
      await this.#shut();
      return;
    }
    // What fails in closing idle connections has nobody to tell, and they are gone either way.
    this.#timer = setTimeout(() => void this.#shut().catch(() => undefined), this.#idleMs);
    this.#timer.unref();
  }

  async #shut(): Promise<void> {
    clearTimeout(this.#timer);
    const open = this.#open;
    this.#open = null;
    await open?.close();
  }
}
