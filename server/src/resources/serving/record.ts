/** Serving endpoints as the API takes and shows them. */

import { z } from "zod";
import { int64Text } from "../../api/http/bodies/int64.ts";
import { modelReferenceSchema } from "../models/model-id.ts";
import { predictionLogSetting } from "./prediction-log/settings.ts";
import { type Share, SLOTS, slotsOf } from "./split.ts";
import type { EndpointRow, SplitRow } from "./store.ts";

const UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const MOST_MODELS = 32;

/** Never in the form of an id, so that a path says which of both it has. */
const endpointName = z
  .string()
  .regex(new RegExp(`^(?!${UUID}$)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`))
  .describe(
    "Letters, digits, `.`, `_` and `-`, the first a letter or a digit; not a UUID. No other endpoint of the organization has it.",
  );

/** What stands for an endpoint in a path. */
export const endpointReference = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/)
  .describe("The endpoint's id, or its name.");

const percent = z.number().min(0).max(100);

const share = z.strictObject({
  model_id: modelReferenceSchema,
  traffic: percent.describe(
    "Percent of the requests, in hundredths at the finest. With 0 the model answers none, and is kept from being deleted.",
  ),
});

/** The split of a request: what can be wrong with it before its models are looked at. */
const split = z
  .array(share)
  .min(1)
  .max(MOST_MODELS)
  .superRefine((models, ctx) => {
    const seen = new Set<string>();
    let sum = 0;
    for (const [at, { model_id, traffic }] of models.entries()) {
      const slots = slotsOf(traffic);
      if (slots === null) refuse(ctx, [at, "traffic"], "at most two decimals");
      if (seen.has(model_id)) refuse(ctx, [at, "model_id"], "this model is in the split already");
      seen.add(model_id);
      sum += traffic;
    }
    if (slotsOf(sum) !== SLOTS) {
      refuse(ctx, [], `the traffic of the models must sum to 100, not ${Number(sum.toFixed(4))}`);
    }
  })
  .describe("The models that answer, with their traffic, which sums to 100.");

const refuse = (ctx: z.RefinementCtx, path: (string | number)[], message: string): void =>
  ctx.addIssue({
    code: "custom",
    path,
    message,
    params: { type: "value_error" },
  });

const shadowModel = modelReferenceSchema
  .nullable()
  .describe(
    "A model that gets requests for predictions too: its answers are compared with those that were given, and never returned. Null = none.",
  );
const shadowPercent = percent.describe("Percent of the requests that the shadow model gets too.");

/** Of a create. */
export const newEndpoint = {
  name: endpointName,
  models: split,
  shadow_model_id: shadowModel.default(null),
  shadow_percent: shadowPercent.default(100),
  prediction_log: predictionLogSetting.default(null),
};

/** Of a PATCH: what is left out stays. */
export const endpointChanges = {
  name: endpointName.optional(),
  models: split.optional(),
  shadow_model_id: shadowModel.optional(),
  shadow_percent: shadowPercent.optional(),
  prediction_log: predictionLogSetting.optional(),
};

const servedShare = z.object({
  model_id: modelReferenceSchema.describe("The reference as it was written."),
  traffic: percent,
  resolved_model_id: z
    .uuid()
    .nullable()
    .describe("The model that it means now; null where there is none that could answer."),
});

export const endpointSchema = z
  .object({
    id: z.uuid(),
    name: endpointName,
    models: z.array(servedShare),
    shadow_model_id: shadowModel,
    shadow_percent: shadowPercent,
    prediction_log: predictionLogSetting,
    status: z
      .enum(["ready", "degraded"])
      .describe("`degraded`: a model of the split cannot answer, or not like the others."),
    problems: z
      .array(z.object({ model_id: modelReferenceSchema, detail: z.string() }))
      .describe("What degrades it, by model; of the shadow model too."),
    warnings: z.array(z.string()).describe("Such as columns that only some of the models need."),
    revision: int64Text.describe("Grows with each change."),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "ServingEndpoint" });

export type Endpoint = z.infer<typeof endpointSchema>;

/** What of an endpoint's answer its models tell. */
export type EndpointState = Pick<Endpoint, "models" | "status" | "problems" | "warnings">;

export const toEndpoint = (row: EndpointRow, state: EndpointState): Endpoint => ({
  id: row.id,
  name: row.name,
  shadow_model_id: row.shadow_model_id,
  shadow_percent: row.shadow_percent,
  prediction_log: row.prediction_log,
  revision: String(row.revision),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  ...state,
});

export const splitSchema = z.object({
  revision: int64Text.describe("Of the endpoint, with which the split came."),
  models: z.array(z.object({ model_id: modelReferenceSchema, traffic: percent })),
  restored_revision: int64Text
    .nullable()
    .describe("The revision whose split a rollback brought back; null where it was written."),
  created_at: z.iso.datetime(),
});

export const toSplit = (row: SplitRow): z.infer<typeof splitSchema> => ({
  revision: String(row.revision),
  models: row.models.map(({ model_id, traffic }: Share) => ({ model_id, traffic })),
  restored_revision: row.restored_revision === null ? null : String(row.restored_revision),
  created_at: row.created_at.toISOString(),
});
