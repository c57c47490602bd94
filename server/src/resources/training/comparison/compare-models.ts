/** Two trained models on the rows that their runs held out, from what the runs keep. */

import { isDeepStrictEqual } from "node:util";
import {
  DataError,
  HELD_OUT_ROWS,
  metricNameOf,
  metricsFor,
  type OutOfFoldComparison,
  selectionArtifact,
  taskType,
} from "@distillery/engine";
import type { AuthedContext } from "../../../api/context/context.ts";
import type { Services } from "../../../api/services.ts";
import type { HeldOutRequest } from "../../../platform/compute/exports/compare-held-out.ts";
import { conflict, notFound, unprocessable } from "../../../platform/input/problem.ts";
import { findJob, jobKey } from "../../jobs/service.ts";
import type { ModelKinds } from "../../models/kind.ts";
import { findModel, requireModel, type StoredDocument } from "../../models/service.ts";
import { type TrainingJobRow, trainingArea } from "../job.ts";

/** Of the predictions of both, which a thread reads whole. */
const MOST_BYTES = 512 * 2 ** 20;
const AGAINST = ["query", "against"] as const;

interface Compared {
  readonly id: string;
  readonly name: string;
  readonly document: StoredDocument;
  readonly task: Readonly<Record<string, unknown>>;
  readonly data: { readonly hash: string; readonly apart: Readonly<Record<string, unknown>> };
  readonly job: TrainingJobRow;
  /** Among those of its run. */
  readonly place: number;
}

interface Asked {
  readonly model: string;
  readonly against: string;
  readonly metrics: readonly string[];
}

/** @throws 404, 409 where a run keeps no predictions, 422 where the models cannot be compared so */
export async function compareModels(
  ctx: AuthedContext,
  kinds: ModelKinds,
  { model, against, metrics }: Asked,
): Promise<{ comparison: OutOfFoldComparison; model: string; against: string }> {
  const { services } = ctx;
  const first = await comparedModel(ctx, kinds, against);
  const second = await comparedModel(ctx, kinds, model);
  checkAlike(second, first);
  const { task } = first.document;
  const fitting = metricsFor(task.kind).map(({ name }) => name);
  for (const [at, name] of metrics.entries()) {
    if (fitting.includes(metricNameOf(name))) continue;
    const message = `'${name}' does not fit ${task.kind}; metrics that do: ${fitting.join(", ")}`;
    throw unprocessable(["query", "metrics", at], message);
  }
  const keys = [...(await keysOf(services, first)), ...(await keysOf(services, second))];
  await checkSize(services, keys);
  const comparison = await withLocalFiles(services, keys, async (files) => {
    const [rows = "", predictions = "", otherRows = "", otherPredictions = ""] = files;
    const request: HeldOutRequest = {
      task,
      metrics: metrics.length > 0 ? metrics : first.document.card.metrics,
      models: [
        { id: first.id, rows, predictions },
        { id: second.id, rows: otherRows, predictions: otherPredictions },
      ],
    };
    return services.compute.compareHeldOut(request, ctx.request.signal);
  }).catch((error: unknown) => {
    if (error instanceof DataError) throw unprocessable(AGAINST, error.message);
    throw error;
  });
  return { comparison, model: second.id, against: first.id };
}

async function comparedModel(
  ctx: AuthedContext,
  kinds: ModelKinds,
  reference: string,
): Promise<Compared> {
  const { db } = ctx.services;
  const { organizationId } = ctx.auth;
  const { kind, row } = await requireModel(ctx, kinds, reference);
  if (kind.whyNoPredictions !== null) throw conflict(kind.whyNoPredictions);
  kind.assertCompleted(row);
  const model = await findModel(db, organizationId, row.id);
  if (model?.document == null) throw notFound("model");
  const job = await findJob<TrainingJobRow>(db, organizationId, ["training"], model.job_id);
  if (job === null || model.data === null) throw conflict(notKept(model.name, "was deleted"));
  const further = job.result?.further_models.findIndex(({ id }) => id === model.id) ?? -1;
  const { id, name, document, task, data } = model;
  return { id, name, document, task, data, job, place: further + 1 };
}

const notKept = (model: string, why: string): string =>
  `The out-of-fold predictions of '${model}' are not there: its run ${why}. Compare the models on a dataset (POST /v1/evaluations), or train again.`;

/** Both must tell the same of the same rows. */
function checkAlike(second: Compared, first: Compared): void {
  const { task } = first.document;
  if (taskType(task.kind).framing?.kind === "series") {
    throw unprocessable(
      AGAINST,
      "forecasts are scored by the windows of their runs, whose reports show them; models of two runs are not compared step by step",
    );
  }
  if (second.data.hash !== first.data.hash) {
    throw unprocessable(
      AGAINST,
      "the models were trained on different data, so no row was held out by both; compare them on a dataset that neither has seen (POST /v1/evaluations)",
    );
  }
  const same =
    second.document.task.kind === task.kind &&
    second.document.labelColumn === first.document.labelColumn &&
    isDeepStrictEqual(second.document.task.classes, task.classes) &&
    isDeepStrictEqual(second.document.task.quantiles, task.quantiles);
  if (!same) throw unprocessable(AGAINST, "the models predict different things");
  // Sequences are numbered among those that are left.
  const isNumberedAlike =
    taskType(task.kind).framing === null ||
    (isDeepStrictEqual(second.task, first.task) &&
      isDeepStrictEqual(second.data.apart, first.data.apart));
  if (!isNumberedAlike) {
    throw unprocessable(
      AGAINST,
      "the runs took other sequences, or parted them by other columns: train both with the same task and filter",
    );
  }
}

async function keysOf(
  { objects }: Services,
  { job, place, name }: Compared,
): Promise<[rows: string, predictions: string]> {
  const key = (file: string): string => jobKey(trainingArea, job, file);
  const keys: [string, string] = [key(HELD_OUT_ROWS), key(selectionArtifact(place))];
  for (const each of keys) {
    if ((await objects.head(each)) !== null) continue;
    const why =
      job.pruned_at === null
        ? "was of a version that did not keep which rows they are of"
        : "was cleared by the organization's retention";
    throw conflict(notKept(name, why));
  }
  return keys;
}

async function checkSize({ objects }: Services, keys: readonly string[]): Promise<void> {
  const heads = await Promise.all(keys.map((key) => objects.head(key)));
  const bytes = heads.reduce((sum, head) => sum + (head?.bytes ?? 0), 0);
  if (bytes <= MOST_BYTES) return;
  throw conflict(
    `These models predicted ${Math.ceil(bytes / 2 ** 20)} MiB of values, more than the ${MOST_BYTES / 2 ** 20} MiB that are compared while somebody waits. Compare them on a dataset (POST /v1/evaluations).`,
  );
}

/** Local copies of objects, for as long as `use` runs. */
function withLocalFiles<Result>(
  services: Services,
  [key, ...others]: readonly string[],
  use: (paths: readonly string[]) => Promise<Result>,
): Promise<Result> {
  if (key === undefined) return use([]);
  return services.compute.withLocalFile(key, (path) =>
    withLocalFiles(services, others, (paths) => use([path, ...paths])),
  );
}
