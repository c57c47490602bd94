/** What the queue holds and who works it, in all processes, as the database knows it at this moment. */

import type { Database } from "../db/database.ts";
import type { Offer, WorkerFacts } from "./instance.ts";
import type { QueueDepth } from "./queue.ts";

/** A queue as it is at this moment. */
export interface QueueState extends QueueDepth {
  /** Since when the oldest task that is due waits; null where none does. */
  readonly oldestWaiting: Date | null;
}

/** A process that works the queue, and what it is at. */
export interface Worker extends Omit<WorkerFacts, "offer">, Omit<Offer, "needs"> {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly tasks: readonly WorkersTask[];
}

export interface WorkersTask {
  readonly id: string;
  readonly queue: string;
  readonly attempt: number;
  readonly since: Date;
  readonly payload: unknown;
}

/** By name of the queue; those that give up tasks, too. */
export async function queueStates(database: Database): Promise<readonly QueueState[]> {
  const rows = await database.systemQuery(
    (sql) => sql<(QueueDepth & { readonly oldest: Date | null })[]>`
      select queue.name as queue,
             count(*) filter (where job.state in ('created', 'retry'))::integer as waiting,
             count(*) filter (where job.state = 'active')::integer as running,
             min(greatest(job.start_after, job.created_on))
               filter (where job.state in ('created', 'retry') and job.start_after <= now())
               as oldest
      from distillery_queue.queue left join distillery_queue.job on job.name = queue.name
      group by queue.name order by queue.name`,
  );
  return rows.map(({ oldest, ...depth }) => ({ ...depth, oldestWaiting: oldest }));
}

/** The processes that live, those that began first before others. */
export async function liveWorkers(database: Database): Promise<readonly Worker[]> {
  return await database.system(async (sql) => {
    const rows = await sql<Omit<Worker, "tasks">[]>`
      select instance_id as id, host, pid, version, threads, devices, started_at as "startedAt",
             seen_at as "seenAt"
      from queue_instances order by started_at, instance_id`;
    const tasks = await sql<(WorkersTask & { readonly worker: string })[]>`
      select claim.task_id as id, claim.queue, claim.attempt, claim.claimed_at as since,
             claim.instance_id as worker, job.data -> 'payload' as payload
      from queue_claims claim
      left join distillery_queue.job on job.name = claim.queue and job.id = claim.task_id
      order by claim.claimed_at, claim.task_id`;
    return rows.map((row) => ({
      ...row,
      tasks: tasks.flatMap(({ worker, ...task }) => (worker === row.id ? [task] : [])),
    }));
  });
}
