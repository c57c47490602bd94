/** Working the queues of documents in this process. */

import { availableParallelism } from "node:os";
import type { Platform } from "../../platform.ts";
import { failParseJob, parseQueue, runParseJob } from "../parse-job.ts";
import { extractionQueue, inductionQueue } from "./definition.ts";
import { failJob, runDocumentJob } from "./run-job.ts";

/** One job of each kind at a time: uploads are parsed, and folds trained, beside them. */
export async function workDocuments(platform: Platform): Promise<void> {
  await platform.queue.work(parseQueue, {
    // One core is left to what a request waits for.
    concurrency: Math.max(1, Math.min(platform.config.workers, availableParallelism()) - 1),
    handle: (task) => runParseJob(platform, task),
    exhausted: ({ document_id }, message) => failParseJob(platform, document_id, message),
  });
  for (const queue of [inductionQueue, extractionQueue]) {
    await platform.queue.work(queue, {
      concurrency: 1,
      handle: (task) => runDocumentJob(platform, task),
      exhausted: ({ job_id }, message) => failJob(platform, job_id, message),
    });
  }
}
