/**
 * `model.json`: what a model is, without its members' numbers. Beside it lie `encoder-N.dsm` (bin edges)
 * and `member-NNN.dsm` (one fitted model each), listed with their sizes and hashes.
 */

import { z } from "zod";
import { conformalPartSchema, uncertaintyCardSchema } from "../conformal/index.ts";
import { COLUMN_KINDS } from "../data/table.ts";
import { parameterValueSchema } from "../search/index.ts";
import { hasClasses, outputCount, TASK_KINDS, taskSchema, taskType } from "../tasks/index.ts";
import { featureSchemaDocument } from "./feature-schema-document.ts";
import { ModelFormatError } from "./model-format-error.ts";

export const MODEL_FORMAT = "distillery-model";
export const MODEL_VERSION = 2;
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

const finite = z.number();

/** See `ensemble/calibration/calibration.ts`. */
const calibrationSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("temperature"), scale: finite.positive(), bias: finite }),
  z.object({
    kind: z.literal("isotonic"),
    curves: z
      .array(
        z
          .object({ x: z.array(finite).min(1), y: z.array(finite).min(1) })
          .refine(({ x, y }) => x.length === y.length, "a curve needs one y per knot")
          .refine(
            ({ x }) => x.every((at, i) => i === 0 || at > x[i - 1]),
            "knots must be strictly increasing",
          ),
      )
      .min(1),
  }),
]);

const memberSchema = z.object({
  family: z.string(),
  weight: z.number(),
  /** What its probabilities go through before they are weighed; null: nothing. */
  calibration: calibrationSchema.nullable(),
  trial: z.int(),
  /** The fold it was fitted on; null for a refit on all rows. */
  fold: z.int().nullable(),
  /** Index of the encoder whose bins it reads. */
  encoder: z.int(),
  file: z.string(),
  parameters: z.record(z.string(), parameterValueSchema),
  facts: z.record(z.string(), z.union([z.number(), z.string()])),
});

/** See `distill/fidelity.ts`. */
const fidelitySchema = z.object({
  teacher: z.string(),
  teacherBytes: z.number().nullable(),
  augmentedRows: z.int(),
  rows: z.int(),
  correlation: z.number().nullable(),
  difference: z.number(),
  agreement: z.number().nullable(),
  divergence: z.number().nullable(),
  scores: z.object({
    student: z.number().nullable(),
    teacher: z.number().nullable(),
    baseline: z.number().nullable(),
  }),
  lift: z.object({ share: z.number(), low: z.number(), high: z.number() }).nullable(),
  /** Absent from models of before they were kept. */
  disagreements: z
    .array(
      z.object({
        row: z.int(),
        target: z.number(),
        student: z.array(z.number()).readonly(),
        teacher: z.array(z.number()).readonly(),
      }),
    )
    .readonly()
    .optional(),
  about: z.string(),
});

const cardSchema = z.object({
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
  /** Of a run under a time budget: its seconds, and what it cut, one sentence each. */
  budget: z.object({ seconds: z.number(), cut: z.array(z.string()) }).optional(),
  /** Of the model, on rows that its members did not learn from, of all folds together (pooled). */
  scores: scoresSchema,
  /** The same predictions scored fold by fold: the mean over the folds; absent of one holdout. */
  meanFoldScores: scoresSchema.optional(),
  /** In a sweep: the weights of `metrics` that led to this model. */
  metricWeights: z.array(z.array(z.number())).optional(),
  scoresByFold: z.array(z.object({ trial: z.int(), fold: z.int(), scores: scoresSchema })),
  importance: z.object({ gain: importanceSchema, permutation: importanceSchema }),
  /** Of a student. */
  fidelity: fidelitySchema.optional(),
  /** What its intervals or sets were found to hold; absent where it has none. */
  uncertainty: uncertaintyCardSchema.optional(),
  warnings: z.array(z.string()),
  /** What was tried of layers and thresholds, and what came of it. */
  notes: z.array(z.string()).optional(),
  environment: z.object({ engine: z.string(), node: z.string(), platform: z.string() }),
});

