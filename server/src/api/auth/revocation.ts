/**
 * The end of a key in every process. A process that remembers keys holds an advisory lock on the
 * connection that revocations come by, and confirms each one that it has heard of. Who revokes a key
 * waits for all of them. For one that does not answer it waits as long as that one may go on with what
 * it remembers: a lease, renewed by statements on that very connection.
 */
import { once } from "node:events";
import type { Database, Sql } from "../../platform/db/database.ts";
import { LEASE_MS } from "./key-cache.ts";
import { revokeKey } from "./key-store.ts";

/** The channel on which processes confirm: the number of their session and the hash (hex). */
const CONFIRMED_CHANNEL = "distillery_api_keys_heard";
/** The two keys of the lock, shared among all that listen: "dkey", and one for this purpose. */
const LOCK = [0x646b6579, 1] as const;
/** The clocks of two processes do not tick quite alike. */
const MARGIN_MS = 100;

/** To be called once revocations are listened to, and before the first key is remembered. */
export async function joinListeners(sql: Sql): Promise<void> {
  await sql.unsafe(`select pg_advisory_lock_shared(${LOCK.join()})`);
}

/** @param hash of a key that this process has forgotten, hex */
export async function confirmRevocation(sql: Sql, hash: string): Promise<void> {
  await sql`select pg_notify(${CONFIRMED_CHANNEL}, pg_backend_pid() || ' ' || ${hash}::text)`;
}

/**
 * Resolves when no process takes the key any more: as a rule within milliseconds, and after the lease
 * where a process has stopped or lost its way to the database.
 *
 * @returns whether there was such a key to revoke
 */
export async function revokeEverywhere(
  db: Database,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const confirmed = new Set<string>();
  const confirmations = new EventTarget();
  const session = await db.session({
    // Then it waits for the lease.
    onLost: () => undefined,
    onNotify: (_channel, payload) => {
      confirmed.add(payload);
      confirmations.dispatchEvent(new Event("confirmed"));
    },
  });
  try {
    await session.sql.unsafe(`listen ${CONFIRMED_CHANNEL}`);
    const hash = await revokeKey(db, organizationId, id);
    if (hash === null) return false;
    const signal = AbortSignal.timeout(LEASE_MS + MARGIN_MS);
    // Who begins to listen after the key was revoked does not find it any more.
    const listening = await listeners(db);
    while (!listening.every((pid) => confirmed.has(`${pid} ${hash}`)) && !signal.aborted) {
      await once(confirmations, "confirmed", { signal }).catch(() => undefined);
    }
    return true;
  } finally {
    await session.end();
  }
}

/** The numbers of the sessions by which processes hear of revocations. */
async function listeners(db: Database): Promise<readonly number[]> {
  const rows = await db.systemQuery(
    (sql) => sql<{ pid: number }[]>`
      select pid from pg_locks
      where locktype = 'advisory' and granted and classid = ${LOCK[0]} and objid = ${LOCK[1]}
        and objsubid = 2
        and database = (select oid from pg_database where datname = current_database())`,
  );
  return rows.map(({ pid }) => pid);
}
