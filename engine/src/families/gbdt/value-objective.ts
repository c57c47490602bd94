/** The parameter `objective` of boosted trees: squared errors, or absolute ones where medians are asked for. */

import { type Parameters, type SearchSpace, SearchSpaceError } from "../../search/space.ts";
import { typeOf } from "../../tasks/index.ts";
import type { DataShape } from "../family.ts";
import { VALUE_OBJECTIVES, type ValueObjective } from "./objective.ts";

export const OBJECTIVE_RANGE = { type: "categorical", choices: [...VALUE_OBJECTIVES] } as const;

/** Searched where medians are asked for alone: trees of all else have one objective. */
export function objectiveSpace({ seeksMedians }: DataShape): SearchSpace {
  return seeksMedians ? { objective: OBJECTIVE_RANGE } : {};
}

export function objectiveDefault({ seeksMedians }: DataShape): {
  readonly objective?: ValueObjective;
} {
  return seeksMedians ? { objective: "squared" } : {};
}

/** Configurations of squared errors before the first of absolute ones (`docs/decisions/model-pipeline.md`). */
const BEFORE = 2;

/** Where medians are asked for, the last of the first configurations comes once more by absolute errors. */
export function withAbsolute(
  { seeksMedians }: DataShape,
  portfolio: readonly Parameters[],
): readonly Parameters[] {
  const repeated = portfolio[BEFORE - 1];
  if (!seeksMedians || repeated === undefined) return portfolio;
  return portfolio.toSpliced(BEFORE, 0, { ...repeated, objective: "absolute" });
}

/** @throws SearchSpaceError where the task's loss is none of values */
export function checkObjective(
  family: string,
  objective: ValueObjective | undefined,
  { task }: Pick<DataShape, "task">,
): void {
  if (objective !== "absolute" || typeOf(task).loss === "squared_error") return;
  throw new SearchSpaceError(
    `${family} parameter "objective" cannot be "absolute" for ${task.kind}, which has a loss of its own; leave it out.`,
    "objective",
  );
}
