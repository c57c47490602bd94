/** Jobs of every kind: their metrics, and for tRPC their results. */

import { z } from "zod";
import { documentJobMetrics, documentJobMetricsSchema } from "../documents/watched-jobs.ts";
import { authed, router } from "../http/trpc.ts";
import { metricsSchema, trainingMetrics } from "../training/watched-jobs.ts";
import { KIND_SCOPES, ofKind } from "./kinds.ts";
import { jobResultSchema, resultOf } from "./result.ts";

const path = z.object({ job_id: z.uuid() });
const anyMetrics = z.union([metricsSchema, documentJobMetricsSchema]);
type AnyMetrics = z.infer<typeof anyMetrics>;

export const jobsRouter = router({
  /** `/v1` has it as a raw route, which can answer with rows of any number. */
  result: authed("any")
    .input(z.object({ path }))
    .output(jobResultSchema)
    .query(({ ctx, input }) => resultOf(ctx, input.path.job_id)),

  metrics: authed("any")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/jobs/{job_id}/metrics",
        summary: "Get Job Metrics",
        description: `Of a training job its trials, series and front; of every job its progress. ${KIND_SCOPES}`,
        tags: ["Jobs"],
        errors: ["forbidden", "not-found"],
      },
    })
    .input(z.object({ path }))
    .output(z.object({ job_id: z.uuid(), metrics: anyMetrics }))
    .query(async ({ ctx, input }) => {
      const { job_id } = input.path;
      const metrics = await ofKind<AnyMetrics>(ctx, {
        training: () => trainingMetrics(ctx, job_id),
        documents: () => documentJobMetrics(ctx, job_id),
      });
      return { job_id, metrics };
    }),
});
