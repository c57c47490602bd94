/** What a request's teacher must be, as far as it can be seen before the run: faults are 422s. */

import { placeOfClass, type RunPlan } from "@distillery/engine";
import { z } from "zod";
import type { AuthedContext } from "../../../api/context/context.ts";
import { unprocessable } from "../../../platform/input/problem.ts";
import { checkLiteral, normalizeHost } from "../../../platform/net/destination.ts";
import { OutboundRefusedError } from "../../../platform/net/outbound.ts";
import type { DatasetRow } from "../../datasets/service.ts";
import { findModel, findTrainedModel, noSuchModel } from "../../models/service.ts";
import type { TrainerRunRequest } from "../request.ts";

/**
 * @returns the id of the model that teaches; null where none does
 * @throws 404 for a model that is not there, 422 for one that cannot teach this run
 */
export async function checkTeacher(
  ctx: AuthedContext,
  request: TrainerRunRequest,
  dataset: DatasetRow,
): Promise<string | null> {
  if (request.teacher_predict_url != null) checkUrl(ctx, request.teacher_predict_url);
  const { teacher_model_id: reference, task } = request;
  if (reference == null) return null;
  const model = await findTrainedModel(ctx.services.db, ctx.auth.organizationId, reference);
  if (!model) throw await noSuchModel(ctx, reference);
  const { document } = model;
  if (model.status !== "completed" || document === null) {
    throw unfit(`the model is ${model.status}; a teacher must be completed`);
  }
  if (document.task.kind !== task.task_kind) {
    throw unfit(`the model is of ${document.task.kind}, and this run of ${task.task_kind}`);
  }
  const apart = sequenceColumnOf(document.card.config);
  if (task.sequence_column != null && apart !== task.sequence_column) {
    throw unfit(
      `the model tells sequences apart by '${apart}', and this run by '${task.sequence_column}'`,
    );
  }
  const needed = document.columns.map(({ name }) => name);
  const there = new Set(dataset.columns.map(({ name }) => name));
  const missing = needed.filter((name) => !there.has(name));
  if (missing.length > 0) {
    throw unfit(`the model reads columns that the dataset does not have: ${listed(missing)}`);
  }
  if (needed.includes(task.label_column)) {
    throw unfit(`the model reads '${task.label_column}', which is this run's label`);
  }
  return model.id;
}

function sequenceColumnOf({ task }: Readonly<Record<string, unknown>>): string | null {
  const parsed = z.object({ sequenceColumn: z.string().nullish() }).safeParse(task);
  return parsed.data?.sequenceColumn ?? null;
}

/** @throws 422 where the plan's classes are not those that the teacher predicts */
export async function checkTeacherClasses(
  ctx: AuthedContext,
  request: TrainerRunRequest,
  plan: RunPlan,
): Promise<void> {
  const { teacher_model_id: id } = request;
  if (id == null) return;
  const model = await findModel(ctx.services.db, ctx.auth.organizationId, id);
  const taught = model?.document?.task.classes ?? [];
  const { classes } = plan.task;
  const extra = taught.filter((name) => placeOfClass(classes, name) < 0);
  const missing = classes.filter((name) => placeOfClass(taught, name) < 0);
  if (extra.length > 0) {
    throw unfit(`the model predicts classes that the label does not have: ${listed(extra)}`);
  }
  if (missing.length > 0) {
    throw unfit(`the label has classes that the model does not predict: ${listed(missing)}`);
  }
}

/** An address that is written out and may not be reached; names are looked at when they are asked. */
function checkUrl({ services }: AuthedContext, url: string): void {
  const loc = ["body", "teacher_predict_url"];
  const hostname = URL.parse(url)?.hostname ?? "";
  const host = normalizeHost(hostname.replace(/^\[(.*)\]$/, "$1"));
  if (host === null) throw unprocessable(loc, "it must name a host");
  try {
    checkLiteral(host, services.config);
  } catch (error) {
    if (!(error instanceof OutboundRefusedError)) throw error;
    throw unprocessable(loc, error.message.replace(/\.$/, ""));
  }
}

const unfit = (message: string) => unprocessable(["body", "teacher_model_id"], message);

const NAMED = 10;

function listed(names: readonly string[]): string {
  const some = names.slice(0, NAMED).map((name) => `'${name}'`);
  return names.length > NAMED
    ? `${some.join(", ")} and ${names.length - NAMED} more`
    : some.join(", ");
}
