/** Jobs of every kind: their metrics, and for tRPC their results. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { type JobKinds, requireAnyJob, scopesOf, sentence } from "./any-job.ts";
import { jobResultSchema, resultOf } from "./result.ts";

const path = z.strictObject({ job_id: z.uuid() });

/** Such as `Of a training job its trials; of every job its progress.` */
function measured(kinds: JobKinds): string {
  const own = kinds.flatMap(({ area, measures }) =>
    measures ? [`of ${area.aJob} ${measures}`] : [],
  );
  return sentence([...own, "of every job its progress"].join("; "));
}

export function jobsRouter<Kinds extends JobKinds>(kinds: Kinds) {
  type MetricsSchema = Kinds[number]["metricsSchema"];
  const schemas: readonly MetricsSchema[] = kinds.map(({ metricsSchema }) => metricsSchema);
  const anyMetrics: z.ZodType<z.output<MetricsSchema>> = z.union([...new Set(schemas)]);
  return router({
    /** `/v1` has it as a raw route, which can answer with rows of any number. */
    result: authed("any")
      .input(path)
      .output(jobResultSchema(kinds))
      .query(({ ctx, input }) => resultOf(ctx, kinds, input.job_id)),

    metrics: authed("any")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/jobs/{job_id}/metrics",
          summary: "Get Job Metrics",
          description: `${measured(kinds)} ${scopesOf(kinds)}`,
          tags: ["Jobs"],
          errors: ["forbidden", "not-found"],
        },
      })
      .input(path)
      .output(z.object({ job_id: z.uuid(), metrics: anyMetrics }))
      .query(async ({ ctx, input }) => {
        const { job_id } = input;
        const { kind, job } = await requireAnyJob(ctx, kinds, job_id);
        return { job_id, metrics: await kind.toMetrics(ctx, job) };
      }),
  });
}
