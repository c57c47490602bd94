/**
 * `GET /v1/trainer/options`: which metrics, families and members of `task` fit which kind of task, so
 * that a form, or a program that has no document at hand, asks for what can be trained.
 */

import {
  FAMILIES,
  familiesFor,
  METRICS,
  TASK_KINDS,
  type TaskKind,
  taskType,
} from "@distillery/engine";
import { z } from "zod";
import { runMembers, snakeCase } from "./wire-names.ts";

export const trainerOptionsSchema = z.object({
  task_kinds: z
    .array(
      z.object({
        task_kind: z.enum(TASK_KINDS),
        title: z.string(),
        target: z
          .enum(["value", "class"])
          .describe("What the label holds: a number, or the name of a class."),
        least_classes: z.int().nullable().describe("Of the label; null where it has none."),
        most_classes: z.int().nullable().describe("Of the label; null where it has none."),
        row: z
          .enum(["row", "series", "sequences"])
          .describe(
            "What is predicted: each row of the table, steps to come of series, or a sequence of rows.",
          ),
        fields: z.array(z.string()).describe("Members of `task` that this kind has for itself."),
        required: z.array(z.string()).describe("Members of `task` that it cannot do without."),
        metrics: z.array(z.string()).describe("Those that fit; the first is the default."),
        families: z.array(z.string()).describe("Families that can be trained for it."),
        n_cv_splits: z.int().describe("Folds where a request names no number."),
        teachable: z.boolean().describe("Whether a student can learn it from a teacher."),
      }),
    )
    .describe("The kinds of task there are."),
  metrics: z
    .array(
      z.object({
        metric: z.string(),
        direction: z.enum(["minimize", "maximize"]).describe("Which way is better."),
        needs: z.enum(["value", "probability", "label"]).describe("What it reads of predictions."),
      }),
    )
    .describe("All metrics, by name."),
  families: z
    .array(
      z.object({
        family: z.string(),
        title: z.string(),
        predicts_fast: z.boolean().describe("Whether a prediction costs little."),
        keeps_monotone: z.boolean().describe("Whether it keeps monotone_constraints."),
      }),
    )
    .describe("All families of models, by id."),
  presets: z.array(z.string()).describe("What `preset` may be."),
});

type TrainerOptions = z.infer<typeof trainerOptionsSchema>;

export function trainerOptions(): TrainerOptions {
  return {
    task_kinds: TASK_KINDS.map(optionsOf),
    metrics: METRICS.map(({ name, direction, needs }) => ({ metric: name, direction, needs })),
    families: FAMILIES.map(({ id, title, predictsFast, keepsMonotone }) => ({
      family: id,
      title,
      predicts_fast: predictsFast,
      keeps_monotone: keepsMonotone,
    })),
    presets: [...runMembers.preset.unwrap().options],
  };
}

function optionsOf(kind: TaskKind): TrainerOptions["task_kinds"][number] {
  const { title, target, classCount, framing, fields, metrics, defaultFolds, undistilled } =
    taskType(kind);
  return {
    task_kind: kind,
    title,
    target,
    least_classes: classCount?.least ?? null,
    most_classes: classCount?.most ?? null,
    row: framing?.kind ?? "row",
    fields: Object.keys(fields).map(snakeCase),
    required: (framing?.required ?? []).map(snakeCase),
    metrics: metrics.map(({ name }) => name),
    families: familiesFor(kind).map(({ id }) => id),
    n_cv_splits: defaultFolds,
    teachable: undistilled === null,
  };
}
