/** `GET /v1/models/{model_id}/comparison`: one trained model against another, on rows that both held out. */

import { z } from "zod";
import { authed, router } from "../../../api/http/routing/trpc.ts";
import type { ModelKinds } from "../../models/kind.ts";
import { modelReferenceSchema } from "../../models/model-id.ts";
import { compareModels } from "./compare-models.ts";

const score = z.number().nullable();

const comparisonSchema = z
  .object({
    model_id: z.uuid(),
    against: z.uuid().describe("The id of the model that it is compared with."),
    rows: z.int().describe("That both runs held out: rows, or sequences."),
    model_rows: z.int().describe("That the model's run held out."),
    against_rows: z.int().describe("That the other model's run held out."),
    same_folds: z
      .boolean()
      .describe(
        "Whether both runs parted the rows alike. Where not, a part of each difference is of what the members had learned from.",
      ),
    metrics: z
      .array(
        z.object({
          metric: z.string(),
          direction: z.enum(["maximize", "minimize"]).describe("Which scores are better."),
          score: score.describe("Of the model on these rows; null where it is undefined."),
          against_score: score.describe("Of the other model on the same rows."),
          difference: score.describe("The model's score less the other's."),
          interval: z
            .tuple([z.number(), z.number()])
            .nullable()
            .describe("95 % of the differences on resampled rows lie between both ends."),
          better_share: score.describe(
            "Share of resamples in which the model is the better one; ties count half.",
          ),
        }),
      )
      .describe("The metrics asked for, then the usual ones of the task."),
    bootstrap: z
      .object({
        resamples: z.int(),
        rows_each: z.int().describe("Rows that are drawn for each resample."),
      })
      .describe("How rows were resampled: in pairs, the same ones for both models."),
  })
  .meta({ id: "ModelComparison" });

/** @param kinds of models */
export const comparisonsRouter = (kinds: ModelKinds) =>
  router({
    get: authed("models:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/models/{model_id}/comparison",
          summary: "Compare With Another Model",
          description:
            "Whether a trained model is really better than another one of the same data and label: a paired bootstrap over the rows of which both runs keep out-of-fold predictions, so no further data is needed. To compare on a dataset, or models of different data, create an evaluation.",
          tags: ["Models"],
          errors: ["not-found", "conflict"],
        },
      })
      .input(
        z.strictObject({
          model_id: modelReferenceSchema,
          against: modelReferenceSchema.describe("The model that it is compared with."),
          metrics: z
            .array(z.string().min(1).max(100))
            .max(20)
            .optional()
            .describe("Default: those of the other model's run."),
        }),
      )
      .output(comparisonSchema)
      .query(async ({ ctx, input }) => {
        const { comparison, model, against } = await compareModels(ctx, kinds, {
          model: input.model_id,
          against: input.against,
          metrics: input.metrics ?? [],
        });
        const { rows, rowsOf, sameFolds, scores, comparisons, bootstrap } = comparison;
        const directions = new Map(comparison.metrics.map((each) => [each.name, each.direction]));
        return {
          model_id: model,
          against,
          rows,
          model_rows: rowsOf[1],
          against_rows: rowsOf[0],
          same_folds: sameFolds,
          metrics: comparisons.map(({ metric, difference, interval, betterShare }) => ({
            metric,
            direction: directions.get(metric) ?? "minimize",
            score: scores[1][metric] ?? null,
            against_score: scores[0][metric] ?? null,
            difference,
            interval,
            better_share: betterShare,
          })),
          bootstrap: { resamples: bootstrap.resamples, rows_each: bootstrap.rowsEach },
        };
      }),
  });
