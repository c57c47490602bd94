/** Starting an evaluation. */

import { isDeepStrictEqual } from "node:util";
import { metricNameOf, metricsFor, taskType } from "@distillery/engine";
import type { AuthedContext } from "../../api/context/context.ts";
import { assertScope } from "../../api/context/scopes.ts";
import { conflict, notFound, unprocessable } from "../../platform/input/problem.ts";
import { findDataset, keepDataset } from "../datasets/service.ts";
import { registerJob } from "../jobs/service.ts";
import type { ModelKinds } from "../models/kind.ts";
import { findModel, keepReferences, requireModel, type StoredDocument } from "../models/service.ts";
import type { EvaluationJobRow } from "./job.ts";
import { evaluationKind } from "./kind.ts";
import type { EvaluationRequest } from "./request.ts";

interface Asked {
  readonly reference: string;
  readonly place: readonly (string | number)[];
}

interface Found extends Asked {
  readonly id: string;
  readonly document: StoredDocument;
}

/** @throws 403, 404, 409 for a model that predicts nothing yet, 422 for what does not fit together */
export async function startEvaluation(
  ctx: AuthedContext,
  modelKinds: ModelKinds,
  request: EvaluationRequest,
): Promise<{ job_id: string }> {
  const { services, auth } = ctx;
  const { organizationId } = auth;
  assertScope(ctx, "datasets:read");
  const jobId = ctx.newId();
  const asked: Asked[] = [
    { reference: request.model_id, place: ["body", "model_id"] },
    ...request.compare_with.map((reference, at) => ({
      reference,
      place: ["body", "compare_with", at],
    })),
  ];
  const found: Found[] = [];
  for (const each of asked) found.push({ ...each, ...(await predictorOf(ctx, modelKinds, each)) });
  const [first, ...others] = found;
  for (const other of others) checkAlike(first, other);
  checkMetrics(first, request.metrics ?? []);
  const dataset = await findDataset(services.db, organizationId, request.dataset_id);
  if (dataset === null) throw notFound("dataset");
  const names = dataset.columns.map(({ name }) => name);
  const label = first.document.labelColumn;
  if (!names.includes(label)) {
    const message = `the dataset has no column '${label}', which is what the model predicts`;
    throw unprocessable(["body", "dataset_id"], message);
  }
  for (const [at, slice] of request.slices.entries()) {
    if (names.includes(slice)) continue;
    throw unprocessable(["body", "slices", at], `the dataset has no column '${slice}'`);
  }
  await services.db.forOrganization(organizationId, async (sql) => {
    const meant = new Map(found.map(({ reference, id }) => [reference, id]));
    if ((await keepReferences(sql, services.db, organizationId, meant)) !== null) {
      throw notFound("model");
    }
    if (!(await keepDataset(sql, organizationId, dataset.id))) throw notFound("dataset");
    await registerJob<EvaluationJobRow>(services, sql, organizationId, evaluationKind, {
      id: jobId,
      name: request.name ?? dataset.name,
      datasets: [dataset.id],
      models: [...new Set(found.map(({ id }) => id))],
      request: {
        dataset_id: dataset.id,
        metrics: request.metrics ?? null,
        slices: request.slices,
        random_state: request.random_state,
      },
      details: {
        models: found.map(({ id, reference }) => ({ model_id: id, model: reference })),
        dataset_name: dataset.name,
      },
    });
  });
  return { job_id: jobId };
}

async function predictorOf(
  ctx: AuthedContext,
  kinds: ModelKinds,
  { reference, place }: Asked,
): Promise<{ id: string; document: StoredDocument }> {
  const { kind, row } = await requireModel(ctx, kinds, reference);
  if (kind.whyNoPredictions !== null) throw conflict(kind.whyNoPredictions);
  kind.assertCompleted(row);
  const model = await findModel(ctx.services.db, ctx.auth.organizationId, row.id);
  if (model?.document == null) throw notFound("model");
  if (taskType(model.document.task.kind).framing?.kind === "series") {
    const message =
      "forecasts are scored by the windows of their run, which its report shows; a dataset alone does not say what was known when";
    throw unprocessable(place, message);
  }
  return { id: model.id, document: model.document };
}

function checkAlike({ document: first }: Found, { document: other, place }: Found): void {
  const same =
    first.task.kind === other.task.kind &&
    first.labelColumn === other.labelColumn &&
    isDeepStrictEqual(first.task.classes, other.task.classes) &&
    String(first.task.quantiles ?? "") === String(other.task.quantiles ?? "");
  if (same) return;
  const told = ({ task, labelColumn }: StoredDocument): string =>
    `${task.kind} of '${labelColumn}'${task.classes.length > 0 ? ` with the classes ${task.classes.slice(0, 5).join(", ")}${task.classes.length > 5 ? ", …" : ""}` : ""}`;
  throw unprocessable(
    place,
    `the models predict different things: ${told(other)}, and the first ${told(first)}`,
  );
}

function checkMetrics({ document: { task } }: Found, names: readonly string[]): void {
  const fitting = metricsFor(task.kind).map(({ name }) => name);
  for (const [at, name] of names.entries()) {
    if (fitting.includes(metricNameOf(name))) continue;
    const message = `'${name}' does not fit ${task.kind}; metrics that do: ${fitting.join(", ")}`;
    throw unprocessable(["body", "metrics", at], message);
  }
}
