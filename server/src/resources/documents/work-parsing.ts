/** Working the queue of documents that are parsed behind the answer, in this process. */

import { availableParallelism } from "node:os";
import type { Platform } from "../../api/services.ts";
import { failParseJob, parseQueue, runParseJob } from "./parse-job.ts";

export async function workParsing(platform: Platform): Promise<void> {
  await platform.queue.work(parseQueue, {
    // One core is left to what a request waits for.
    concurrency: Math.max(1, Math.min(platform.config.workers, availableParallelism()) - 1),
    handle: (task) => runParseJob(platform, task),
    exhausted: ({ document_id }, message) => failParseJob(platform, document_id, message),
  });
}
