/**
 * A job's report, as a page or as JSON: `GET /v1/jobs/{job_id}/report` with a token, and
 * `GET /v1/reports/{job_id}` by the signed link that is the job's `result_uri`.
 */

import { Readable } from "node:stream";
import { REPORT_HTML, REPORT_JSON, reportSchema } from "@distillery/engine";
import { z } from "zod";
import {
  acceptHeader,
  chosenFormat,
  formatQuery,
  PAGE_HEADERS,
  pageOrJson,
} from "../../api/http/bodies/page-or-json.ts";
import type { Answer } from "../../api/http/routing/call.ts";
import { rawRoute } from "../../api/http/routing/raw-route.ts";
import type { Services } from "../../api/services.ts";
import { Problem } from "../../platform/input/problem.ts";
import { isOpen } from "../jobs/job.ts";
import { findJobAsSystem, jobKey, requireJob } from "../jobs/service.ts";
import { type TrainingJobRow, trainingArea } from "./job.ts";
import { trainingKind } from "./kind.ts";
import { toProgress } from "./record.ts";
import { ReportLinks } from "./report-link.ts";

const path = z.object({ job_id: z.uuid() });

const responses = pageOrJson("The report", reportSchema.meta({ id: "RunReport" }));

const about =
  "What was trained on what, with its warnings, leaderboard, search history, errors, importance and trial log: one HTML page without outside requests, or the same figures as JSON. Until the job ends the answer is 409, with its progress; a failed job has no report.";

export const jobReport = rawRoute({
  operation: {
    method: "GET",
    path: "/v1/jobs/{job_id}/report",
    summary: "Get Job Report",
    description: about,
    tags: ["Training"],
    operationId: "jobs_report",
    errors: ["not-found", "conflict", "not-acceptable"],
  },
  scope: "training:read",
  input: z.object({ path, query: z.strictObject({ format: formatQuery }), header: acceptHeader }),
  responses,
  async handler({ ctx, input }) {
    const job = await requireJob<TrainingJobRow>(ctx, [trainingKind], input.path.job_id);
    return answer(ctx.services, job, input.query.format, input.header.accept);
  },
});

export const linkedReport = rawRoute({
  operation: {
    method: "GET",
    path: "/v1/reports/{job_id}",
    summary: "Open Job Report",
    description: `By the signed link that a job's \`result_uri\` is; it needs no further authentication and is valid for a week. ${about}`,
    tags: ["Training"],
    operationId: "reports_open",
    errors: ["forbidden", "not-found", "conflict", "not-acceptable"],
  },
  scope: null,
  input: z.object({
    path,
    query: z.strictObject({
      expires: z.string().optional(),
      signature: z.string().optional(),
      format: formatQuery,
    }),
    header: acceptHeader,
  }),
  responses,
  async handler({ ctx, input }) {
    const { services } = ctx;
    const { expires = "", signature = "", format: wanted } = input.query;
    const job = await findJobAsSystem<TrainingJobRow>(services.db, "training", input.path.job_id);
    const verdict = job
      ? new ReportLinks(services).verify(job, { expires, signature })
      : // Whoever holds no link learns nothing of which jobs there are.
        "forged";
    if (job === null || verdict === "forged") {
      throw new Problem("forbidden", "This link is not signed, or its job has been deleted.");
    }
    if (verdict === "expired") {
      throw new Problem("forbidden", "This link has expired; the job's result_uri has a new one.");
    }
    return answer(services, job, wanted, input.header.accept);
  },
});

async function answer(
  services: Services,
  job: TrainingJobRow,
  wanted: z.output<typeof formatQuery>,
  accepted: string | undefined,
): Promise<Answer> {
  const { form, contentType } = chosenFormat(wanted, accepted);
  if (isOpen(job)) throw notYet(job);
  const name = form === "html" ? REPORT_HTML : REPORT_JSON;
  const key = jobKey(trainingArea, job, name);
  const head = await services.objects.head(key);
  if (head === null) {
    throw new Problem(
      "not-found",
      job.pruned_at !== null
        ? "The report of this job was removed by the organization's retention."
        : job.status === "failed"
          ? `The job failed and has no report: ${job.error_message}`
          : "The job has no report; it was trained by a version that wrote none, or writing it failed.",
    );
  }
  return {
    body: Readable.from(services.objects.get(key), { objectMode: false }),
    contentType,
    headers: { ...PAGE_HEADERS, "content-length": String(head.bytes) },
  };
}

function notYet(job: TrainingJobRow): Problem {
  const { phase, trials_done, trials_planned, estimate } = toProgress(job);
  const far =
    job.status === "pending"
      ? "it waits for a worker"
      : phase === "searching"
        ? `${trials_done} of ${trials_planned} trials are done${
            estimate === null ? "" : `, about ${Math.ceil(estimate)} s of search are left`
          }`
        : `it is ${phase === "new" ? "reading the data" : phase}`;
  const detail = `The job has not ended, ${far}; its report is written at its end.`;
  const seconds = Math.min(60, Math.max(1, Math.ceil(estimate ?? 5)));
  return new Problem("conflict", detail, { headers: { "retry-after": String(seconds) } });
}
