/** What both kinds of document jobs have in common. */

import { z } from "zod";
import { InductionError } from "../../../reading/induction/runner/induction-runner.ts";
import { JOB_STATUSES } from "../../jobs/job.ts";
import type { JobKind } from "../../jobs/kind.ts";
import { DOCUMENT_JOB_KINDS, type DocumentJobRow, documentArea } from "./job.ts";
import { parsingDocuments } from "./job-documents.ts";
import { jobProgressSchema, toProgress } from "./record.ts";

const metricsSchema = z
  .object({
    kind: z.enum(DOCUMENT_JOB_KINDS),
    status: z.enum(JOB_STATUSES),
    error_message: z.string(),
    progress: jobProgressSchema,
  })
  .meta({ id: "DocumentJobMetrics" });

/** Work that ends its process is not tried again for ever. */
export const QUEUE_OPTIONS = { maxAttempts: 5 };

/** For both results. */
export const warningsSchema = z
  .array(z.string())
  .describe("Such as documents that could not be read, and files that seem to hold several.");

export const documentJob = {
  area: documentArea,
  metricsSchema,
  toMetrics(_ctx, job) {
    const { kind, status, error_message } = job;
    return { kind, status, error_message, progress: toProgress(job) };
  },
  toProgress,
  waiting: parsingDocuments,
  isOwnFault: (error) => error instanceof InductionError,
} as const satisfies Partial<JobKind<DocumentJobRow>>;
