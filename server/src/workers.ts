/** What a process that works the queue works on. */

import { workParsing } from "./documents/work-parsing.ts";
import { workJobs } from "./jobs/run-job.ts";
import { JOB_KINDS } from "./kinds.ts";
import type { Platform } from "./platform.ts";

export async function startWorkers(platform: Platform): Promise<void> {
  await workJobs(platform, JOB_KINDS);
  await workParsing(platform);
}
