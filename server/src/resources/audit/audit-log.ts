/**
 * The audit log as requests write it: each waits until its event is stored, and those that come meanwhile
 * go together in the next statement. A change that was made is not undone because its event could not be
 * stored; the service's own log has the event then.
 */

import { AttemptLimiter } from "../../api/auth/attempt-limiter.ts";
import type { AuditedChange } from "../../api/context/audited-change.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/log.ts";
import { insertEvents } from "./store.ts";

/** Rows of one statement, whose parameters are bounded. */
const MOST_ROWS = 1_000;

/** Whoever has no key cannot fill the log: of one network so many at once, and one a minute after. */
const UNKNOWN_CALLERS = { burst: 30, perSecond: 1 / 60 };

export class AuditLog {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #operator: string;
  readonly #unknown = new AttemptLimiter(UNKNOWN_CALLERS);
  #waiting: AuditedChange[] = [];
  #next: Promise<void> | null = null;
  #writing: Promise<void> = Promise.resolve();

  /** @param operator the organization that is told of callers whom nobody knows */
  constructor(db: Database, log: Logger, operator: string) {
    this.#db = db;
    this.#log = log;
    this.#operator = operator;
  }

  /** Resolves when the event is stored, or is in the service's log in place of that. */
  async record(change: AuditedChange): Promise<void> {
    if (change.by === null && this.#unknown.fail(change.address) > 0) return;
    this.#waiting.push(change);
    this.#next ??= this.#writing.then(() => this.#write());
    const written = this.#next;
    // Where the service itself failed, its caller does not wait for a database that may be away.
    if (change.status < 500) await written;
  }

  /** When all is written that was recorded. */
  async close(): Promise<void> {
    await (this.#next ?? this.#writing);
  }

  #write(): Promise<void> {
    // All that wait: each of them resolves with this promise.
    const waiting = this.#waiting.splice(0);
    this.#next = null;
    this.#writing = this.#writeAll(waiting);
    return this.#writing;
  }

  async #writeAll(changes: readonly AuditedChange[]): Promise<void> {
    for (let from = 0; from < changes.length; from += MOST_ROWS) {
      const batch = changes.slice(from, from + MOST_ROWS);
      try {
        await insertEvents(this.#db, this.#operator, batch);
      } catch (error) {
        for (const { by, ...change } of batch) {
          const { organizationId, subject } = by ?? {};
          const event = { ...change, organization: organizationId, by: subject };
          this.#log.error({ err: error, event }, "a change could not be written to the audit log");
        }
      }
    }
  }
}
