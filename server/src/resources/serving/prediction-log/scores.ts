/** What an endpoint's models score on what they predicted, by what callers have said of it since. */

import { placeOfClass } from "@distillery/engine";
import { z } from "zod";
import type { AuthedContext } from "../../../api/context/context.ts";
import type { LabelledPrediction } from "../../../platform/compute/prediction-log/labelled-rows.ts";
import { findModel, type StoredDocument } from "../../models/service.ts";
import { requireEndpoint } from "../service.ts";
import { labelledPredictions, labelledWindow } from "./labelled-predictions.ts";
import { type AskedWindow, windowOf } from "./window.ts";

const score = z.number().nullable();
const scores = z.record(z.string(), score);

export const liveScoresSchema = z
  .object({
    id: z.uuid().describe("The endpoint."),
    since: z.iso.datetime(),
    until: z.iso.datetime(),
    models: z
      .array(
        z.object({
          model_id: z.uuid().describe("The model that answered."),
          logged_rows: z
            .int()
            .describe(
              "Predictions of the window that are in the log; those at its ends by the file that they are in.",
            ),
          labelled_rows: z.int().describe("Of these, those with a label: they are scored."),
          unknown_class: z
            .int()
            .describe(
              "Labels beside that are no class of this model, as after a change of models.",
            ),
          scores: scores.describe(
            "Live scores by metric, each by the code of evaluations; null where undefined for these rows. Empty before the first label.",
          ),
          intervals: z
            .record(z.string(), z.tuple([z.number(), z.number()]).nullable())
            .describe("95 % of the scores of resampled rows lie between both ends."),
          validation_scores: scores
            .nullable()
            .describe("Of the model's own run, out of fold, by metric; null where it is deleted."),
          coverage: z
            .object({
              nominal: score.describe("The share that intervals or sets were made to hold."),
              measured: z.number().describe("The share that held the label."),
              mean_size: z.number().describe("How wide they are, or how many classes are in them."),
            })
            .nullable()
            .describe(
              "Of intervals and sets, without those of requests that asked for a coverage; null where there are none.",
            ),
        }),
      )
      .describe("Models with logged predictions, side by side."),
    metrics: z.array(z.object({ name: z.string(), direction: z.enum(["minimize", "maximize"]) })),
    unmatched_labels: z
      .int()
      .describe(
        "Labels whose prediction is in no file: it is not written yet, which takes a minute at most, or was lost with its process.",
      ),
    complete: z
      .boolean()
      .describe("False where only the latest of very many labelled predictions are scored."),
  })
  .meta({ id: "LiveScores" });

type LiveScores = z.infer<typeof liveScoresSchema>;

/** @throws 404, 422 where the window is empty */
export async function liveScores(
  ctx: AuthedContext,
  reference: string,
  asked: AskedWindow,
): Promise<LiveScores> {
  const window = windowOf(asked, "query");
  const { id } = await requireEndpoint(ctx, reference);
  const found = await labelledWindow(ctx, { endpointId: id, ...window });
  const predictions = await labelledPredictions(ctx, found);
  const { logged, labels, complete } = found;
  const byModel = Map.groupBy(predictions, ({ modelId }) => modelId);
  const models: LiveScores["models"] = [];
  const metrics = new Map<string, LiveScores["metrics"][number]>();
  for (const modelId of [...new Set([...logged.keys(), ...byModel.keys()])].sort()) {
    const of = byModel.get(modelId) ?? [];
    const document = await documentOf(ctx, modelId);
    const scored = document && (await scoredBy(ctx, document, of));
    for (const metric of scored?.metrics ?? []) metrics.set(metric.name, metric);
    models.push({
      model_id: modelId,
      logged_rows: logged.get(modelId) ?? of.length,
      labelled_rows: scored?.rows ?? 0,
      unknown_class: of.length - (scored?.rows ?? 0),
      scores: scored?.scores ?? {},
      intervals: scored?.intervals ?? {},
      validation_scores: document?.card.scores ?? null,
      coverage: scored?.coverage ?? null,
    });
  }
  return {
    id,
    since: window.since.toISOString(),
    until: window.until.toISOString(),
    models,
    metrics: [...metrics.values()],
    unmatched_labels: labels.length - predictions.length,
    complete,
  };
}

async function documentOf(
  { services, auth }: AuthedContext,
  modelId: string,
): Promise<StoredDocument | null> {
  const model = await findModel(services.db, auth.organizationId, modelId);
  return model?.document ?? null;
}

async function scoredBy(
  { services }: AuthedContext,
  { task, card, conformal }: StoredDocument,
  predictions: readonly LabelledPrediction[],
) {
  const { classes } = task;
  const answers = predictions.flatMap(({ label, answer, hasOwnCoverage }) => {
    const target = classes.length > 0 ? placeOfClass(classes, label) : Number(label);
    if (classes.length > 0 && target < 0) return [];
    const usual = hasOwnCoverage ? { interval: undefined, set: undefined } : {};
    return [{ ...answer, ...usual, target }];
  });
  if (answers.length === 0) return null;
  const { coverage, rows, metrics, scores, intervals } = await services.compute.predictionLog.score(
    {
      task,
      metrics: card.metrics,
      answers,
    },
  );
  return {
    rows,
    metrics: [...metrics],
    scores,
    intervals: Object.fromEntries(
      Object.entries(intervals).map(([name, ends]): [string, [number, number] | null] => [
        name,
        ends && [ends[0], ends[1]],
      ]),
    ),
    coverage: coverage && {
      nominal: conformal?.coverage ?? null,
      measured: coverage.measured,
      mean_size: coverage.meanSize,
    },
  };
}
