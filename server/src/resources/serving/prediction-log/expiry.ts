/** By the clock: logged predictions whose days are over go, and what was said of them. */

import type { Services } from "../../../api/services.ts";
import { ownerPrefix } from "../../../platform/objects/holds.ts";
import { dropExpired, dropStaleLabels, predictionLogOwners } from "./store.ts";

/** Files that are taken out of the list at once; their objects go behind them. */
const BATCH = 500;

/** @returns how many files went */
export async function dropExpiredLogs(
  { db, objects }: Pick<Services, "db" | "objects">,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    const gone = await dropExpired(db, BATCH);
    for (const { id, organization_id } of gone) {
      await objects.deletePrefix(ownerPrefix(organization_id, predictionLogOwners.folder, id));
    }
    if (gone.length > 0) {
      await dropStaleLabels(db, [...new Set(gone.map(({ endpoint_id }) => endpoint_id))]);
    }
    count += gone.length;
    if (gone.length < BATCH) return count;
  }
}
