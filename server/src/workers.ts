/** What a process that works the queue works on. */

import { workParsing } from "./resources/documents/work-parsing.ts";
import { workJobs } from "./resources/jobs/run-job.ts";
import { JOB_KINDS } from "./kinds.ts";
import type { Platform } from "./api/services.ts";

export async function startWorkers(platform: Platform): Promise<void> {
  await workJobs(platform, JOB_KINDS);
  await workParsing(platform);
}
