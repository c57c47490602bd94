/**
 * Statements that only read, many at a time over few sessions: each is a transaction of its own, so
 * that they share a session one behind another, without waiting for answers in between. A session
 * works for one organization until a statement of another comes, whose setting goes before it in
 * the same packet; what a session was sent, it does in order.
 *
 * A session whose connection was lost never answers for a statement again: the driver may have sent
 * that on a new connection, which works for no organization and shows no rows.
 */
import type postgres from "postgres";
import { SessionLostError } from "./pool.ts";
import { type Address, type Client, connect, type Sql } from "./sql.ts";

interface Reader {
  readonly client: Client;
  /** Whom the statements that are sent next work for. */
  organizationId: string | null;
  /** Settles with the setting that made it so. */
  setting: PromiseLike<unknown>;
  pending: number;
  lost: boolean;
}

export class ReaderPool {
  readonly #address: Address;
  readonly #max: number;
  readonly #role: string;
  readonly #readers: Reader[] = [];
  #closed = false;

  /** @param options.max sessions */
  constructor(address: Address, options: { max: number; role: string }) {
    this.#address = address;
    this.#max = options.max;
    this.#role = options.role;
  }

  /**
   * @param setting makes the session work for the organization; sent where it does not yet
   * @throws SessionLostError, or the database's error; a statement that writes is one (25006)
   */
  async read<Rows extends readonly (object | undefined)[]>(
    organizationId: string,
    setting: string,
    statement: (sql: Sql) => postgres.PendingQuery<Rows>,
  ): Promise<postgres.RowList<Rows>> {
    const reader = this.#pick(organizationId);
    reader.pending++;
    try {
      const query = statement(reader.client);
      if (reader.organizationId !== organizationId) {
        reader.organizationId = organizationId;
        reader.setting = reader.client.unsafe(setting).execute();
        // Those who rely on it are told below; nobody else shall.
        reader.setting.then(undefined, () => this.#discard(reader));
      }
      const set = reader.setting;
      const rows = await query.execute();
      await set;
      if (reader.lost) throw new SessionLostError();
      return rows;
    } finally {
      reader.pending--;
    }
  }

  async close(timeoutSeconds: number): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#readers.map(({ client }) => client.end({ timeout: timeoutSeconds })));
  }

  /** An idle session, one of the organization first; a new one while there may be more; the least busy. */
  #pick(organizationId: string): Reader {
    if (this.#closed) throw new Error("the database is closed");
    let best: Reader | null = null;
    let bestRank = Number.POSITIVE_INFINITY;
    for (const reader of this.#readers) {
      const rank = 2 * reader.pending + (reader.organizationId === organizationId ? 0 : 1);
      if (rank < bestRank) {
        best = reader;
        bestRank = rank;
      }
    }
    if (best !== null && (best.pending === 0 || this.#readers.length >= this.#max)) return best;
    return this.#open();
  }

  #open(): Reader {
    const reader: Reader = {
      client: connect(this.#address, {
        max: 1,
        role: this.#role,
        readOnly: true,
        onClose: () => this.#discard(reader),
      }),
      organizationId: null,
      setting: Promise.resolve(),
      pending: 0,
      lost: false,
    };
    this.#readers.push(reader);
    return reader;
  }

  #discard(reader: Reader): void {
    reader.lost = true;
    const position = this.#readers.indexOf(reader);
    if (position >= 0) this.#readers.splice(position, 1);
    void reader.client.end({ timeout: 0 });
  }
}
