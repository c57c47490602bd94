/**
 * What is done by the clock, and at the start: the object store is swept (what every resource's objects
 * are owned by), ended jobs are measured, and what organizations keep no longer goes, old predictions and
 * abandoned uploads too.
 */

import type { Services } from "./api/services.ts";
import { ALL_KINDS, JOB_KINDS, MODEL_KINDS } from "./kinds.ts";
import type { OwnerKind } from "./platform/objects/holds.ts";
import { sweepObjects } from "./platform/objects/sweep.ts";
import { datasetOwners } from "./resources/datasets/store.ts";
import { dropExpiredUploads } from "./resources/datasets/uploads/service.ts";
import { uploadOwners } from "./resources/datasets/uploads/store.ts";
import { documentOwners } from "./resources/documents/store.ts";
import { measureJobs } from "./resources/jobs/measure.ts";
import { jobOwners } from "./resources/jobs/service.ts";
import { modelOwners } from "./resources/models/service.ts";
import { applyDue } from "./resources/retention/daily.ts";
import { dropExpiredLogs } from "./resources/serving/prediction-log/expiry.ts";
import { predictionLogOwners } from "./resources/serving/prediction-log/store.ts";

export const OWNER_KINDS: readonly OwnerKind[] = [
  datasetOwners,
  uploadOwners,
  modelOwners(MODEL_KINDS),
  documentOwners,
  ...jobOwners(JOB_KINDS),
  predictionLogOwners,
];

/** Once more soon after the start, when what a killed process held has grown stale. */
const SECOND_MILLISECONDS = 90_000;
const EVERY_MILLISECONDS = 600_000;

/** @returns ends it, after the owner that is swept */
export function startSweeping(services: Services): () => Promise<void> {
  const { log } = services;
  const end = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const sweep = (): void => {
    running = running.then(async () => {
      if (end.signal.aborted) return;
      try {
        await sweepObjects(services, { kinds: OWNER_KINDS, signal: end.signal });
      } catch (error) {
        if (!end.signal.aborted) log.warn({ err: error }, "the object store could not be swept");
      }
      try {
        await measureJobs(services, JOB_KINDS, end.signal);
        await applyDue(services, ALL_KINDS, end.signal);
      } catch (error) {
        if (!end.signal.aborted) log.warn({ err: error }, "retention could not be applied");
      }
      try {
        await dropExpiredUploads(services, end.signal);
      } catch (error) {
        if (!end.signal.aborted) log.warn({ err: error }, "abandoned uploads were not deleted");
      }
      try {
        await dropExpiredLogs(services, end.signal);
      } catch (error) {
        if (!end.signal.aborted) log.warn({ err: error }, "old predictions were not deleted");
      }
    });
  };
  sweep();
  const second = setTimeout(sweep, SECOND_MILLISECONDS);
  const clock = setInterval(sweep, EVERY_MILLISECONDS);
  second.unref();
  clock.unref();
  return async () => {
    clearTimeout(second);
    clearInterval(clock);
    end.abort();
    await running;
  };
}
