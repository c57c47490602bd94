/** By the clock: logged predictions whose days are over go, and what was said of them. */

import type { Services } from "../../../api/services.ts";
import { dropOwners } from "../../../platform/objects/holds.ts";
import { dropExpired, dropStaleLabels, predictionLogOwners } from "./store.ts";

/** @returns how many files went */
export const dropExpiredLogs = (
  services: Pick<Services, "db" | "objects" | "log">,
  signal?: AbortSignal,
): Promise<number> =>
  dropOwners(
    services,
    predictionLogOwners,
    (most) => dropExpired(services.db, most),
    signal,
    (gone) =>
      dropStaleLabels(services.db, [...new Set(gone.map(({ endpoint_id }) => endpoint_id))]),
  );
