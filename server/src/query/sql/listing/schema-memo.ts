/** What was learnt of object versions, which never changes: least recently used forgotten first. */

import type { Field, Schema } from "apache-arrow";

const DEFAULT_ENTRIES = 20_000;
/** Of all schemas together, those within others too: some 300 bytes of the heap each. */
const DEFAULT_FIELDS = 250_000;

export class SchemaMemo {
  readonly #entries = new Map<string, { readonly schema: Schema; readonly fields: number }>();
  readonly #maxEntries: number;
  readonly #maxFields: number;
  #fields = 0;

  constructor(
    limits: { readonly maxEntries?: number; readonly maxFields?: number | undefined } = {},
  ) {
    this.#maxEntries = limits.maxEntries ?? DEFAULT_ENTRIES;
    this.#maxFields = limits.maxFields ?? DEFAULT_FIELDS;
  }

  get(key: string): Schema | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.schema;
  }

  /** Not kept where it is larger than all may be. */
  set(key: string, schema: Schema): void {
    this.#forget(key);
    const fields = countOf(schema.fields);
    if (fields > this.#maxFields) return;
    this.#entries.set(key, { schema, fields });
    this.#fields += fields;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#fields <= this.#maxFields) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#fields -= this.#entries.get(key)?.fields ?? 0;
    this.#entries.delete(key);
  }
}

function countOf(fields: readonly Field[]): number {
  return fields.reduce((sum, { type }) => sum + 1 + countOf(type.children ?? []), 0);
}
