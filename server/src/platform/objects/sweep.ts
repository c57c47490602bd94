/**
 * Removes what nobody owns: the objects of owners that have no row, and that no live process holds
 * (`holds.ts`). A process that is killed between the row and its objects, in either order, leaves
 * them; so does a task that was taken from a process which did not notice.
 *
 * The folders are listed before the rows are looked at. Whoever stores what was listed had a hold
 * before, and then has the hold or the row, so nothing that is being made is ever taken for left.
 */
import { randomUUID } from "node:crypto";
import {
  type HoldContext,
  isStale,
  type OwnerKind,
  removeOrphans,
  STALE_SECONDS,
} from "./holds.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** All that the service stores lies below it. */
const ORGANIZATIONS = "organizations/";
/** Owners that are looked up in one statement. */
const BATCH = 500;

export interface SweepOptions {
  readonly kinds: readonly OwnerKind[];
  /** Looked at between owners. */
  readonly signal?: AbortSignal;
  /** Holds that were not renewed for so long are dead processes'. */
  readonly staleSeconds?: number;
}

/** @returns the number of owners whose objects were removed */
export async function sweepObjects(context: HoldContext, options: SweepOptions): Promise<number> {
  const { db, objects } = context;
  const { kinds, signal, staleSeconds = STALE_SECONDS } = options;
  let removed = 0;
  await objects.removeAbandonedUploads(ORGANIZATIONS, staleSeconds);
  for await (const organizationId of objects.listFolders(ORGANIZATIONS)) {
    if (!UUID.test(organizationId)) continue;
    for (const kind of kinds) {
      let batch: string[] = [];
      const look = async (): Promise<void> => {
        const there = new Set(await db.system((sql) => kind.existing(sql, batch)));
        for (const id of batch) {
          signal?.throwIfAborted();
          if (!there.has(id))
            removed += await sweepOwner(context, kind, organizationId, id, staleSeconds);
        }
        batch = [];
      };
      for await (const id of objects.listFolders(
        `organizations/${organizationId}/${kind.folder}/`,
      )) {
        if (UUID.test(id)) batch.push(id);
        if (batch.length === BATCH) await look();
      }
      if (batch.length > 0) await look();
    }
  }
  // Of processes that died before they stored anything.
  await db.systemQuery((sql) => sql`delete from object_holds where ${isStale(sql, 86_400)}`);
  return removed;
}

/** Under a hold of its own: whoever is about to store for the same owner waits until it is done. */
async function sweepOwner(
  context: HoldContext,
  kind: OwnerKind,
  organizationId: string,
  id: string,
  staleSeconds: number,
): Promise<number> {
  const { db, log } = context;
  const token = randomUUID();
  const held = await db.systemQuery(
    (sql) => sql`
      insert into object_holds (organization_id, folder, owner_id, token, sweeping)
      values (${organizationId}, ${kind.folder}, ${id}, ${token}, true)
      on conflict (organization_id, folder, owner_id) do update
        set token = excluded.token, sweeping = true, renewed_at = now()
        where ${isStale(sql, staleSeconds)}
      returning owner_id`,
  );
  if (held.length === 0) return 0;
  const removed = await removeOrphans(context, kind, organizationId, [id]);
  await db.systemQuery((sql) => sql`delete from object_holds where token = ${token}`);
  if (removed > 0) {
    log.info(
      { organization: organizationId, folder: kind.folder, id },
      "removed what nobody owned",
    );
  }
  return removed;
}
