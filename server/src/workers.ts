/** What a process that works the queue works on. */

import { workDocuments } from "./documents/jobs/work.ts";
import type { Platform } from "./platform.ts";
import { workTraining } from "./training/work.ts";

export async function startWorkers(platform: Platform): Promise<void> {
  await workTraining(platform);
  await workDocuments(platform);
}
