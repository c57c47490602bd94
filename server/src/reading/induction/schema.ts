/**
 * A document schema: the frozen list of questions that the API shows, and beside it, for extraction,
 * how each question's answer is found.
 */

import { z } from "zod";
import { habitsSchema } from "./extraction/habits.ts";
import { targetSchema, weighedLocatorSchema } from "./locators/locator.ts";

/** Lowercase words joined by `_`, as a column's name. */
export const QUESTION_ID = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

export const questionSchema = z.object({
  id: z.string().regex(QUESTION_ID).max(63),
  question: z.string().min(1).max(300),
  rationale: z.string(),
  unit: z
    .string()
    .nullable()
    // Schemas of former versions have null.
    .transform((unit) => unit ?? "")
    .pipe(z.string())
    .describe("The unit of the answer, such as EUR or kg; empty where there is none."),
  enum: z.array(z.string()),
});
export type Question = z.output<typeof questionSchema>;

export const documentSchemaSchema = z.object({
  skill: z.string(),
  use_case: z.string(),
  questions: z.array(questionSchema),
  metadata: z.record(z.string(), z.unknown()),
});
/** What Get Schema answers. */
export type DocumentSchema = z.output<typeof documentSchemaSchema>;

const conventionsSchema = z.strictObject({
  dayFirst: z.boolean(),
  isOrderShown: z.boolean().optional(),
  isOrderMixed: z.boolean().optional(),
  decimalComma: z.boolean(),
  currency: z.string().nullable(),
  languages: z.array(z.string()),
  labels: z.array(z.string()).readonly().optional(),
});

/** How one question is answered. */
const answererSchema = z.strictObject({
  id: z.string(),
  target: targetSchema,
  locators: z.array(weighedLocatorSchema),
  /** What the sample's answers were like; absent in schemas that are older than this. */
  habits: habitsSchema.optional(),
});
export type Answerer = z.output<typeof answererSchema>;

/** Kept with the model; its hash is in the schema's metadata. */
export const extractionPlanSchema = z.strictObject({
  version: z.literal(1),
  conventions: conventionsSchema,
  answerers: z.array(answererSchema),
});
export type ExtractionPlan = z.output<typeof extractionPlanSchema>;
