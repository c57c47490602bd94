/**
 * `model.json`: what a model is, without its numbers. Beside it lie `encoder-N.dsm` (bin edges)
 * and `member-NNN.dsm` (one fitted model each), listed with their sizes and hashes.
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import { COLUMN_KINDS } from "../data/table.ts";
import { parameterValueSchema } from "../search/index.ts";
import { TASK_KINDS } from "../tasks/task.ts";
import { featureSchemaDocument } from "./feature-schema-document.ts";
import { ModelFormatError } from "./packed.ts";

export const MODEL_FORMAT = "distillery-model";
export const MODEL_VERSION = 1;
export const DOCUMENT_PATH = "model.json";

/** A score that is undefined (NaN) is null in JSON. */
const scoresSchema = z.record(z.string(), z.number().nullable());

const importanceSchema = z.array(
  z.object({
    /** A column of the input. */
    column: z.string(),
    importance: z.number(),
    /** Standard deviation over repeats; permutation only. */
    deviation: z.number().optional(),
  }),
);

export const memberSchema = z.object({
  family: z.string(),
  weight: z.number(),
  trial: z.int(),
  /** The fold it was fitted on; null for a refit on all rows. */
  fold: z.int().nullable(),
  /** Index of the encoder whose bins it reads. */
  encoder: z.int(),
  file: z.string(),
  parameters: z.record(z.string(), parameterValueSchema),
  facts: z.record(z.string(), z.union([z.number(), z.string()])),
});

export const cardSchema = z.object({
  /** The run's configuration, as it was resolved. */
  config: z.record(z.string(), z.unknown()),
  rows: z.int(),
  families: z.array(z.object({ family: z.string(), reason: z.string() })),
  metrics: z.array(z.string()),
  splitter: z.string(),
  trials: z.object({
    planned: z.int(),
    finished: z.int(),
    failed: z.int(),
    pruned: z.int().optional(),
    refused: z.int().optional(),
    /** Trials that the time budget, or the configuration, let be begun; repeats the run. */
    allowed: z.int().optional(),
  }),
  /** Of the model, on rows that its members did not learn from. */
  scores: scoresSchema,
  /** In a sweep: the weights of `metrics` that led to this model. */
  metricWeights: z.array(z.array(z.number())).optional(),
  scoresByFold: z.array(z.object({ trial: z.int(), fold: z.int(), scores: scoresSchema })),
  importance: z.object({ gain: importanceSchema, permutation: importanceSchema }),
  warnings: z.array(z.string()),
  environment: z.object({ engine: z.string(), node: z.string(), platform: z.string() }),
});

export const modelDocumentSchema = z.object({
  format: z.literal(MODEL_FORMAT),
  version: z.int(),
  task: z.object({ kind: z.enum(TASK_KINDS), classes: z.array(z.string()) }),
  labelColumn: z.string(),
  /** What `predict` reads: the columns that features are made of. */
  columns: z.array(
    z.object({ name: z.string(), kind: z.enum(COLUMN_KINDS), nullable: z.boolean() }),
  ),
  schema: featureSchemaDocument,
  kind: z.enum(["ensemble", "winner"]),
  members: z.array(memberSchema).min(1),
  encoders: z.array(z.object({ file: z.string() })).min(1),
  files: z.array(z.object({ path: z.string(), bytes: z.int(), sha256: z.string() })),
  card: cardSchema,
});

export type ModelCard = z.infer<typeof cardSchema>;
export type ModelMember = z.infer<typeof memberSchema>;
export type ModelDocument = z.infer<typeof modelDocumentSchema>;

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** @throws {ModelFormatError} when it is damaged, of another format, or of a newer version */
export function parseModelDocument(bytes: Uint8Array): ModelDocument {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ModelFormatError(`${DOCUMENT_PATH} is not readable JSON; it is damaged.`, { cause });
  }
  const head = z.object({ format: z.literal(MODEL_FORMAT), version: z.int() }).safeParse(json);
  if (!head.success) throw new ModelFormatError(`${DOCUMENT_PATH} is not of a Distillery model.`);
  if (head.data.version > MODEL_VERSION) {
    throw new ModelFormatError(
      `The model has format ${head.data.version}; this version reads formats up to ${MODEL_VERSION}. Update Distillery to load it.`,
    );
  }
  const parsed = modelDocumentSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ModelFormatError(
      `${DOCUMENT_PATH} is damaged: ${issue.path.join(".")}: ${issue.message}.`,
    );
  }
  return parsed.data;
}
