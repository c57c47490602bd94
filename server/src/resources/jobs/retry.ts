/** An open job whose latest attempt failed, as it is kept and shown. */

import { z } from "zod";

const retrySchema = z
  .object({
    attempt: z.int().describe("Which attempt failed; the first is 1."),
    message: z.string().describe("What it failed by."),
    failed_at: z.iso.datetime().describe("When it did, ISO 8601."),
  })
  .meta({
    id: "JobRetry",
    description:
      "Of an open job whose latest attempt failed and that waits to be tried again; it is there no more once the next attempt begins.",
  });

export type JobRetry = z.infer<typeof retrySchema>;

/** A member of a job's record; absent of jobs that wait for nothing of the kind. */
export const retryMember = { retry: retrySchema.optional() };

export const toRetry = ({ retry }: { readonly retry: JobRetry | null }): { retry?: JobRetry } =>
  retry === null ? {} : { retry };
