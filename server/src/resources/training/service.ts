/** Registering training jobs. */

import {
  bindFilter,
  ConfigError,
  closestNames,
  DataError,
  type FilterNode,
  type RunPlan,
  runConfigSchema,
} from "@distillery/engine";
import type { AuthedContext } from "../../api/context/context.ts";
import { assertScope } from "../../api/context/scopes.ts";
import { asDataFault } from "../../platform/input/data-fault.ts";
import { notFound, unprocessable } from "../../platform/input/problem.ts";
import { type DatasetRow, findDataset, keepDataset, withTableFile } from "../datasets/service.ts";
import type { DatasetColumn } from "../datasets/store.ts";
import { registerJob } from "../jobs/service.ts";
import type { ModelKinds } from "../models/kind.ts";
import { insertModel, keepModel, lockRegistry, takeModelName } from "../models/service.ts";
import { keepWithinQuotas } from "../quotas/service.ts";
import { rolesOf } from "./column-roles.ts";
import type { TrainingInputs, TrainingJobRow } from "./job.ts";
import { toJobConfig } from "./job-config.ts";
import { trainingKind } from "./kind.ts";
import { priorRunsOf } from "./prior-runs.ts";
import type { TrainerRunRequest } from "./request.ts";
import { toRunConfig } from "./run-config.ts";
import { checkTeacher, checkTeacherClasses } from "./teachers/check-teacher.ts";
import { sealAccess, withoutSecrets } from "./teachers/sealed-access.ts";
import { inWireWords, requestPath } from "./wire-names.ts";

/**
 * Datasets up to this size are planned before the answer, so that every fault of the request that
 * the data shows (a constant label, a class too small for the folds) is a 422 and not a failed job.
 */
const PLAN_AT_ONCE_BYTES = 64 * 1024 * 1024;

/**
 * What is learned tells of what it was learned from, so who may not read that may not train on it.
 *
 * @param modelKinds whose ids the result's name must not be
 * @throws 403 without datasets:read, or models:read for a teacher; 404, 409, 422
 */
export async function startRun(
  ctx: AuthedContext,
  modelKinds: ModelKinds,
  asked: TrainerRunRequest,
): Promise<{ job_id: string; dataset_id: string }> {
  const { services, auth } = ctx;
  assertScope(ctx, "datasets:read");
  if (asked.teacher_model_id != null) assertScope(ctx, "models:read");
  const dataset = await findDataset(services.db, auth.organizationId, asked.dataset_id);
  if (!dataset) throw notFound("dataset");
  checkColumns(asked, dataset);
  const teacherId = await checkTeacher(ctx, asked, dataset);
  // The job learns from the model that a name or an alias means now.
  const request = teacherId === null ? asked : { ...asked, teacher_model_id: teacherId };
  const warmStart = await priorRunsOf(ctx, request);
  const plan = dataset.bytes <= PLAN_AT_ONCE_BYTES ? await planNow(ctx, request, dataset) : null;
  if (plan) await checkTeacherClasses(ctx, request, plan);

  const jobId = ctx.newId();
  const modelId = ctx.newId();
  const name = request.name ?? dataset.name;
  const { organizationId } = auth;
  await services.db.forOrganization(organizationId, async (sql) => {
    const registerAs = request.register_as ?? null;
    // Before rows and quotas, as everywhere, so that no two transactions wait for each other.
    if (registerAs !== null) await lockRegistry(sql, organizationId);
    if (!(await keepDataset(sql, organizationId, dataset.id))) throw notFound("dataset");
    if (teacherId !== null && !(await keepModel(sql, organizationId, teacherId))) {
      throw notFound("model");
    }
    const isNew = await registerJob<TrainingJobRow>(services, sql, organizationId, trainingKind, {
      id: jobId,
      name,
      tags: request.job_tags,
      datasets: [dataset.id],
      models: teacherId === null ? [] : [teacherId],
      request: { ...request, ...withoutSecrets(request) },
      details: {
        model_id: modelId,
        model_name: name,
        record: toJobConfig(request, dataset.columns, plan),
      },
      inputs: { warm_start: warmStart } satisfies TrainingInputs,
      sealed: sealAccess(services.sealer, { organizationId, jobId }, request),
    });
    if (!isNew) return;
    if (registerAs !== null) await takeModelName(ctx, modelKinds, sql, registerAs);
    await insertModel(sql, auth.organizationId, {
      id: modelId,
      jobId,
      datasetId: dataset.id,
      name,
      task: request.task,
      status: "pending",
      registerAs,
      data: {
        name: dataset.name,
        hash: dataset.hash,
        rows: dataset.rows,
        apart: {
          filter: request.filter,
          weight_column: request.weight_column,
          group_column: request.group_column,
          time_column: request.time_column,
          missing_labels: request.missing_labels,
          rare_classes: request.rare_classes,
        },
      },
    });
    await keepWithinQuotas(sql, organizationId, { models: 0, model_bytes: 1 });
  });
  return { job_id: jobId, dataset_id: dataset.id };
}

