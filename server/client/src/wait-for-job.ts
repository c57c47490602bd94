/** Waiting for a job's end. */

import type { Client } from "./client.ts";
import type { JobEventsOptions, JobProgress } from "./job-events.ts";
import type { Outputs } from "./procedures.ts";

/** What a job has come to, by its `kind`. */
export type JobResult = Outputs["jobs"]["result"];

export interface WaitOptions extends Omit<JobEventsOptions, "after"> {
  /** Called with the progress whenever it has changed. */
  readonly onProgress?: (progress: JobProgress) => void;
}

/** A job that ended without what it was to make. */
export class JobFailedError extends Error {
  override readonly name = "JobFailedError";
  readonly result: JobResult;

  constructor(result: JobResult) {
    super(result.error_message ?? `The job ended as ${result.status}.`);
    this.result = result;
  }
}

export async function waitForJob(
  client: Pick<Client, "jobEvents" | "jobs">,
  jobId: string,
  { onProgress, ...options }: WaitOptions = {},
): Promise<JobResult> {
  // The log's entries are not asked for.
  const events = client.jobEvents(jobId, { ...options, after: LAST });
  for await (const event of events) {
    if (event.event === "progress") onProgress?.(event.data);
  }
  const result = await client.jobs.result.query({ job_id: jobId }, options);
  if (result.status !== "completed") throw new JobFailedError(result);
  return result;
}

/** Beyond the ids of any log. */
const LAST = 999_999_999;
