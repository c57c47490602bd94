/** A skill: what is known of a kind of document before any is seen. One reviewed file each. */

import { z } from "zod";
import { locatorSchema } from "../locators/locator.ts";
import { QUESTION_ID } from "../schema.ts";
import { VALUE_KINDS } from "../values/value.ts";

const skillFieldSchema = z.strictObject({
  id: z.string().regex(QUESTION_ID).max(63),
  question: z.string().min(1),
  kind: z.enum(VALUE_KINDS),
  unit: z.string().nullable().default(null),
  enum: z.array(z.string()).default([]),
  multiple: z.boolean().default(false),
  /** How such documents name it, in any language; a learned label that equals one is this field. */
  labels: z.array(z.string()).default([]),
  /** A label beside one of these is another field's: `total excl.` is no tax. */
  except: z.array(z.string()).default([]),
  /** Words of use cases that it serves. */
  serves: z.array(z.string()).default([]),
  /** 0 to 1: how central it is to such documents, whatever the use case. */
  weight: z.number().min(0).max(1).default(0.5),
  /** Tried in order, after a `label` locator made of `labels`. */
  locators: z.array(locatorSchema).default([]),
});
export type SkillField = z.output<typeof skillFieldSchema>;

export const skillSchema = z.strictObject({
  slug: z.string().regex(/^[a-z][a-z0-9-]*$/),
  title: z.string(),
  description: z.string(),
  document_types: z.array(z.string()).min(1),
  /** Words that are at home in such documents. */
  vocabulary: z.array(z.string()),
  fields: z.array(skillFieldSchema),
  /** Labels that are never asked about: page numbers, thanks, boilerplate. */
  avoid: z.array(z.string()),
});
export type Skill = z.output<typeof skillSchema>;
