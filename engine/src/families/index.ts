/** The families there are. This is the only place that lists them. */

import { type TaskKind, taskType } from "../tasks/index.ts";
import { extraTrees } from "./extra_trees/family.ts";
import type { Family } from "./family.ts";
import { gbdt } from "./gbdt/family.ts";
import { linear } from "./linear/family.ts";
import { randomForest } from "./random_forest/family.ts";

export const FAMILIES: readonly Family[] = [gbdt, randomForest, extraTrees, linear];

/** What any model is expected to beat. */
export const BASELINE_FAMILY: Family = linear;

export { familyForLibrary, familyIdOf } from "./aliases.ts";

/** Families of the contract that are not built yet; asking for one is a clear error. */
export const PLANNED_FAMILIES: readonly string[] = [
  "knn",
  "mlp",
  "tabm",
  "seasonal_naive",
  "theta",
  "ets",
  "arima",
  "croston",
  "lag_gbdt",
  "dlinear",
  "minirocket",
  "multirocket",
  "interval_gbdt",
  "tcn",
];

export function familyById(id: string): Family | undefined {
  return FAMILIES.find((family) => family.id === id);
}

export function serves(family: Family, task: TaskKind): boolean {
  return family.losses.includes(taskType(task).loss);
}

export function familiesFor(task: TaskKind): readonly Family[] {
  return FAMILIES.filter((family) => serves(family, task));
}
