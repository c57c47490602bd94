/** Taking back the tasks of processes that are gone. */
import type { PgBoss } from "pg-boss";
import type { Database, Sql } from "../db/database.ts";
import type { Logger } from "../log.ts";
import { AT_ONCE, transactionAdapter } from "./boss-adapter.ts";
import { notify } from "./instance.ts";

/** How stale may be what others are told of this process's life. */
const SIGN_OF_LIFE_SECONDS = 10;

interface Claim {
  readonly task_id: string;
  readonly queue: string;
  readonly attempt: number;
}

/**
 * Puts every task that a dead process holds back in its queue, due at once, and says that this one lives.
 *
 * @param ownId the instance of this process, which is not asked about
 * @returns how many tasks were taken back
 */
export async function reclaimTasks(
  database: Database,
  boss: PgBoss,
  log: Logger,
  ownId: string,
): Promise<number> {
  return await database.system(async (sql) => {
    await sql`
      update queue_instances set seen_at = now()
      where instance_id = ${ownId}
        and seen_at < now() - make_interval(secs => ${SIGN_OF_LIFE_SECONDS})`;
    const others = await sql<
      { instance_id: string; lock_key: string; host: string; pid: number }[]
    >`
      select instance_id, lock_key::text, host, pid from queue_instances
      where instance_id <> ${ownId}`;
    let count = 0;
    for (const { instance_id, lock_key, host, pid } of others) {
      const [row] = await sql<{ dead: boolean }[]>`
        select pg_try_advisory_xact_lock(${lock_key}::text::bigint) as dead`;
      if (!row?.dead) continue;
      const claims = await sql<Claim[]>`
        delete from queue_claims where instance_id = ${instance_id}
        returning task_id, queue, attempt`;
      for (const claim of claims) await requeue(sql, boss, claim);
      await sql`delete from queue_instances where instance_id = ${instance_id}`;
      if (claims.length > 0) {
        log.info(
          { host, pid, tasks: claims.length },
          "took back the tasks of a process that ended",
        );
      }
      count += claims.length;
    }
    return count;
  });
}

/** Fails the attempt, and lifts the delay that failed attempts wait. */
async function requeue(sql: Sql, boss: PgBoss, claim: Claim): Promise<void> {
  const { queue, task_id: id, attempt } = claim;
  const db = transactionAdapter(sql);
  const held = { id, retryCount: attempt - 1 };
  await boss.fail(queue, held, { message: "its process ended" }, { db });
  await boss.update(queue, undefined, { id, startAfter: AT_ONCE, db });
  await notify(sql, queue);
}
