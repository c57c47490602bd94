/**
 * Keys by their hashes, many a statement. While one statement is under way, the tokens that come
 * gather for the one that follows it: whoever floods the service with wrong tokens costs it one
 * session of the database, and a good token among them waits for two statements at most.
 */
import type { Database } from "../../platform/db/database.ts";
import { findUsableKeys, type KnownKey } from "./key-store.ts";

/** Hashes in one statement. */
const BATCH = 1000;

interface Waiter {
  readonly hash: string;
  resolve(key: KnownKey | null): void;
  reject(error: unknown): void;
}

export class KeyFinder {
  readonly #db: Database;
  #waiting: Waiter[] = [];
  #busy = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * @param hash SHA-256 of the token, lower-case hex
   * @returns the key, if it may be used now
   */
  find(hash: string): Promise<KnownKey | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ hash, resolve, reject });
      if (!this.#busy) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        const keys = await findUsableKeys(this.#db, [...new Set(batch.map(({ hash }) => hash))]);
        for (const { hash, resolve } of batch) resolve(keys.get(hash) ?? null);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#busy = false;
  }
}
