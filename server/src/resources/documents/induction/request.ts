/** What an induction is asked for, and what of it its job keeps. */

import { z } from "zod";
import { listSkills } from "../../../reading/induction/skills/index.ts";
import { modelIdSchema } from "../../models/model-id.ts";
import { LIMITS } from "../limits.ts";
import { inlineDocumentSchema } from "../upload.ts";

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
