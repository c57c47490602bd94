/** What an endpoint has answered, as the API shows it. */

import { z } from "zod";
import { modelReferenceSchema } from "../models/model-id.ts";
import type { Observations } from "./observations.ts";
import type { LogCounters } from "./prediction-log/buffered-log.ts";

const latencySchema = z
  .object({
    mean: z.number(),
    p50: z.number(),
    p90: z.number(),
    p95: z.number(),
    p99: z.number(),
    max: z.number(),
  })
  .nullable()
  .describe(
    "Milliseconds, of requests that succeeded; quantiles within 9 %. Null before the first.",
  );

export const endpointMetricsSchema = z.object({
  id: z.uuid(),
  since: z.iso.datetime().describe("When the process that answers began to count."),
  models: z.array(
    z.object({
      model_id: z
        .uuid()
        .nullable()
        .describe("The model that answered, or was to; null where there was none."),
      requests: z.int(),
      refused: z.int().describe("Answered 4xx."),
      failed: z.int().describe("Answered 5xx."),
      rows: z.int().describe("Predictions and explanations that were given."),
      latency_ms: latencySchema,
    }),
  ),
  shadows: z.array(
    z.object({
      model_id: modelReferenceSchema.describe(
        "The shadow model, by the reference as it was written.",
      ),
      compared: z.int().describe("Requests whose answers were compared."),
      failed: z.int().describe("Requests that it could not answer."),
      dropped: z.int().describe("Requests that it did not get because too many were waiting."),
      rows: z.int().describe("Predictions that were compared."),
      unpaired: z.int().describe("Predictions of one of both alone, as of different horizons."),
      differing: z.int().describe("Predictions whose labels, or values, were not the same."),
      mean_difference: z
        .number()
        .nullable()
        .describe(
          "Of values, the mean absolute difference; of classes, the mean total variation distance of the probabilities, 0 to 1.",
        ),
      largest_difference: z.number().describe("Of one prediction."),
      latency_ms: latencySchema,
    }),
  ),
  prediction_log: z
    .object({
      written: z.int().describe("Predictions that are in files."),
      waiting: z.int().describe("Predictions that are not in a file yet."),
      dropped: z
        .object({
          overflow: z
            .int()
            .describe("Too much was waiting, as where the object store does not answer."),
          quota: z.int().describe("A quota of the organization was full."),
          failed: z.int().describe("They could not be written."),
        })
        .describe("Predictions that were to be logged and are not, by reason."),
    })
    .nullable()
    .describe("Of the prediction log; null where this process has logged none."),
});

export const toEndpointMetrics = (
  id: string,
  observed: Pick<Observations, "since" | "countersOf">,
  logged: LogCounters | null,
): z.infer<typeof endpointMetricsSchema> => {
  const { models, shadows } = observed.countersOf(id);
  return {
    id,
    since: observed.since.toISOString(),
    models: models.map(({ modelId, latency, distribution: _, ...counts }) => ({
      model_id: modelId,
      ...counts,
      latency_ms: latency && { ...latency },
    })),
    shadows: shadows.map((shadow) => ({
      model_id: shadow.reference,
      compared: shadow.compared,
      failed: shadow.failed,
      dropped: shadow.dropped,
      rows: shadow.rows,
      unpaired: shadow.unpaired,
      differing: shadow.differing,
      mean_difference: shadow.rows === 0 ? null : shadow.summedDifference / shadow.rows,
      largest_difference: shadow.largestDifference,
      latency_ms: shadow.latency && { ...shadow.latency },
    })),
    prediction_log: logged && { ...logged, dropped: { ...logged.dropped } },
  };
};
