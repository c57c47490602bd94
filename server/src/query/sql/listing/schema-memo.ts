/** What was learnt of object versions, which never changes: least recently used forgotten first. */

import type { Schema } from "apache-arrow";

const DEFAULT_ENTRIES = 20_000;

export class SchemaMemo {
  readonly #entries = new Map<string, Schema>();
  readonly #maxEntries: number;

  constructor(maxEntries = DEFAULT_ENTRIES) {
    this.#maxEntries = maxEntries;
  }

  get(key: string): Schema | undefined {
    const schema = this.#entries.get(key);
    if (schema !== undefined) this.set(key, schema);
    return schema;
  }

  set(key: string, schema: Schema): void {
    this.#entries.delete(key);
    this.#entries.set(key, schema);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries) break;
      this.#entries.delete(oldest);
    }
  }
}
