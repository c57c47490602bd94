/**
 * Objects are stored before the row that owns them, so that a row never speaks of what is not there.
 * Until that row commits, a hold says that somebody is at work on them: it is taken before the first
 * byte, renewed while the work lasts, and given up in the transaction that inserts the row. What has
 * neither row nor live hold belongs to nobody, and is swept (`sweep.ts`).
 */

import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Database, Sql } from "../db/database.ts";
import type { Logger } from "../log.ts";
import type { ObjectStore } from "./object-store.ts";
import { removeUnowned } from "./unowned.ts";

/** A hold that was not renewed for so long is a dead process's. */
export const STALE_SECONDS = 60;
const RENEW_MILLISECONDS = 10_000;
/** A sweeper that was met is waited for. */
const RETRY_MILLISECONDS = 100;

/** A kind of resource whose objects lie below `organizations/<id>/<folder>/<owner's id>/`. */
export interface OwnerKind {
  readonly folder: string;
  /** Those of the ids that have a row, or whose row keeps objects. Asked as the system. */
  existing(sql: Sql, ids: readonly string[]): Promise<readonly string[]>;
}

export interface HoldContext {
  readonly db: Database;
  readonly objects: ObjectStore;
  readonly log: Logger;
}

/** Somebody else took the hold over: this process was silent for too long. */
export class HoldLostError extends Error {
  override readonly name = "HoldLostError";
  constructor() {
    super("what was stored was taken for left behind, since nothing was heard for too long");
  }
}

/** `organizations/<id>/<folder>/<owner's id>/` */
export const ownerPrefix = (organizationId: string, folder: string, ownerId: string): string =>
  `organizations/${organizationId}/${folder}/${ownerId}/`;

/** Owners whose rows are taken away at once. */
const DROPPED_AT_ONCE = 500;

/**
 * Takes away owners in batches, their rows first and their objects behind them.
 *
 * @param drop takes away the rows of at most so many owners, and says which they were
 * @param then with the owners of each batch, behind their objects
 * @returns how many went
 */
export async function dropOwners<
  T extends { readonly id: string; readonly organization_id: string },
>(
  rooms: Pick<HoldContext, "objects" | "log">,
  { folder }: OwnerKind,
  drop: (most: number) => Promise<readonly T[]>,
  signal?: AbortSignal,
  then?: (gone: readonly T[]) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    const gone = await drop(DROPPED_AT_ONCE);
    for (const { id, organization_id } of gone) {
      await removeUnowned(rooms, ownerPrefix(organization_id, folder, id));
    }
    if (gone.length > 0) await then?.(gone);
    count += gone.length;
    if (gone.length < DROPPED_AT_ONCE) return count;
  }
}

/** Of one process on the objects of some owners, which have no rows yet. */
export class ObjectHold {
  readonly #context: HoldContext;
  readonly #kind: OwnerKind;
  readonly #organizationId: string;
  readonly #token = randomUUID();
  readonly #renewal: NodeJS.Timeout;
  #ids: readonly string[];

  private constructor(
    context: HoldContext,
    kind: OwnerKind,
    organizationId: string,
    ids: readonly string[],
  ) {
    this.#context = context;
    this.#kind = kind;
    this.#organizationId = organizationId;
    this.#ids = ids;
    this.#renewal = setInterval(() => {
      this.#renew().catch((error: unknown) => {
        context.log.warn({ err: error }, "a hold on objects could not be renewed");
      });
    }, RENEW_MILLISECONDS);
    this.#renewal.unref();
  }

  /** Waits for a sweeper that is at work on the same ids. */
  static async take(
    context: HoldContext,
    kind: OwnerKind,
    organizationId: string,
    ids: readonly string[],
  ): Promise<ObjectHold> {
    const hold = new ObjectHold(context, kind, organizationId, ids);
    try {
      while (!(await hold.#insert())) await delay(RETRY_MILLISECONDS);
      return hold;
    } catch (error) {
      clearInterval(hold.#renewal);
      throw error;
    }
  }

  /**
   * Gives up the hold on these owners, in the transaction that inserts their rows.
   *
   * @throws HoldLostError, and the rows must not be inserted
   */
  async release(sql: Sql, ids: readonly string[] = this.#ids): Promise<void> {
    const released = await sql`
      delete from object_holds
      where token = ${this.#token} and owner_id = any(${[...ids]}::uuid[]) returning owner_id`;
    if (released.length < ids.length) throw new HoldLostError();
    this.#ids = this.#ids.filter((id) => !ids.includes(id));
  }

  /** Ends the renewal. What is still held was not registered, and is removed. Never throws. */
  async end(): Promise<void> {
    clearInterval(this.#renewal);
    const { db, log } = this.#context;
    try {
      const held = await db.systemQuery(
        (sql) => sql<{ owner_id: string }[]>`
          update object_holds set sweeping = true, renewed_at = now()
          where token = ${this.#token} returning owner_id`,
      );
      if (held.length === 0) return;
      const ids = held.map(({ owner_id }) => owner_id);
      await removeOrphans(this.#context, this.#kind, this.#organizationId, ids);
      await db.systemQuery((sql) => sql`delete from object_holds where token = ${this.#token}`);
    } catch (error) {
      log.warn({ err: error }, "objects that nobody owns are left to be swept");
    }
  }

  async #insert(): Promise<boolean> {
    const { db } = this.#context;
    const held = await db.systemQuery(
      (sql) => sql`
        insert into object_holds (organization_id, folder, owner_id, token, sweeping)
        select ${this.#organizationId}, ${this.#kind.folder}, one::uuid, ${this.#token}, false
        from string_to_table(${this.#ids.join(",")}, ',') as one
        on conflict (organization_id, folder, owner_id) do update
          set token = excluded.token, sweeping = false, renewed_at = now()
          where not object_holds.sweeping or ${isStale(sql)}
        returning owner_id`,
    );
    return held.length === this.#ids.length;
  }

  async #renew(): Promise<void> {
    await this.#context.db.systemQuery(
      (sql) => sql`update object_holds set renewed_at = now() where token = ${this.#token}`,
    );
  }
}

/** Whether a hold is a dead process's. @param seconds see `STALE_SECONDS` */
export const isStale = (sql: Sql, seconds = STALE_SECONDS) =>
  sql`object_holds.renewed_at <= now() - make_interval(secs => ${seconds})`;

/** Removes the objects of those owners that have no row; the caller holds them. @returns how many had none */
export async function removeOrphans(
  { db, objects }: HoldContext,
  { folder, existing }: OwnerKind,
  organizationId: string,
  ids: readonly string[],
): Promise<number> {
  const there = new Set(await db.system((sql) => existing(sql, ids)));
  const orphans = ids.filter((id) => !there.has(id));
  for (const id of orphans) await objects.deletePrefix(ownerPrefix(organizationId, folder, id));
  return orphans.length;
}