const modelDocumentSchema = z.object({
  format: z.literal(MODEL_FORMAT),
  version: z.int(),
  task: taskSchema,
  labelColumn: z.string(),
  /** What `predict` reads: the columns that features are made of. */
  columns: z.array(
    z.object({ name: z.string(), kind: z.enum(COLUMN_KINDS), nullable: z.boolean() }),
  ),
  schema: featureSchemaDocument,
  kind: z.enum(["ensemble", "winner"]),
  members: z.array(memberSchema).min(1),
  /**
   * How members become one: null, by the average of their values or probabilities; else weighed on
   * their margins (log-odds, log-probabilities, or values), with the intercepts added.
   */
  layer: z.object({ intercepts: z.array(finite).min(1) }).nullable(),
  /** Of two classes: the probability from which on the second is said. Null for other tasks. */
  threshold: finite.min(0).max(1).nullable(),
  /** Intervals or sets around its predictions; null in models of before there were any. */
  conformal: conformalPartSchema.nullable().default(null),
  encoders: z.array(z.object({ file: z.string() })).min(1),
  /** Of kinds whose rows are made of several of a request's: what that needs. */
  frame: z.object({ file: z.string() }).optional(),
  /** What rows are compared with, to see whether they have drifted; absent of forecasts and sequences. */
  reference: z.object({ file: z.string() }).optional(),
  /** Of which rows it learned, for evaluations; absent of forecasts, and where it was not to be kept. */
  rowSketch: z.object({ file: z.string() }).optional(),
  /**
   * Of forecasts: each member's weights for the series of the training data, where these are not the
   * members' own; a series that is new has those.
   */
  seriesWeights: z.object({ file: z.string() }).optional(),
  files: z.array(z.object({ path: z.string(), bytes: z.int(), sha256: z.string() })),
  card: cardSchema,
});

/** What a model was made of, from what, and how good it was found to be. */
export type ModelCard = z.infer<typeof cardSchema>;
export type ModelMember = z.infer<typeof memberSchema>;
/** A model's `model.json`. */
export type ModelDocument = z.infer<typeof modelDocumentSchema>;

/** @throws {ModelFormatError} when it is damaged, of another format, or of a newer version */
export function parseModelDocument(bytes: Uint8Array): ModelDocument {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ModelFormatError(`${DOCUMENT_PATH} is not readable JSON; it is damaged.`, { cause });
  }
  const head = z.object({ format: z.literal(MODEL_FORMAT), version: z.int() }).safeParse(json);
  if (!head.success)
    throw new ModelFormatError(`${DOCUMENT_PATH} does not describe a Distillery model.`);
  if (head.data.version > MODEL_VERSION) {
    throw new ModelFormatError(
      `The model has format ${head.data.version}; this version reads formats up to ${MODEL_VERSION}. Update Distillery to load it.`,
    );
  }
  const parsed = modelDocumentSchema.safeParse(head.data.version < 2 ? asVersion2(json) : json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ModelFormatError(
      `${DOCUMENT_PATH} is damaged: ${issue.path.join(".")}: ${issue.message}.`,
    );
  }
  requireFitting(parsed.data);
  return parsed.data;
}

/** Version 1 knew no calibration, no layer and no threshold but one half. */
function asVersion2(json: unknown): unknown {
  const document = z
    .looseObject({
      task: z.looseObject({ kind: z.string() }),
      members: z.array(z.looseObject({})),
    })
    .safeParse(json);
  // What is damaged is said by the schema of the whole.
  if (!document.success) return json;
  const { task, members } = document.data;
  return {
    ...document.data,
    version: 2,
    members: members.map((member) => ({ ...member, calibration: null })),
    layer: null,
    threshold: decidesByThreshold(task.kind) ? 0.5 : null,
  };
}

/** A kind that nobody knows decides nothing; the schema refuses it. */
function decidesByThreshold(kind: string): boolean {
  const known = TASK_KINDS.find((each) => each === kind);
  return known !== undefined && taskType(known).decision === "threshold";
}

/** What the schema cannot say: that the parts are of one task. */
function requireFitting(document: ModelDocument): void {
  const { task, members, layer, threshold, encoders } = document;
  const outputs = outputCount(task);
  const damage = (what: string): never => {
    throw new ModelFormatError(`${DOCUMENT_PATH} is damaged: ${what}.`);
  };
  if (layer && layer.intercepts.length !== outputs) {
    damage(`layer has ${layer.intercepts.length} intercepts for ${outputs} outputs`);
  }
  if ((threshold !== null) !== decidesByThreshold(task.kind)) {
    damage("only a task of two classes has a threshold");
  }
  for (const { calibration, file, encoder } of members) {
    if (encoder < 0 || encoder >= encoders.length)
      damage(`${file} names an encoder that does not exist`);
    if (calibration === null) continue;
    if (!hasClasses(task)) damage(`${file} is calibrated, but predicts no class`);
    if (calibration.kind === "isotonic" && calibration.curves.length !== outputs) {
      damage(`${file} has ${calibration.curves.length} curves for ${outputs} outputs`);
    }
  }
}
