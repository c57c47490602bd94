/** What an extraction is asked for, and what of it its job keeps. */

import { z } from "zod";
import { displayName } from "../../../platform/input/display-name.ts";
import { modelIdSchema } from "../../models/model-id.ts";
import type { Label } from "../labels/store.ts";
import { LIMITS } from "../limits.ts";
import { inlineDocumentSchema, nameText } from "../upload.ts";

const extraValue = z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()]);
export type ExtraValue = z.output<typeof extraValue>;

const extraColumns = z
  .record(nameText().min(1).max(200), extraValue)
  .refine((columns) => Object.keys(columns).length <= LIMITS.columns, {
    message: `at most ${LIMITS.columns} columns`,
  })
  .optional()
  .describe(
    "What is known about the document besides its text, such as the label to be learned: further columns of its row.",
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
      .strictObject({ name: displayName() })
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
  /** As they were when it was asked for; absent of jobs that are older than labels are. */
  readonly labels?: readonly Label[];
  /** The dataset's id is drawn when the job is registered, so that a run that is repeated meets it. */
  readonly dataset: { readonly id: string; readonly name: string } | null;
}
