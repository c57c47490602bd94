/** Checking what a sweep over metric weights is asked for, before the first trial. */

import { divisionsOf, latticeSize } from "../../pareto/index.ts";
import type { RunConfig } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";
import type { SweepPlan } from "../log/events.ts";

/** More weights than this lead to hardly any further model. */
const MOST_WEIGHTS = 2000;

/** Null without a sweep. @throws ConfigError */
export function planSweep(
  { gridSize }: Pick<RunConfig, "gridSize">,
  metrics: readonly string[],
): SweepPlan | null {
  if (gridSize == null) return null;
  if (metrics.length < 2) {
    throw new ConfigError(
      ["gridSize"],
      `A grid of weights needs at least two metrics to weigh, and this run has ${metrics[0]} alone: name more metrics, or leave the grid out.`,
    );
  }
  for (const [index, name] of metrics.entries()) {
    if (metrics.indexOf(name) < index) {
      throw new ConfigError(
        ["metrics", index],
        `${name} is named twice; a sweep weighs each metric once.`,
      );
    }
  }
  const divisions = divisionsOf(gridSize);
  const weights = latticeSize(metrics.length, divisions);
  if (weights > MOST_WEIGHTS) {
    let most = 1;
    while (latticeSize(metrics.length, most + 1) <= MOST_WEIGHTS) most++;
    throw new ConfigError(
      ["gridSize"],
      `${divisions} divisions of ${metrics.length} metrics are ${weights} weights, and a sweep has at most ${MOST_WEIGHTS}: take at most ${most} divisions (a step of at least ${(1 / most).toPrecision(2)}).`,
    );
  }
  return { divisions, weights };
}
