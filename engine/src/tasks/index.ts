/** The kinds of task there are. This is the only place that lists them. */

import { z } from "zod";
import { binclass } from "./binclass/task-type.ts";
import { forecasting } from "./forecasting/task-type.ts";
import { multiclass } from "./multiclass/task-type.ts";
import { quantileRegression } from "./quantile_regression/task-type.ts";
import { regression } from "./regression/task-type.ts";
import { sequenceBinclass } from "./sequence_binclass/task-type.ts";
import { sequenceMulticlass } from "./sequence_multiclass/task-type.ts";
import { sequenceRegression } from "./sequence_regression/task-type.ts";
import type { ModelOutput, TaskForm, TaskType } from "./task-type.ts";

const TYPES = [
  regression,
  binclass,
  multiclass,
  quantileRegression,
  sequenceRegression,
  sequenceBinclass,
  sequenceMulticlass,
  forecasting,
] as const;

/** Their own members of a request, each refused where the kind is another. */
export const TASK_FIELDS = {
  ...regression.fields,
  ...binclass.fields,
  ...multiclass.fields,
  ...quantileRegression.fields,
  ...sequenceRegression.fields,
  ...forecasting.fields,
};

/** One of `TASK_KINDS`. */
export type TaskKind = (typeof TYPES)[number]["kind"];

/** A task whose label has been read: data, which travels to threads and into models. */
export interface Task extends TaskForm {
  readonly kind: TaskKind;
}

/** The kinds of tasks that can be trained. */
export const TASK_KINDS: readonly TaskKind[] = TYPES.map(({ kind }) => kind);

const BY_KIND: ReadonlyMap<string, TaskType> = new Map(TYPES.map((type) => [type.kind, type]));

/** The one value that says everything of a kind of task. @throws RangeError where there is no such kind */
export function taskType(kind: string): TaskType {
  const type = BY_KIND.get(kind);
  if (!type) throw new RangeError(`There is no task kind ${kind}.`);
  return type;
}

/** The one value that says everything of a task's kind. @throws RangeError where there is no such kind */
export function typeOf(task: TaskForm): TaskType {
  return taskType(task.kind);
}

/** Numbers a model predicts for one row; see `TaskType.outputs`. */
export function outputCount(task: TaskForm): number {
  return typeOf(task).outputs(task);
}

/** Whether the target is the index of a class, and predictions are probabilities. */
export function hasClasses(task: TaskForm): boolean {
  return typeOf(task).target === "class";
}

/**
 * What is wrong with the members that stand in a request's `task` beside those of every kind: the
 * first that is of another kind; null = nothing.
 *
 * @param given by the names of `TASK_FIELDS`; null and undefined are not given
 */
export function fieldOfAnotherKind(
  kind: string,
  given: Readonly<Record<string, unknown>>,
): { readonly field: string; readonly kinds: readonly string[] } | null {
  // A kind that nobody knows is refused as such.
  const own = BY_KIND.get(kind)?.fields;
  if (!own) return null;
  for (const field of Object.keys(TASK_FIELDS)) {
    if (given[field] == null || field in own) continue;
    return {
      field,
      kinds: TYPES.filter(({ fields }) => field in fields).map((type) => type.kind),
    };
  }
  return null;
}

/** The first member that a kind cannot do without and the request does not give; null = none. */
export function missingField(
  kind: string,
  given: Readonly<Record<string, unknown>>,
): string | null {
  const required = BY_KIND.get(kind)?.framing?.required ?? [];
  return required.find((field) => given[field] == null) ?? null;
}

/** A task as JSON holds it. */
export const taskSchema = z.object({
  kind: z.enum(TASK_KINDS),
  classes: z.array(z.string()),
  quantiles: z.array(z.number()).optional(),
  coverage: z.number().optional(),
});

type Answer = (typeof TYPES)[number]["answer"]["schema"];

/** One prediction over the API, of any kind. */
export const answerSchema: z.ZodUnion<readonly Answer[]> = z.union([
  // The one with the most members first: others would take it for theirs.
  ...new Set<Answer>(TYPES.toReversed().map(({ answer }) => answer.schema)),
]);

/** Predictions of a model for the task, one a row. */
export function answersOf(
  task: Task,
  output: ModelOutput,
): z.infer<(typeof TYPES)[number]["answer"]["schema"]>[] {
  const type = TYPES.find(({ kind }) => kind === task.kind);
  if (!type) throw new RangeError(`There is no task kind ${task.kind}.`);
  return type.answer.of(task, output);
}
