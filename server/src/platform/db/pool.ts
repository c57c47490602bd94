/**
 * A pool of leased sessions.
 *
 * The driver's own reservations and transactions do not survive the loss of their connection (a
 * statement sent after it ends the process), so each session here is a driver client of one
 * connection, leased to one caller at a time. A lost session refuses every further statement of its
 * lease and is thrown away with its client: nothing of a transaction can run on a connection that
 * replaces it, nor a late error of the old one meet a new caller. Statements sent without awaiting
 * between them go out in one packet, in order.
 */
import { type Address, type Client, connect, type Sql } from "./sql.ts";

/** The session's connection ended while it was leased. */
export class SessionLostError extends Error {
  override readonly name = "SessionLostError";
  constructor() {
    super("the connection to the database was lost");
  }
}

/** A session leased to one caller until `release`. */
export interface Lease {
  readonly sql: Sql;
  /** Sends one packet of SQL without parameters at once, in order with `sql`'s statements. */
  run(text: string): Promise<{ readonly command: string }>;
  readonly lost: boolean;
  release(): void;
}

interface Session {
  readonly client: Client;
  lost: boolean;
}

export class SessionPool {
  readonly #address: Address;
  readonly #max: number;
  readonly #role: string | undefined;
  readonly #idle: Session[] = [];
  readonly #all = new Set<Session>();
  readonly #waiting: { resolve(session: Session): void; reject(error: Error): void }[] = [];
  #closed = false;

  constructor(address: Address, options: { max: number; role?: string }) {
    this.#address = address;
    this.#max = options.max;
    this.#role = options.role;
  }

  /** Waits for an idle session, or opens one while there are fewer than `max`. */
  async lease(): Promise<Lease> {
    const session = await this.#acquire();
    const { client } = session;
    let released = false;
    return {
      sql: guarded(client, () => {
        if (released) throw new Error("a statement was sent after its transaction had ended");
        if (session.lost) throw new SessionLostError();
      }),
      run: (text) =>
        session.lost ? Promise.reject(new SessionLostError()) : client.unsafe(text).execute(),
      get lost() {
        return session.lost;
      },
      release: () => {
        if (released) return;
        released = true;
        this.#handOn(session);
      },
    };
  }

  /** Refuses further leases and ends every connection, those in use after `timeoutSeconds`. */
  async close(timeoutSeconds: number): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#waiting.splice(0)) waiter.reject(closedError());
    await Promise.all(
      [...this.#all].map((session) => session.client.end({ timeout: timeoutSeconds })),
    );
  }

  #acquire(): Promise<Session> | Session {
    if (this.#closed) throw closedError();
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#all.size < this.#max) return this.#open();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #open(): Session {
    const session: Session = {
      client: connect(this.#address, {
        max: 1,
        ...(this.#role !== undefined && { role: this.#role }),
        onClose: () => this.#discard(session),
      }),
      lost: false,
    };
    this.#all.add(session);
    return session;
  }

  #discard(session: Session): void {
    session.lost = true;
    this.#all.delete(session);
    const position = this.#idle.indexOf(session);
    if (position >= 0) this.#idle.splice(position, 1);
    void session.client.end({ timeout: 0 });
    const waiter = this.#closed ? undefined : this.#waiting.shift();
    if (waiter) waiter.resolve(this.#open());
  }

  #handOn(session: Session): void {
    if (session.lost) return;
    const waiter = this.#waiting.shift();
    if (waiter) waiter.resolve(session);
    else this.#idle.push(session);
  }
}

function closedError(): Error {
  return new Error("the database is closed");
}

/** The client's statement functions, with `check` before each. */
function guarded(client: Client, check: () => void): Sql {
  return new Proxy(client, {
    apply(target, self, parameters) {
      check();
      return Reflect.apply(target, self, parameters);
    },
    get(target, name) {
      if (FORBIDDEN.has(name)) throw new Error(`${String(name)} is not for leased sessions`);
      if (name === "unsafe") check();
      return Reflect.get(target, name);
    },
  });
}

const FORBIDDEN: ReadonlySet<string | symbol> = new Set([
  "begin",
  "reserve",
  "end",
  "close",
  "listen",
  "subscribe",
]);
