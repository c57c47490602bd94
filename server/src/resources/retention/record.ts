/** Retention as the API takes and shows it. */

import { z } from "zod";
import type { Quotas } from "../quotas/service.ts";
import type { Decision, Rules } from "./select.ts";
import { RULES } from "./select.ts";

/** A hundred years. */
const MOST_DAYS = 36_500;
const LEAST_AUDIT_DAYS = 30;
const days = (what: string, least = 0) =>
  z
    .int()
    .min(least)
    .max(MOST_DAYS)
    .nullable()
    .describe(
      `${what} after so many days; null = never${least === 0 ? ", 0 = at the next look" : ""}.`,
    );

const rules = {
  keep_versions: z
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .describe("Of each registered name so many of the last versions are kept; null = all."),
  unnamed_model_days: days(
    "Models without a registered name go, unless an alias or an endpoint leads to them, counted from their last change:",
  ),
  failed_job_days: days("Jobs that failed or were cancelled go with all that they left:"),
  job_report_days: days(
    "Logs, reports and out-of-fold predictions of ended training jobs go, and the jobs and their models stay:",
  ),
  output_days: days(
    "Files of ended batch predictions and reports of evaluations go, and the jobs stay with their figures:",
  ),
  unused_dataset_days: days(
    "Datasets that no model was trained on go, counted from when they were made or a job last read them:",
  ),
  audit_event_days: days(
    "Events of the audit log go by whole days; at least 30, so that nobody removes what tells of them:",
    LEAST_AUDIT_DAYS,
  ),
} as const;

const bound = (what: string) =>
  z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable().describe(`${what} null = unbounded.`);

const quotas = {
  dataset_bytes: bound("Bytes that datasets were made of, together;"),
  model_bytes: bound("Bytes of the files of models, together;"),
  total_bytes: bound(
    "Bytes of datasets, models, documents, prediction logs and what jobs keep, together;",
  ),
  datasets: bound("Datasets;"),
  models: bound("Models, those that are being made too;"),
  open_jobs: bound("Jobs of any kind that wait or run at once;"),
} as const;

const optional = <Shape extends Record<string, z.ZodType>>(shape: Shape) =>
  z.strictObject(shape).partial();

export const settingsSchema = z
  .object({
    ...rules,
    quotas: z.object(quotas).describe("What the organization may have."),
    applied_at: z.iso
      .datetime()
      .nullable()
      .describe("When the clock last applied the rules, which it does daily; null = it has not."),
  })
  .meta({ id: "RetentionSettings" });

export const settingsPatch = optional({
  ...rules,
  quotas: optional(quotas).describe("Those that are left out stay."),
});

const rulesPatch = optional(rules);

const MOST_ITEMS = 1000;

export const dryRunInput = z.strictObject({
  ...rulesPatch.shape,
  limit: z
    .int()
    .min(1)
    .max(MOST_ITEMS)
    .default(100)
    .describe("So many items at most; totals are of all."),
});

export const applyInput = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(MOST_ITEMS)
    .default(MOST_ITEMS)
    .describe("So many go at most; ask again while `remaining` is more than 0."),
});

const total = z.object({
  rule: z.enum(RULES).describe("The rule by which they go."),
  count: z.int().describe("How many."),
  bytes: z.int().describe("Of all of them."),
});
const totals = z.array(total).describe("By rule, without those by which nothing goes.");

export const dryRunSchema = z
  .object({
    items: z
      .array(
        z.object({
          rule: z.enum(RULES).describe("The rule by which it goes."),
          action: z
            .enum(["delete", "prune"])
            .describe("`prune` = its log and its files go, and it stays."),
          kind: z
            .enum(["model", "document_schema", "job", "dataset", "audit_events"])
            .describe("What it is."),
          id: z.string().describe("Of what goes."),
          name: z.string().describe("Of what goes; empty where it has none."),
          bytes: z.int().describe("That this frees, as /v1/usage counts them."),
          reason: z.string().describe("Why it goes, in a sentence."),
        }),
      )
      .describe("What would go, in the order in which it would."),
    totals,
    count: z.int().describe("How many would go, those beyond the limit too."),
    bytes: z.int().describe("That all of them free."),
  })
  .meta({ id: "RetentionDryRun" });

export const appliedSchema = z
  .object({
    totals,
    count: z.int().describe("How many went."),
    bytes: z.int().describe("That they freed."),
    kept: z
      .int()
      .describe("How many stayed, because something began to refer to them, or they had gone."),
    remaining: z.int().describe("How many would go by a further request."),
  })
  .meta({ id: "RetentionApplied" });

const amount = (what: string) =>
  z
    .object({
      count: z.int().describe("How many there are."),
      bytes: z.int().describe("Of all of them."),
    })
    .describe(what);

const used = z.object({
  used: z.int().describe("What of it is in use."),
  limit: z.int().nullable().describe("The quota; null = unbounded."),
});

export const usageSchema = z
  .object({
    datasets: amount("Datasets, by the bytes that they were made of."),
    models: amount("Trained models and document schemas, by their files."),
    documents: amount("Documents, by the bytes that were uploaded."),
    jobs: amount("Jobs of every kind, by what ended ones keep: reports, logs of runs, outputs."),
    prediction_logs: amount("Files of the prediction logs of serving endpoints."),
    uploads: amount("Uploads under way, by what has come of them."),
    total_bytes: z.int().describe("Of all of these."),
    quotas: z
      .object({
        dataset_bytes: used.describe("Bytes of datasets."),
        model_bytes: used.describe("Bytes of models."),
        total_bytes: used.describe("Bytes of all."),
        datasets: used.describe("Datasets."),
        models: used.describe("Models."),
        open_jobs: used.describe("Jobs that wait or run."),
      })
      .describe("What of each quota is in use."),
    max_upload_bytes: z.int().describe("The most bytes that one uploaded file may have."),
  })
  .meta({ id: "Usage" });

export function toSettings(
  { applied_at, ...kept }: Rules & { readonly applied_at: Date | null },
  limits: Quotas,
): z.infer<typeof settingsSchema> {
  return { ...kept, quotas: { ...limits }, applied_at: applied_at?.toISOString() ?? null };
}

export const bytesOf = (decisions: readonly Decision[]): number =>
  decisions.reduce((sum, { bytes }) => sum + bytes, 0);
