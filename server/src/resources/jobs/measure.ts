/** How many bytes of objects ended jobs keep: listed once a job, so that usage is a sum over rows. */

import type { Services } from "../../api/services.ts";
import { listUnmeasured, saveKeptBytes } from "./ended-store.ts";
import type { JobRow } from "./job.ts";
import type { JobKind } from "./kind.ts";
import { jobKey } from "./object-keys.ts";

/** Of one look. */
const BATCH = 500;

export async function measureJob(
  { db, objects }: Pick<Services, "db" | "objects">,
  { area }: JobKind,
  job: Pick<JobRow, "id" | "organization_id">,
): Promise<void> {
  let sum = 0;
  for await (const { bytes } of objects.list(jobKey(area, job, ""))) sum += bytes;
  await saveKeptBytes(db, job.id, sum);
}

/** Those that ended with their process, before they waited, or under an older version. */
export async function measureJobs(
  services: Pick<Services, "db" | "objects">,
  kinds: readonly JobKind[],
  signal?: AbortSignal,
): Promise<void> {
  for (const job of await listUnmeasured(services.db, BATCH)) {
    signal?.throwIfAborted();
    const kind = kinds.find(({ name }) => name === job.kind);
    if (kind) await measureJob(services, kind, job);
  }
}
