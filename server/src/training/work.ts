/** Working the queue of training runs in this process. */

import type { Platform } from "../platform.ts";
import { trainingQueue } from "./definition.ts";
import { failJob, runJob } from "./run-job.ts";

/** Takes training runs, one at a time: a run keeps all training threads busy by itself. */
export async function workTraining(platform: Platform): Promise<void> {
  await platform.queue.work(trainingQueue, {
    concurrency: 1,
    handle: (task) => runJob(platform, task),
    exhausted: ({ job_id }, message) => failJob(platform, job_id, message),
  });
}
