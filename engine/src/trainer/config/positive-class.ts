/** The positive class of two: that it is one of the label's, and told where scores are of the other than one would think. */

import { shown } from "../../data/shown.ts";
import { placeOfClass } from "../../tasks/class-names.ts";
import { metricOf } from "../../tasks/fitting-metrics.ts";
import { type Task, typeOf } from "../../tasks/index.ts";
import type { RunConfig } from "./config.ts";
import { ConfigError } from "./errors.ts";

/** A share of the rows from which on a class is hardly what is looked for. */
const MAJORITY = 0.6;

/** @throws ConfigError for one that the label does not have */
export function checkPositiveClass({ task: asked }: RunConfig, { classes }: Task): void {
  const name = asked.positiveClass;
  if (name == null || placeOfClass(classes, name) >= 0) return;
  throw new ConfigError(
    ["task", "positiveClass"],
    `The label has no class ${shown(name)}; its classes are ${classes.map(shown).join(" and ")}.`,
  );
}

/**
 * Of a class that nobody named, and most rows are of: always answering it has high scores.
 *
 * @param metrics that the run is asked for
 * @param target index of the class, one a row
 */
export function positiveClassWarnings(
  { task: asked, metrics: named }: RunConfig,
  task: Task,
  metrics: readonly string[],
  target: Float64Array,
): string[] {
  if (asked.positiveClass != null || named == null || typeOf(task).decision !== "threshold") {
    return [];
  }
  const ofClass = metrics.filter((name) => metricOf(task, name).ofPositiveClass);
  const share = target.reduce((sum, place) => sum + place, 0) / target.length;
  if (ofClass.length === 0 || share < MAJORITY) return [];
  const [other, positive] = task.classes.map(shown);
  return [
    `${ofClass.join(" and ")} ${ofClass.length === 1 ? "is" : "are"} of ${positive}, the second of the classes by its name and that of ${(100 * share).toFixed(1)} % of the rows: answering it always has an f1 of ${((2 * share) / (1 + share)).toFixed(3)}. If ${other} is what is looked for, name it as the \`positiveClass\`.`,
  ];
}
