/** What a process that works the queue works on. */

import type { Services } from "./api/services.ts";
import { JOB_KINDS } from "./kinds.ts";
import { workParsing } from "./resources/documents/work-parsing.ts";
import { workJobs } from "./resources/jobs/run-job.ts";

export async function startWorkers(services: Services): Promise<void> {
  // Before it is one of those that tasks are left to for what they have.
  await services.compute.training?.devices.probe();
  await workJobs(services, JOB_KINDS);
  await workParsing(services);
}
