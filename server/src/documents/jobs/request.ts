/** What an induction and an extraction are asked for, and what of it their jobs keep. */

import { z } from "zod";
import { listSkills } from "../../induction/skills/index.ts";
import { LIMITS } from "../limits.ts";
import { modelIdSchema } from "../model-id.ts";
import { inlineDocumentSchema, nameText } from "../upload.ts";

const [firstSlug = "general", ...otherSlugs] = listSkills().map(({ slug }) => slug);
const MAX_QUESTIONS = 100;

export const induceRequestSchema = z
  .strictObject({
    documents: z
      .array(z.union([z.uuid(), inlineDocumentSchema]))
      .min(1)
      .max(LIMITS.sample)
      .describe(
        "The sample: ids of documents, or texts, which are stored as documents. Ten and more of one kind show what they have in common.",
      ),
    use_case: z
      .string()
      .min(1)
      .max(10_000)
      .describe("What the features are for, in plain words; it decides which questions matter."),
    skill: z
      .enum([firstSlug, ...otherSlugs])
      .describe("A slug of GET /v1/agentic/documents/skills."),
    model_id: modelIdSchema
      .nullish()
      .describe(
        "The schema's id, one of its own in the organization; a UUID is made where it is absent. The id of a schema whose induction failed may be used again.",
      ),
    max_questions: z.int().min(1).max(MAX_QUESTIONS).default(25),
  })
  .meta({
    id: "InduceSchemaRequest",
    example: {
      documents: [
        { name: "a.txt", text: "CORNER SHOP\nDate: 03/04/2018\nTotal: 12.50" },
        { name: "b.txt", text: "TEA HOUSE\nDate: 05/04/2018\nTotal: 7.20" },
      ],
      use_case: "Predict the total of a receipt from what is bought where and when",
      skill: "general",
    },
  });

export type InduceRequest = z.output<typeof induceRequestSchema>;

/** Documents are the job's. */
export interface InductionRequestRecord {
  readonly use_case: string;
  readonly skill: string;
  readonly max_questions: number;
}

const extraValue = z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()]);
export type ExtraValue = z.output<typeof extraValue>;

const extraColumns = z
  .record(nameText().min(1).max(200), extraValue)
  .refine((columns) => Object.keys(columns).length <= LIMITS.columns, {
    message: `at most ${LIMITS.columns} columns`,
  })
  .optional()
  .describe(
    "What is known of the document beside its text, such as the label to be learned: further columns of its row.",
  );

export const extractRequestSchema = z
  .strictObject({
    model_id: modelIdSchema.describe("Of a completed document schema."),
    documents: z
      .array(
        z.union([
          z.uuid(),
          z.strictObject({ document_id: z.uuid(), columns: extraColumns }),
          z.strictObject({ ...inlineDocumentSchema.shape, columns: extraColumns }),
        ]),
      )
      .min(1)
      .max(LIMITS.extraction)
      .describe("One row each, in this order. Texts are stored as documents."),
    register_dataset: z
      .strictObject({ name: z.string().min(1).max(200) })
      .nullish()
      .describe("Registers the rows as a dataset, ready to be trained on."),
  })
  .meta({
    id: "ExtractRequest",
    example: {
      model_id: "receipts",
      documents: [
        {
          name: "c.txt",
          text: "BOOK SHOP\nDate: 07/04/2018\nTotal: 31.00",
          columns: { kept: true },
        },
      ],
      register_dataset: { name: "receipts of April" },
    },
  });

export type ExtractRequest = z.output<typeof extractRequestSchema>;

/** One row that is asked for. */
export interface RequestedRow {
  readonly document_id: string;
  readonly columns?: Readonly<Record<string, ExtraValue>>;
}

export interface ExtractionRequest {
  readonly rows: readonly RequestedRow[];
  /** The dataset's id is drawn when the job is registered, so that a run that is repeated meets it. */
  readonly dataset: { readonly id: string; readonly name: string } | null;
}
