/** What turned out to be true of logged predictions, as callers say it. */

import { placeOfClass } from "@distillery/engine";
import { z } from "zod";
import type { AuthedContext } from "../../../api/context/context.ts";
import { isLoggedRow } from "../../../platform/compute/prediction-log/logged-request.ts";
import {
  conflict,
  UnprocessableError,
  type ValidationErrorItem,
} from "../../../platform/input/problem.ts";
import type { ModelKinds } from "../../models/kind.ts";
import { isServed, resolveAll, type ServedModel } from "../served-models.ts";
import { requireEndpoint } from "../service.ts";
import type { EndpointRow } from "../store.ts";
import { type Predicted, readPredictionId } from "./prediction-id.ts";
import { type LabelRow, saveLabels } from "./store.ts";
import { predictionKeys } from "./stored-log.ts";

const MOST_LABELS = 10_000;
/** Faults of one request that are told. */
const MOST_FAULTS = 100;
/** Classes that a fault names. */
const NAMED = 10;
const DAY_MS = 86_400_000;

export const feedbackLabels = z
  .array(
    z.strictObject({
      prediction_id: z
        .string()
        .min(1)
        .max(256)
        .describe("The `X-Prediction-Id` that came with the prediction."),
      row: z.int().min(0).default(0).describe("Which row of that request it is, from 0."),
      label: z
        .union([z.string().max(1024), z.number(), z.boolean()])
        .describe("What turned out to be true: the class, or the number."),
    }),
  )
  .min(1)
  .max(MOST_LABELS)
  .describe(
    `At most ${MOST_LABELS.toLocaleString("en")}. Of several for one row the last holds; one that is sent later stands in the place of an earlier one.`,
  );

export const feedbackSchema = z
  .object({
    received: z.int().describe("Labels in the request."),
    added: z.int().describe("Rows that had no label before."),
    replaced: z.int().describe("Rows that had another label before."),
    unchanged: z.int().describe("Rows that had this label before."),
    repeated: z.int().describe("Labels for whose row a later one stands in the request."),
    not_logged: z
      .int()
      .describe(
        "Labels of rows that are not in the log: of a request with more than 1,000 rows, 1,000 are.",
      ),
    expired: z.int().describe("Labels of predictions that the log keeps no longer."),
  })
  .meta({ id: "FeedbackReceived" });

type Labels = z.output<typeof feedbackLabels>;

/** @throws 404, 409 where no model says what labels are, 422 naming each label that cannot be */
export async function receiveFeedback(
  ctx: AuthedContext,
  kinds: ModelKinds,
  reference: string,
  labels: Labels,
): Promise<z.infer<typeof feedbackSchema>> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  const endpoint = await requireEndpoint(ctx, reference);
  const model = await servedModel(ctx, kinds, endpoint);
  const keys = predictionKeys(services);
  const faults: ValidationErrorItem[] = [];
  const kept = new Map<string, LabelRow>();
  const counts = { repeated: 0, not_logged: 0, expired: 0 };
  const days = endpoint.prediction_log?.keep_days ?? Number.POSITIVE_INFINITY;
  const oldest = Date.now() - days * DAY_MS;
  for (const [at, each] of labels.entries()) {
    const predicted = readPredictionId(keys, endpoint.id, each.prediction_id);
    const label = labelOf(model, each.label);
    const fault = faultOf(model, each, predicted, label);
    if (fault !== null || predicted === null || label === null) {
      const [member, msg] = fault ?? ["label", "it cannot be"];
      faults.push({
        loc: ["body", "labels", at, member],
        msg: `Value error, ${msg}`,
        type: "value_error",
        input: each[member],
      });
      if (faults.length === MOST_FAULTS) break;
    } else if (!isLoggedRow(each.row, predicted.rows)) counts.not_logged++;
    else if (predicted.time < oldest) counts.expired++;
    else {
      const key = `${each.prediction_id} ${each.row}`;
      if (kept.has(key)) counts.repeated++;
      const { prediction_id, row: row_index } = each;
      kept.set(key, { prediction_id, row_index, label, predicted_at: new Date(predicted.time) });
    }
  }
  if (faults.length > 0) throw new UnprocessableError(faults);
  const saved = await saveLabels(services.db, organizationId, endpoint.id, [...kept.values()]);
  const unchanged = kept.size - saved.added - saved.replaced;
  return { received: labels.length, ...saved, unchanged, ...counts };
}

/** One of those that answer, which says what all of them predict. */
export async function servedModel(
  ctx: AuthedContext,
  kinds: ModelKinds,
  { models }: EndpointRow,
): Promise<ServedModel> {
  const references = models.map(({ model_id }) => model_id);
  const resolved = await resolveAll(ctx, kinds, references);
  const model = references.map((each) => resolved.get(each)).find(isServed);
  if (model === undefined) {
    throw conflict("None of the endpoint's models can answer, so no label can be checked.");
  }
  return model;
}

/** As it is kept: the class as the model names it, or the number; null where it can be neither. */
function labelOf({ answering }: ServedModel, label: Labels[number]["label"]): string | null {
  const { classes } = answering;
  if (classes.length > 0) return classes[placeOfClass(classes, String(label))] ?? null;
  return typeof label === "number" ? String(label) : null;
}

function faultOf(
  { answering: { classes } }: ServedModel,
  { row }: Labels[number],
  predicted: Predicted | null,
  label: string | null,
): readonly ["prediction_id" | "row" | "label", string] | null {
  if (predicted === null) {
    return [
      "prediction_id",
      "no prediction of this endpoint has this id; send the X-Prediction-Id that came with it",
    ];
  }
  if (row >= predicted.rows) {
    const rows = predicted.rows === 1 ? "1 row" : `${predicted.rows} rows`;
    return ["row", `the request of this prediction had ${rows}, counted from 0`];
  }
  if (label !== null) return null;
  if (classes.length === 0) return ["label", "a number is predicted, so the label is one too"];
  const some = classes.slice(0, NAMED).join(", ");
  return ["label", `it is none of the classes ${some}${classes.length > NAMED ? ", …" : ""}`];
}