/** What can be seen without reading the data, and so for datasets of any size. */
function checkColumns(request: TrainerRunRequest, dataset: DatasetRow): void {
  const names = dataset.columns.map(({ name }) => name);
  const known = new Set(names);
  for (const { loc, column } of rolesOf(request)) {
    if (known.has(column)) continue;
    throw unprocessable(loc, unknownColumn(column, names));
  }
  if (request.filter) checkFilter(request.filter, dataset.columns, ["body", "filter"]);
}

/** Of so many columns all are named, of more the closest. */
const FEW_COLUMNS = 20;
/** Beyond, a name is not compared with others. */
const MOST_LETTERS = 200;

function unknownColumn(name: string, names: readonly string[]): string {
  const few = names.length <= FEW_COLUMNS;
  const shown =
    few || name.length > MOST_LETTERS ? names.slice(0, FEW_COLUMNS) : closestNames(name, names);
  const list = shown.map((known) => `'${known}'`).join(", ");
  return `the dataset has no column '${name}'; ${few ? `it has ${list}` : `of its ${names.length} the closest are ${list}`}`;
}

/** Each comparison by itself, so that what is wrong is named at its place. @throws 422 */
function checkFilter(
  filter: FilterNode,
  columns: readonly DatasetColumn[],
  loc: readonly (string | number)[],
): void {
  switch (filter.kind) {
    case "bool":
      for (const [index, expr] of filter.exprs.entries()) {
        checkFilter(expr, columns, [...loc, "exprs", index]);
      }
      return;
    case "not":
      checkFilter(filter.expr, columns, [...loc, "expr"]);
      return;
    case "comparison":
      if (!columns.some(({ name }) => name === filter.column)) {
        checkComparison(filter, columns, [...loc, "column"]);
      } else if (Array.isArray(filter.value)) {
        for (const [index, item] of filter.value.entries()) {
          checkComparison({ ...filter, value: [item] }, columns, [...loc, "value", index]);
        }
      } else {
        // Whether an operator suits a column shows with any value.
        checkComparison({ ...filter, value: null }, columns, [...loc, "op"]);
        checkComparison(filter, columns, [...loc, "value"]);
      }
  }
}

function checkComparison(
  filter: FilterNode,
  columns: readonly DatasetColumn[],
  loc: readonly (string | number)[],
): void {
  try {
    bindFilter(filter, columns);
  } catch (error) {
    throw asDataFault(error, loc);
  }
}

async function planNow(
  ctx: AuthedContext,
  request: TrainerRunRequest,
  dataset: DatasetRow,
): Promise<RunPlan> {
  const { services, auth } = ctx;
  const config = runConfigSchema.parse(toRunConfig(request));
  const { organizationId } = auth;
  const { signal } = ctx.request;
  try {
    return await withTableFile({ services, organizationId, dataset, signal }, (file) =>
      services.compute.plan({ file, config }, { organizationId, signal }),
    );
  } catch (error) {
    throw asRequestFault(inWireWords(error), request);
  }
}

/**
 * What the plan found: a fault of a column stands where the request gives the column its role, and one
 * of a member of the task at the member.
 */
function asRequestFault(error: unknown, request: TrainerRunRequest): unknown {
  if (error instanceof ConfigError) return unprocessable(requestPath(error.path), error.message);
  if (!(error instanceof DataError)) return error;
  const { member, column } = error;
  const roles = rolesOf(request).filter(({ isUsed }) => isUsed);
  const role = roles.find((each) =>
    member === undefined
      ? each.column === column
      : each.member === member && (column === undefined || each.column === column),
  );
  if (role) return asDataFault(error, role.loc);
  return asDataFault(
    error,
    member === undefined ? ["body", "dataset_id"] : requestPath(["task", member]),
  );
}
