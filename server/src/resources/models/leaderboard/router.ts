/** The leaderboard: models of different runs, ranked where their scores can be compared. */

import { METRICS, metricNameOf, TASK_KINDS } from "@distillery/engine";
import { z } from "zod";
import type { AuthedContext } from "../../../api/context/context.ts";
import { authed, router } from "../../../api/http/routing/trpc.ts";
import { cutPage, nextPageToken, PageTokens, pageQuery } from "../../../api/paging/page-token.ts";
import { unprocessable } from "../../../platform/input/problem.ts";
import { modelFilterQuery, toModelFilter } from "../model-filter.ts";
import {
  type BoardFilter,
  type GroupRow,
  listGroups,
  type RankedRow,
  rankModels,
} from "./store.ts";

const scores = z
  .record(z.string(), z.number().nullable())
  .describe("Held-out scores by metric, as the model's card has them.");

const groupSchema = z
  .object({
    group: z.string().describe("Ask with it for the ranking of this group."),
    models: z.int().describe("How many models there are in it."),
    dataset: z
      .object({
        hash: z.string().describe("SHA-256 of the bytes that were trained on, lowercase hex."),
        name: z.string().describe("Of the dataset of the latest model."),
        rows: z.int().describe("Of the dataset."),
        dataset_ids: z.array(z.uuid()).describe("The datasets that have these bytes."),
      })
      .describe("What all were trained on."),
    apart: z
      .record(z.string(), z.unknown())
      .describe("The row filter and the roles of columns that the requests gave beside the task."),
    task: z
      .record(z.string(), z.unknown())
      .describe("What is predicted, as the latest run has it."),
    metrics: z.array(z.string()).describe("Those of the latest model; the first is the default."),
  })
  .meta({ id: "LeaderboardGroup" });

