/** Inducing a schema, as a kind of jobs. */

import { z } from "zod";
import { type JobKind, jobQueue, resultRecord } from "../../jobs/kind.ts";
import { modelIdSchema } from "../../models/model-id.ts";
import type { InductionJobRow } from "../jobs/job.ts";
import { documentJob, QUEUE_OPTIONS, warningsSchema } from "../jobs/kind.ts";
import { jobProgressSchema, toProgress } from "../jobs/record.ts";
import { withScene } from "../jobs/scene.ts";
import { setSchemaStatus } from "../schemas/store.ts";
import { induce } from "./run.ts";

const resultSchema = resultRecord(
  "induction",
  z.object({
    model_id: modelIdSchema.describe("Of the schema: get it by this id."),
    questions: z.int(),
    hash: z.string(),
    warnings: warningsSchema,
  }),
  { progress: jobProgressSchema },
).meta({ id: "InductionResult" });

export const inductionKind = {
  ...documentJob,
  name: "induction",
  makes: "the schema of an induction",
  queue: jobQueue("documents.induce", QUEUE_OPTIONS),
  resultSchema,
  toResult(job) {
    const { questions = 0, hash = "", warnings = [] } = job.result ?? {};
    const result = { model_id: job.details.model_id, questions, hash, warnings };
    return { progress: toProgress(job), result };
  },
  run: (scene, job) => withScene(scene, job, (own) => induce(own, job)),
  follow: setSchemaStatus,
} as const satisfies JobKind<InductionJobRow>;
