/**
 * Interleavings of transactions as permutations of their steps, after PostgreSQL's isolation tests
 * (src/test/isolation): each session runs its real code over a database that halts it before the
 * statements that matter; the permutation says whose turn it is. A session that waits for another's
 * lock keeps its turn and goes on when the lock is free.
 */

import { Database, type Sql } from "../platform/db/database.ts";
import { type Address, type Client, connect } from "../platform/db/sql.ts";

/** All orders in which sessions of so many steps can take their turns. */
export function permutations(steps: readonly number[]): number[][] {
  if (steps.every((left) => left === 0)) return [[]];
  return steps.flatMap((left, session) =>
    left === 0
      ? []
      : permutations(steps.map((other, index) => (index === session ? left - 1 : other))).map(
          (rest) => [session, ...rest],
        ),
  );
}

/** One session's halts: it waits at each until it is let go on. */
class Turnstile {
  #release: (() => void) | null = null;
  #arrived: (() => void) | null = null;
  #open = false;
  ended = false;

  /** The session is at a halt or has ended. */
  get isWaiting(): boolean {
    return this.#release !== null || this.ended;
  }

  async halt(): Promise<void> {
    if (this.#open) return;
    await new Promise<void>((resolve) => {
      this.#release = resolve;
      this.#arrived?.();
    });
  }

  end(): void {
    this.ended = true;
    this.#arrived?.();
  }

  /** Lets the session on to its next halt. */
  step(): void {
    const release = this.#release;
    this.#release = null;
    release?.();
  }

  /** Lets it run to its end. */
  open(): void {
    this.#open = true;
    this.step();
  }

  /** Until it is at a halt or has ended. */
  arrival(): Promise<void> {
    return this.isWaiting ? Promise.resolve() : new Promise((resolve) => (this.#arrived = resolve));
  }
}

type Statement = (strings: TemplateStringsArray, ...values: unknown[]) => PromiseLike<unknown>;

/** A database whose transactions halt before statements of a pattern and before they end. */
class HaltingDatabase extends Database {
  readonly #turnstile: Turnstile;
  readonly #halts: RegExp;

  constructor(address: Address, turnstile: Turnstile, halts: RegExp) {
    super(address, { sessions: 2 });
    this.#turnstile = turnstile;
    this.#halts = halts;
  }

  override forOrganization<Result>(
    organizationId: string,
    work: (sql: Sql) => Promise<Result>,
  ): Promise<Result> {
    return super.forOrganization(organizationId, async (sql) => {
      const result = await work(this.#halting(sql));
      await this.#turnstile.halt();
      return result;
    });
  }

  #halting(sql: Sql): Sql {
    return new Proxy(sql, {
      apply: (target, self, [strings, ...values]: [TemplateStringsArray, ...unknown[]]) => {
        const send = (): PromiseLike<unknown> =>
          Reflect.apply(target as unknown as Statement, self, [strings, ...values]);
        // Identifiers go by the same name as statements.
        if (!Array.isArray(strings) || !this.#halts.test(strings.join("?"))) return send();
        return this.#turnstile.halt().then(send);
      },
    });
  }
}

/** Runs sessions over one database, interleaved as told. */
export class Interleaver {
  readonly #watch: Client;
  readonly #sessions: { readonly turnstile: Turnstile; readonly database: HaltingDatabase }[];

  /** @param halts statements before which a transaction halts; it also halts before its COMMIT */
  constructor(address: Address, sessions: number, halts: RegExp) {
    this.#watch = connect(address, { max: 1 });
    this.#sessions = Array.from({ length: sessions }, () => {
      const turnstile = new Turnstile();
      return { turnstile, database: new HaltingDatabase(address, turnstile, halts) };
    });
  }

  /** @returns what became of each session's work */
  async run<Result>(
    order: readonly number[],
    works: readonly ((database: Database) => Promise<Result>)[],
  ): Promise<PromiseSettledResult<Result>[]> {
    const running = this.#sessions.map(({ turnstile, database }, index) =>
      works[index]!(database).finally(() => turnstile.end()),
    );
    const outcomes = Promise.allSettled(running);
    await Promise.all(this.#sessions.map(({ turnstile }) => turnstile.arrival()));
    for (const session of order) {
      const { turnstile } = this.#sessions[session]!;
      if (!turnstile.isWaiting) continue; // its step before is still waiting for a lock
      turnstile.step();
      await this.#settled(turnstile);
    }
    for (const { turnstile } of this.#sessions) turnstile.open();
    return outcomes;
  }

  /** Until the session is at its next halt, has ended, or waits for a lock. */
  async #settled(turnstile: Turnstile): Promise<void> {
    const arrival = turnstile.arrival().then(() => true);
    for (;;) {
      const pause = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 2));
      if (await Promise.race([arrival, pause])) return;
      const [row] = await this.#watch<{ waiting: number }[]>`
        select count(*) as waiting from pg_locks where not granted`;
      const under = this.#sessions.filter((session) => !session.turnstile.isWaiting);
      // Of the sessions under way each waits for a lock, this one too.
      if ((row?.waiting ?? 0) >= under.length && !turnstile.isWaiting) return;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map(({ database }) => database.close()));
    await this.#watch.end({ timeout: 1 });
  }
}
