/** Batch prediction, as a kind of jobs. */

import { DataError } from "@distillery/engine";
import { z } from "zod";
import { Problem } from "../../platform/input/problem.ts";
import { SqlError } from "../../query/sql/query.ts";
import { JOB_STATUSES } from "../jobs/job.ts";
import { type JobKind, jobQueue, resultRecord } from "../jobs/kind.ts";
import { jobKey } from "../jobs/service.ts";
import { type BatchJobRow, batchArea } from "./job.ts";
import {
  batchProgressSchema,
  batchResultSchema,
  toBatchProgress,
  toBatchResult,
} from "./record.ts";
import { predictBatch } from "./run.ts";

const resultSchema = resultRecord("batch_prediction", batchResultSchema, {
  progress: batchProgressSchema,
}).meta({ id: "BatchPredictionResult" });

const metricsSchema = z
  .object({
    kind: z.literal("batch_prediction"),
    status: z.enum(JOB_STATUSES),
    error_message: z.string(),
    progress: batchProgressSchema,
  })
  .meta({ id: "BatchPredictionMetrics" });

/** Failures of a query that another try would meet again. */
const LASTING: readonly SqlError["failure"][] = [
  "invalid",
  "not-allowed",
  "failed",
  "timeout",
  "resources",
];

export const batchPredictionKind = {
  name: "batch_prediction",
  area: batchArea,
  makes: "the file of a batch prediction",
  queue: jobQueue("serving.batch_predict", { maxAttempts: 5 }),
  resultSchema,
  async toResult(job, ctx) {
    return { progress: toBatchProgress(job), result: (await toBatchResult(ctx, job)) ?? {} };
  },
  metricsSchema,
  toMetrics(_ctx, job) {
    const { kind, status, error_message } = job;
    return { kind, status, error_message, progress: toBatchProgress(job) };
  },
  toProgress: toBatchProgress,
  run: predictBatch,
  isOwnFault: (error): error is Error =>
    error instanceof DataError ||
    (error instanceof SqlError && LASTING.includes(error.failure)) ||
    (error instanceof Problem && error.kind === "forbidden"),
  discard: ({ objects }, job) => objects.deletePrefix(jobKey(batchArea, job, "")),
  keeps: "output",
  refusals: {
    datasets: () => "An open batch prediction reads this dataset; cancel or await it first.",
    models: () => "An open batch prediction asks this model; cancel or await it first.",
  },
} as const satisfies JobKind<BatchJobRow>;