const entrySchema = z
  .object({
    rank: z.int().describe("From 1; models without a score are last."),
    model_id: z.uuid(),
    name: z.string().describe("The registered name, or what the run called it."),
    version: z.int().nullable().describe("Of its registered name; null = it has none."),
    aliases: z.array(z.string()).describe("That lead to it, `name@alias` each."),
    tags: z.record(z.string(), z.string()).describe("Texts by key, as people wrote them."),
    score: z
      .number()
      .nullable()
      .describe("On the metric that ranks; null = it was not scored by it."),
    scores,
    validation: z
      .string()
      .nullable()
      .describe("How rows were held out: scores of another splitter are another estimate."),
    families: z.array(z.string()).describe("The model families of its members."),
    fit_seconds: z
      .number()
      .nullable()
      .describe("Of the whole run that made it; null where it was not kept."),
    predict_seconds: z
      .number()
      .nullable()
      .describe(
        "Of predicting 1,000 rows by its members one after another on one thread, as measured on held-out rows; null where it was not kept.",
      ),
    bytes: z.int().describe("Of its files."),
    job_id: z.uuid(),
    dataset_id: z.uuid(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "LeaderboardEntry" });

const query = z.strictObject({
  ...pageQuery,
  group: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional()
    .describe("One of the groups of an earlier answer."),
  dataset_id: z
    .uuid()
    .optional()
    .describe("Models that were trained on this dataset, or on another of the same bytes."),
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .describe("SHA-256 of the bytes that were trained on."),
  label_column: z.string().min(1).max(1000).optional().describe("What is predicted."),
  task_kind: z.enum(TASK_KINDS).optional().describe("The kind of task."),
  metric: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("What ranks; default: the first metric of the group's latest run."),
  ...modelFilterQuery,
  name: modelFilterQuery.name.describe("Versions of this registered name."),
});

type Query = z.output<typeof query>;

const toFilter = (asked: Query): BoardFilter => ({
  group: asked.group ?? null,
  datasetId: asked.dataset_id ?? null,
  hash: asked.hash ?? null,
  labelColumn: asked.label_column ?? null,
  taskKind: asked.task_kind ?? null,
  ...toModelFilter(asked),
});

function metricFor(asked: string | undefined, group: GroupRow) {
  const name = metricNameOf(asked ?? Object.keys(group.scores)[0] ?? "");
  const metric = METRICS.find((each) => each.name === name);
  if (metric !== undefined) return metric;
  const known = METRICS.map((each) => each.name).join(", ");
  throw unprocessable(["query", "metric"], `unknown metric '${asked ?? name}'; known are ${known}`);
}

const toGroup = (row: GroupRow): z.input<typeof groupSchema> => ({
  group: row.comparable,
  models: row.models,
  dataset: {
    hash: row.data.hash,
    name: row.data.name,
    rows: row.data.rows,
    dataset_ids: [...row.dataset_ids],
  },
  apart: { ...row.data.apart },
  task: { ...row.task },
  metrics: Object.keys(row.scores),
});

const toEntry = (row: RankedRow, rank: number, metric: string): z.input<typeof entrySchema> => ({
  rank,
  model_id: row.id,
  name: row.name,
  version: row.version,
  aliases: [...row.aliases],
  tags: { ...row.tags },
  score: row.scores[metric] ?? null,
  scores: { ...row.scores },
  validation: row.splitter,
  families: [...row.families],
  fit_seconds: row.timing?.fit_seconds ?? null,
  predict_seconds: row.timing?.predict_seconds ?? null,
  bytes: row.size_bytes,
  job_id: row.job_id,
  dataset_id: row.dataset_id,
  created_at: row.created_at.toISOString(),
});

const tokens = ({ services }: AuthedContext) =>
  new PageTokens(services.secret.derive("page-tokens"), "leaderboard", z.int());

export const leaderboardRouter = router({
  get: authed("models:read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/leaderboard",
        summary: "Get Leaderboard",
        description:
          "Completed models of all runs by a held-out score. Scores are compared only where they are of the same bytes, filter, task and roles of columns: where the query leaves one such group its models are ranked, the best first; where it leaves several, the groups are listed, those with the latest models first, and nothing is ranked.",
        tags: ["Models"],
      },
    })
    .input(query)
    .output(
      z.object({
        metric: z.string().nullable().describe("What ranks; null where nothing is ranked."),
        direction: z
          .enum(["maximize", "minimize"])
          .nullable()
          .describe("Which scores are better; null where nothing is ranked."),
        models: z.array(entrySchema).describe("The ranked models of this page."),
        groups: z.array(groupSchema).describe("The group that is ranked, or those of this page."),
        next_page_token: nextPageToken,
      }),
    )
    .query(async ({ ctx, input }) => {
      const { db } = ctx.services;
      const { organizationId } = ctx.auth;
      const { limit, page_token, ...asked } = input;
      const filter = toFilter(input);
      const key = [organizationId, asked];
      const pages = tokens(ctx);
      const offset = pages.decode(key, page_token) ?? 0;
      const nextOf = () => pages.encode(key, offset + limit);
      const [group, further] = await listGroups(db, organizationId, filter, {
        limit: 1,
        offset: 0,
      });
      if (group === undefined || further !== undefined) {
        if (input.metric !== undefined && group !== undefined) metricFor(input.metric, group);
        const groups = await listGroups(db, organizationId, filter, { limit, offset });
        const page = cutPage(groups, limit, nextOf);
        return {
          metric: null,
          direction: null,
          models: [],
          groups: page.entries.map(toGroup),
          next_page_token: page.next_page_token,
        };
      }
      const { name, direction } = metricFor(input.metric, group);
      const rows = await rankModels(
        db,
        organizationId,
        filter,
        { name, direction },
        { limit, offset },
      );
      const page = cutPage(rows, limit, nextOf);
      return {
        metric: name,
        direction,
        models: page.entries.map((row, index) => toEntry(row, offset + index + 1, name)),
        groups: [toGroup(group)],
        next_page_token: page.next_page_token,
      };
    }),
});
