/** Documents that are predicted: named, written into the request, or sent as files. */

import { z } from "zod";
import { coverageQuery, predictionsSchema } from "../../../platform/compute/model-rows.ts";
import { modelIdSchema } from "../../models/model-id.ts";
import { answerSchema, fileWarnings } from "../extraction/rows.ts";
import { inlineDocumentSchema, nameText } from "../upload.ts";

/** Documents of one request: they are read while the caller waits. */
export const MOST_DOCUMENTS = 50;

const extraValue = z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()]);
export type ExtraColumns = Readonly<Record<string, z.output<typeof extraValue>>>;

const columns = z
  .record(nameText().min(1).max(200), extraValue)
  .optional()
  .describe(
    "What the model reads beside the answers, and answers to be put in place of those that are found.",
  );

const beside = {
  schema_id: modelIdSchema
    .optional()
    .describe(
      "The document schema whose questions are answered. Default: the one that made the data that the model learned from.",
    ),
  coverage: coverageQuery,
};

export const documentsQuery = z.strictObject(beside);

export const predictDocumentsSchema = z
  .strictObject({
    documents: z
      .array(
        z.union([
          z.uuid(),
          z.strictObject({ document_id: z.uuid(), columns }),
          z.strictObject({ ...inlineDocumentSchema.shape, columns }),
        ]),
      )
      .min(1)
      .max(MOST_DOCUMENTS)
      .describe("Stored ones by their ids, or texts, which are not stored."),
  })
  .meta({ id: "PredictDocumentsRequest" });

export const documentPredictionsSchema = z.object({
  ...predictionsSchema.shape,
  schema_id: modelIdSchema.describe("Of the document schema whose questions were answered."),
  documents: z
    .array(
      z.object({
        document_id: z.uuid().nullable().describe("Null of texts and files of the request."),
        name: z.string(),
        answers: z.record(z.string(), answerSchema).describe("By the ids of the questions."),
        warnings: fileWarnings,
      }),
    )
    .describe("What was read in each, in the order of the predictions."),
});
