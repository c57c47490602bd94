/** Working the queue of documents that are parsed behind the answer, in this process. */

import { availableParallelism } from "node:os";
import type { Services } from "../../api/services.ts";
import { failParseJob, parseQueue, runParseJob } from "./parse-job.ts";

export async function workParsing(services: Services): Promise<void> {
  await services.queue.work(parseQueue, {
    // One core is left to what a request waits for.
    concurrency: Math.max(1, Math.min(services.config.workers, availableParallelism()) - 1),
    handle: (task) => runParseJob(services, task),
    exhausted: ({ document_id }, message) => failParseJob(services, document_id, message),
  });
}
