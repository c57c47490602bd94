/** `GET /v1/evaluations/{job_id}/report`: an evaluation's figures, as a page or as JSON. */

import { Readable } from "node:stream";
import { evaluationSchema } from "@distillery/engine";
import { z } from "zod";
import {
  acceptHeader,
  chosenFormat,
  formatQuery,
  PAGE_HEADERS,
  pageOrJson,
} from "../../api/http/bodies/page-or-json.ts";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import { conflict, notFound } from "../../platform/input/problem.ts";
import { isOpen } from "../jobs/job.ts";
import { jobKey, requireJob } from "../jobs/service.ts";
import { type EvaluationJobRow, evaluationArea } from "./job.ts";
import { evaluationKind } from "./kind.ts";
import { REPORT } from "./run.ts";

export const evaluationReport = rawRoute({
  operation: {
    method: "GET",
    path: "/v1/evaluations/{job_id}/report",
    summary: "Get Evaluation Report",
    description:
      "Scores with their intervals, comparisons, slices, calibration, confusion or residuals: one HTML page without outside requests, or the same figures as JSON. Until the job ends the answer is 409; a failed one has no report.",
    tags: ["Evaluations"],
    operationId: "evaluations_report",
    errors: ["not-found", "conflict", "not-acceptable"],
  },
  scope: "models:read",
  input: z.object({
    path: z.object({ job_id: z.uuid() }),
    query: z.strictObject({ format: formatQuery }),
    header: acceptHeader,
  }),
  responses: pageOrJson("The report", evaluationSchema.meta({ id: "EvaluationReport" })),
  async handler({ ctx, input }) {
    const { form, contentType } = chosenFormat(input.query.format, input.header.accept);
    const job = await requireJob<EvaluationJobRow>(ctx, [evaluationKind], input.path.job_id);
    if (isOpen(job)) throw conflict("The evaluation has not ended; its report is written then.");
    const key = jobKey(evaluationArea, job, REPORT[form]);
    const head = await ctx.services.objects.head(key);
    if (head === null) throw notFound("report");
    return {
      body: Readable.from(ctx.services.objects.get(key), { objectMode: false }),
      contentType,
      headers: { ...PAGE_HEADERS, "content-length": String(head.bytes) },
    };
  },
});
