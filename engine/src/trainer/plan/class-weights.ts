/**
 * Class weights: they multiply the weights of the rows that are learned from, and nothing else;
 * metrics, selection and what is fitted on out-of-fold predictions see the rows' own weights.
 *
 * `balanced` gives each class the same total, after King & Zeng, "Logistic regression in rare
 * events data", Political Analysis 9, 2001: total / (classes × total of the class).
 */

import { placeOfClass } from "../../tasks/class-names.ts";
import { hasClasses, type Task, typeOf } from "../../tasks/index.ts";
import type { ClassWeight, RunConfig } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";
import { type PreparedRun, sharedCopy } from "./prepared.ts";

/** @throws ConfigError for a class that the label does not have, or weights that leave one class */
export function checkClassWeight({ classWeight }: RunConfig, task: Task): void {
  if (classWeight == null) return;
  const known = task.classes.map((name) => `'${name}'`).join(", ");
  if (!hasClasses(task)) {
    throw new ConfigError(
      ["classWeight"],
      `${typeOf(task).title} has no classes to weight; use a weight column.`,
    );
  }
  if (classWeight === "balanced") return;
  for (const name of Object.keys(classWeight)) {
    if (placeOfClass(task.classes, name) < 0) {
      throw new ConfigError(
        ["classWeight", name],
        `The label has no class '${name}'; its classes are ${known}.`,
      );
    }
  }
  const places = Object.keys(classWeight).map((name) => placeOfClass(task.classes, name));
  const again = places.findIndex((place, index) => places.indexOf(place) !== index);
  if (again >= 0) {
    const name = Object.keys(classWeight)[again];
    throw new ConfigError(
      ["classWeight", name],
      `The class '${task.classes[places[again]]}' is named twice, here as '${name}'.`,
    );
  }
  const positive = task.classes.filter((_, place) => weightOf(classWeight, task, place) > 0);
  if (positive.length < 2) {
    throw new ConfigError(
      ["classWeight"],
      "At least two classes need a weight above 0: there is nothing to tell apart otherwise.",
    );
  }
}

function weightOf(weights: Readonly<Record<string, number>>, task: Task, place: number): number {
  const own = task.classes[place];
  if (Object.hasOwn(weights, own)) return weights[own];
  const name = Object.keys(weights).find((each) => placeOfClass(task.classes, each) === place);
  return name === undefined ? 1 : weights[name];
}

/**
 * The factor of each class, in the order of `task.classes`.
 *
 * @param target index of the class, one a row
 * @param weights of the rows; null = all 1
 */
export function classFactors(
  classWeight: ClassWeight,
  task: Task,
  target: Float64Array,
  weights: Float64Array | null,
): number[] {
  if (classWeight !== "balanced") {
    return task.classes.map((_, place) => weightOf(classWeight, task, place));
  }
  const totals = new Array<number>(task.classes.length).fill(0);
  let total = 0;
  for (const [row, place] of target.entries()) {
    const weight = weights?.[row] ?? 1;
    totals[place] += weight;
    total += weight;
  }
  // A class whose rows all weigh nothing stays out whatever its factor is.
  const present = totals.filter((sum) => sum > 0).length;
  return totals.map((sum) => (sum > 0 ? total / (present * sum) : 1));
}

/** The run with its fits' weights multiplied by those of the classes. */
export function weighClasses(run: PreparedRun, { classWeight }: RunConfig): PreparedRun {
  if (classWeight == null) return run;
  const { task, target, weights, plan } = run;
  const factors = classFactors(
    classWeight,
    task,
    target.subarray(0, plan.rows),
    weights?.subarray(0, plan.rows) ?? null,
  );
  const fitWeights = target.map((place, row) => (weights?.[row] ?? 1) * factors[place]);
  return { ...run, fitWeights: sharedCopy(fitWeights) };
}
