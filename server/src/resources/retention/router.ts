/** How long things are kept and how much there may be: settings, what they would do, doing it, and usage. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import {
  findQuotas,
  type Quotas,
  readUsage,
  saveQuotas,
  totalBytes,
  usedOf,
} from "../quotas/service.ts";
import { carryOut } from "./apply.ts";
import { gather, type RetainedKinds } from "./gather.ts";
import {
  appliedSchema,
  applyInput,
  bytesOf,
  dryRunInput,
  dryRunSchema,
  settingsPatch,
  settingsSchema,
  toSettings,
  usageSchema,
} from "./record.ts";
import { RULES, type Rules, select, totalsOf } from "./select.ts";
import { findRules, lockSettings, saveRules } from "./store.ts";

const tags = ["Retention"];
const nothing = z.strictObject({});

/** What is left out stays. */
const merged = (
  before: Rules,
  given: { readonly [rule in keyof Rules]?: number | null | undefined },
): Rules => {
  const of = (rule: keyof Rules) => (given[rule] === undefined ? before[rule] : given[rule]);
  return {
    keep_versions: of("keep_versions"),
    unnamed_model_days: of("unnamed_model_days"),
    failed_job_days: of("failed_job_days"),
    job_report_days: of("job_report_days"),
    output_days: of("output_days"),
    unused_dataset_days: of("unused_dataset_days"),
    audit_event_days: of("audit_event_days"),
  };
};

const mergedQuotas = (
  before: Quotas,
  given: { readonly [quota in keyof Quotas]?: number | null | undefined },
): Quotas => {
  const of = (quota: keyof Quotas) => (given[quota] === undefined ? before[quota] : given[quota]);
  return {
    dataset_bytes: of("dataset_bytes"),
    model_bytes: of("model_bytes"),
    total_bytes: of("total_bytes"),
    datasets: of("datasets"),
    models: of("models"),
    open_jobs: of("open_jobs"),
  };
};

export const retentionRouter = (kinds: RetainedKinds) =>
  router({
    get: authed("organization:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/retention",
          summary: "Get Retention",
          description: "How long the organization keeps what it has, and how much it may have.",
          tags,
        },
      })
      .input(nothing)
      .output(settingsSchema)
      .query(({ ctx }) => {
        const { organizationId } = ctx.auth;
        return ctx.services.db.forOrganization(organizationId, async (sql) =>
          toSettings(await findRules(sql, organizationId), await findQuotas(sql, organizationId)),
        );
      }),

    patch: authed("organization:write")
      .meta({
        openapi: {
          method: "PATCH",
          path: "/v1/retention",
          summary: "Patch Retention",
          description:
            "Members that are left out stay; null keeps for ever, or takes a bound away. The rules are applied daily, and at once by /v1/retention/apply; look at /v1/retention/dry_run first. What an alias, an endpoint (the split that a rollback brings back, too) or an open job refers to never goes. A quota below what is in use deletes nothing: it refuses what would be added, with 507, or of open_jobs with 429.",
          tags,
        },
      })
      .input(settingsPatch)
      .output(settingsSchema)
      .mutation(({ ctx, input }) => {
        const { organizationId } = ctx.auth;
        const { quotas = {}, ...rules } = input;
        return ctx.services.db.forOrganization(organizationId, async (sql) => {
          await lockSettings(sql, organizationId);
          const before = await findRules(sql, organizationId);
          if (RULES.some((rule) => rules[rule] !== undefined)) {
            await saveRules(sql, organizationId, merged(before, rules));
          }
          const limits = await findQuotas(sql, organizationId);
          if (Object.keys(quotas).length > 0) {
            await saveQuotas(sql, organizationId, mergedQuotas(limits, quotas));
          }
          return toSettings(
            await findRules(sql, organizationId),
            await findQuotas(sql, organizationId),
          );
        });
      }),

    dryRun: authed("organization:read")
      .meta({
        openapi: {
          method: "POST",
          path: "/v1/retention/dry_run",
          summary: "Dry-run Retention",
          description:
            "What would go now and why, by the rules that are set or, where members are sent, by those in their place; nothing goes, and nothing is saved.",
          tags,
        },
      })
      .input(dryRunInput)
      .output(dryRunSchema)
      .mutation(async ({ ctx, input: { limit, ...instead } }) => {
        const { organizationId } = ctx.auth;
        const set = await ctx.services.db.forOrganization(organizationId, (sql) =>
          findRules(sql, organizationId),
        );
        const { records, now } = await gather(ctx, kinds);
        const all = select(records, merged(set, instead), now);
        return {
          items: all.slice(0, limit),
          totals: totalsOf(all),
          count: all.length,
          bytes: bytesOf(all),
        };
      }),

    applyNow: authed("organization:write")
      .meta({
        openapi: {
          method: "POST",
          path: "/v1/retention/apply",
          summary: "Apply Retention",
          description:
            "Applies the rules that are set, now. What something began to refer to since the look stays. Each deletion is a line of the service's log.",
          tags,
        },
      })
      .input(applyInput)
      .output(appliedSchema)
      .mutation(async ({ ctx, input: { limit } }) => {
        const { organizationId, subject } = ctx.auth;
        const rules = await ctx.services.db.forOrganization(organizationId, (sql) =>
          findRules(sql, organizationId),
        );
        const { records, now } = await gather(ctx, kinds);
        const all = select(records, rules, now);
        const { done, kept } = await carryOut(ctx, kinds, all.slice(0, limit), records, subject);
        return {
          totals: totalsOf(done),
          count: done.length,
          bytes: bytesOf(done),
          kept: kept.length,
          remaining: Math.max(0, all.length - limit),
        };
      }),

    usage: authed("organization:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/usage",
          summary: "Get Usage",
          description: "What the organization has, by kind, beside its quotas.",
          tags,
        },
      })
      .input(nothing)
      .output(usageSchema)
      .query(async ({ ctx }) => {
        const { organizationId } = ctx.auth;
        const { usage, limits } = await ctx.services.db.forOrganization(
          organizationId,
          async (sql) => ({
            usage: await readUsage(sql, organizationId),
            limits: await findQuotas(sql, organizationId),
          }),
        );
        const used = usedOf(usage);
        const of = (quota: keyof Quotas) => ({ used: used[quota], limit: limits[quota] });
        const { datasets, models, documents, jobs, prediction_logs, uploads } = usage;
        return {
          ...{ datasets, models, documents, jobs, prediction_logs, uploads },
          ...{ total_bytes: totalBytes(usage) },
          quotas: {
            dataset_bytes: of("dataset_bytes"),
            model_bytes: of("model_bytes"),
            total_bytes: of("total_bytes"),
            datasets: of("datasets"),
            models: of("models"),
            open_jobs: of("open_jobs"),
          },
          max_upload_bytes: ctx.services.config.maxUploadBytes,
        };
      }),
  });
