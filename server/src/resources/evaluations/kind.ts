/** Evaluation, as a kind of jobs. */

import { DataError, ModelFormatError } from "@distillery/engine";
import { z } from "zod";
import { JOB_STATUSES } from "../jobs/job.ts";
import { type JobKind, jobQueue, resultRecord } from "../jobs/kind.ts";
import { type EvaluationJobRow, evaluationArea } from "./job.ts";
import {
  evaluationProgressSchema,
  evaluationResultSchema,
  toEvaluationProgress,
  toEvaluationResult,
} from "./record.ts";
import { runEvaluation } from "./run.ts";

const metricsSchema = z
  .object({
    kind: z.literal("evaluation"),
    status: z.enum(JOB_STATUSES),
    error_message: z.string(),
    progress: evaluationProgressSchema,
  })
  .meta({ id: "EvaluationMetrics" });

export const evaluationKind = {
  name: "evaluation",
  area: evaluationArea,
  makes: "the scores of an evaluation",
  queue: jobQueue("models.evaluate"),
  resultSchema: resultRecord("evaluation", evaluationResultSchema, {
    progress: evaluationProgressSchema,
  }).meta({ id: "EvaluationResult" }),
  toResult(job) {
    return { progress: toEvaluationProgress(job), result: toEvaluationResult(job) ?? {} };
  },
  metricsSchema,
  toMetrics(_ctx, job) {
    const { kind, status, error_message } = job;
    return { kind, status, error_message, progress: toEvaluationProgress(job) };
  },
  toProgress: toEvaluationProgress,
  run: runEvaluation,
  isOwnFault: (error): error is Error =>
    error instanceof DataError || error instanceof ModelFormatError,
  keeps: "output",
  refusals: {
    datasets: () => "An open evaluation reads this dataset; cancel or await it first.",
    models: () => "An open evaluation asks this model; cancel or await it first.",
  },
} as const satisfies JobKind<EvaluationJobRow>;
