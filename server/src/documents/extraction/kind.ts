/** Extracting answers by a schema, as a kind of jobs. */

import { z } from "zod";
import { type JobKind, jobQueue, resultRecord } from "../../jobs/kind.ts";
import { modelIdSchema } from "../../models/model-id.ts";
import { documentArea, type ExtractionJobRow } from "../jobs/job.ts";
import { parsingDocuments } from "../jobs/job-documents.ts";
import { isOwnFault } from "../jobs/job-fault.ts";
import { documentJobMetrics, documentJobMetricsSchema } from "../jobs/metrics.ts";
import { jobProgressSchema, resultWarnings, toProgress } from "../jobs/record.ts";
import { withScene } from "../jobs/scene.ts";
import { rowSchema } from "./rows.ts";
import { extract, ROWS } from "./run.ts";

const resultSchema = resultRecord(
  "extraction",
  z.object({
    model_id: modelIdSchema.describe("Of the schema."),
    rows: z.array(rowSchema).describe("One a document, in the order of the request."),
    dataset_id: z.uuid().optional(),
    warnings: resultWarnings,
  }),
  { progress: jobProgressSchema },
).meta({ id: "ExtractionResult" });

export const extractionKind = {
  name: "extraction",
  area: documentArea,
  makes: "the rows of an extraction",
  queue: jobQueue("documents.extract", { maxAttempts: 5 }),
  resultSchema,
  toResult(job) {
    const { dataset_id, warnings = [] } = job.result ?? {};
    const { model_id } = job.details;
    const result = { model_id, ...(dataset_id && { dataset_id }), warnings };
    return { progress: toProgress(job), result };
  },
  rows: ROWS,
  metricsSchema: documentJobMetricsSchema,
  toMetrics: (_ctx, job) => documentJobMetrics(job),
  toProgress,
  waiting: parsingDocuments,
  run: (scene, job) => withScene(scene, job, (own) => extract(own, job)),
  isOwnFault,
  refusals: {
    models: () => "An open extraction follows this schema; cancel or await it first.",
  },
} as const satisfies JobKind<ExtractionJobRow>;
