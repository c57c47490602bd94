/** Inducing a schema, as a kind of jobs. */

import { z } from "zod";
import { type JobKind, jobQueue, resultRecord } from "../../jobs/kind.ts";
import { modelIdSchema } from "../../models/model-id.ts";
import { documentArea, type InductionJobRow } from "../jobs/job.ts";
import { parsingDocuments } from "../jobs/job-documents.ts";
import { isOwnFault } from "../jobs/job-fault.ts";
import { documentJobMetrics, documentJobMetricsSchema } from "../jobs/metrics.ts";
import { jobProgressSchema, resultWarnings, toProgress } from "../jobs/record.ts";
import { withScene } from "../jobs/scene.ts";
import { setSchemaStatus } from "../schemas/store.ts";
import { induce } from "./run.ts";

const resultSchema = resultRecord(
  "induction",
  z.object({
    model_id: modelIdSchema.describe("Of the schema: get it by this id."),
    questions: z.int(),
    hash: z.string(),
    warnings: resultWarnings,
  }),
  { progress: jobProgressSchema },
).meta({ id: "InductionResult" });

export const inductionKind = {
  name: "induction",
  area: documentArea,
  makes: "the schema of an induction",
  // Work that ends its process is not tried again for ever.
  queue: jobQueue("documents.induce", { maxAttempts: 5 }),
  resultSchema,
  toResult(job) {
    const { questions = 0, hash = "", warnings = [] } = job.result ?? {};
    const result = { model_id: job.details.model_id, questions, hash, warnings };
    return { progress: toProgress(job), result };
  },
  metricsSchema: documentJobMetricsSchema,
  toMetrics: (_ctx, job) => documentJobMetrics(job),
  toProgress,
  waiting: parsingDocuments,
  run: (scene, job) => withScene(scene, job, (own) => induce(own, job)),
  isOwnFault,
  follow: setSchemaStatus,
} as const satisfies JobKind<InductionJobRow>;
