/** Extracting answers by a schema, as a kind of jobs. */

import { z } from "zod";
import { type JobKind, jobQueue, resultRecord } from "../../jobs/kind.ts";
import { modelIdSchema } from "../../models/model-id.ts";
import type { ExtractionJobRow } from "../jobs/job.ts";
import { documentJob, QUEUE_OPTIONS, warningsSchema } from "../jobs/kind.ts";
import { jobProgressSchema, toProgress } from "../jobs/record.ts";
import { withScene } from "../jobs/scene.ts";
import { rowSchema } from "./rows.ts";
import { extract, ROWS } from "./run.ts";

const resultSchema = resultRecord(
  "extraction",
  z.object({
    model_id: modelIdSchema.describe("Of the schema."),
    rows: z.array(rowSchema).describe("One a document, in the order of the request."),
    dataset_id: z.uuid().optional(),
    warnings: warningsSchema,
  }),
  { progress: jobProgressSchema },
).meta({ id: "ExtractionResult" });

export const extractionKind = {
  ...documentJob,
  name: "extraction",
  makes: "the rows of an extraction",
  queue: jobQueue("documents.extract", QUEUE_OPTIONS),
  resultSchema,
  toResult(job) {
    const { dataset_id, warnings = [] } = job.result ?? {};
    const { model_id } = job.details;
    const result = { model_id, ...(dataset_id && { dataset_id }), warnings };
    return { progress: toProgress(job), result };
  },
  rows: { ...ROWS, columns: "a column for each question and one with its evidence" },
  run: (scene, job) => withScene(scene, job, (own) => extract(own, job)),
  refusals: {
    models: () => "An open extraction follows this schema; cancel or await it first.",
  },
} as const satisfies JobKind<ExtractionJobRow>;
