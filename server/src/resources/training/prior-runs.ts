/** The trials of earlier jobs that a new one begins with, copied so that it needs nothing else. */

import {
  foldEvents,
  type LoggedEvent,
  MAX_PRIOR_TRIALS,
  type PriorRun,
  type RunState,
  TASK_FIELDS,
  type TrialState,
  taskType,
} from "@distillery/engine";
import type { AuthedContext } from "../../api/context/context.ts";
import { notFound, unprocessable } from "../../platform/input/problem.ts";
import { findDataset } from "../datasets/service.ts";
import { isOpen } from "../jobs/job.ts";
import { findJob, readEvents } from "../jobs/service.ts";
import { datasetOf, type TrainingJobRow } from "./job.ts";
import type { TrainerRunRequest } from "./request.ts";
import { foldsOf } from "./run-config.ts";
import { engineMembers } from "./wire-names.ts";

/** @throws 404 for a job that is not there, 422 for one that has nothing to say for this task */
export async function priorRunsOf(
  ctx: AuthedContext,
  request: TrainerRunRequest,
): Promise<PriorRun[]> {
  const ids = request.warm_start_job_ids ?? [];
  const { db } = ctx.services;
  const { organizationId } = ctx.auth;
  const runs: PriorRun[] = [];
  for (const [index, id] of ids.entries()) {
    const fault = (message: string) =>
      unprocessable(["body", "warm_start_job_ids", index], message);
    if (ids.indexOf(id) < index) throw fault("this job is named twice");
    const job = await findJob<TrainingJobRow>(db, organizationId, ["training"], id);
    if (!job) throw notFound("training job");
    if (isOpen(job)) {
      throw fault(`the job is ${job.status}; only jobs that have ended are learned from`);
    }
    const kind = job.request.task.task_kind;
    if (kind !== request.task.task_kind) {
      throw fault(`the job is of ${kind}, and this run of ${request.task.task_kind}`);
    }
    const events = await readEvents<LoggedEvent>(db, job.id);
    const finished = finishedTrials(foldEvents(events.map(({ event }) => event)));
    if (finished.length === 0) throw fault("the job has no finished trial to learn from");
    const comparable = await sameQuestion(ctx, request, job);
    runs.push({
      source: `job ${job.id}`,
      comparable,
      trials: thinned(finished).map(({ family, parameters, scores }) => ({
        family,
        parameters: { ...parameters },
        scores: { ...scores },
      })),
    });
  }
  return runs;
}

function finishedTrials({ trials }: RunState): TrialState[] {
  return trials.filter(({ state, scores }) => state === "finished" && scores !== null);
}

/** Evenly over the run, where there are more than a config holds. */
function thinned(trials: readonly TrialState[]): readonly TrialState[] {
  const most = Math.min(trials.length, MAX_PRIOR_TRIALS);
  return Array.from({ length: most }, (_, i) => i * (trials.length / most)).flatMap(
    (at) => trials[Math.floor(at)] ?? [],
  );
}

/** Whether scores of the job and of this run are of the same rows, label and kind of split. */
async function sameQuestion(
  ctx: AuthedContext,
  request: TrainerRunRequest,
  job: TrainingJobRow,
): Promise<boolean> {
  if (JSON.stringify(questionOf(request)) !== JSON.stringify(questionOf(job.request))) return false;
  if (request.dataset_id === datasetOf(job)) return true;
  const { db } = ctx.services;
  const [mine, theirs] = await Promise.all([
    findDataset(db, ctx.auth.organizationId, request.dataset_id),
    findDataset(db, ctx.auth.organizationId, datasetOf(job)),
  ]);
  return mine !== null && theirs !== null && mine.hash === theirs.hash;
}

function questionOf(asked: TrainerRunRequest): unknown {
  const { task, filter, ...request } = asked;
  const own = engineMembers(TASK_FIELDS, task);
  const type = taskType(task.task_kind);
  return [
    task.label_column,
    type.traits(own),
    ...(type.framing ? [own] : []),
    filter ?? null,
    foldsOf(asked),
    // Then the plan may have made more of them.
    asked.n_cv_splits === undefined && (asked.time_budget_s != null || asked.preset === "best"),
    ...(["weight_column", "group_column", "time_column"] as const).map(
      (role) => task[role] ?? request[role] ?? null,
    ),
  ];
}
