/**
 * A portfolio: a short list of configurations, strong and unlike each other, that a search tries
 * first (Feurer, Eggensperger, Falkner, Lindauer, Hutter, "Auto-sklearn 2.0", JMLR 23, 2022, §3.1;
 * Salinas, Erickson, "TabRepo", AutoML 2024). Each family keeps its own in `portfolio.json`, which
 * `bench/src/portfolio/` finds; its README says how.
 */

import { z } from "zod";
import { parameterValueSchema } from "../search/parameter-value.ts";
import type { Parameters, ParameterValue, SearchSpace } from "../search/space.ts";
import { TASK_KINDS, type TaskKind } from "../tasks/index.ts";
import type { DataShape } from "./family.ts";

const entrySchema = z.strictObject({
  /** Values as they are. */
  set: z.record(z.string(), parameterValueSchema),
  /** Factors on the defaults of parameters whose good values follow the shape of the data. */
  times: z.record(z.string(), z.number().positive()),
});

/** By the kind of task; a kind that nobody has searched for yet may be absent. */
export const portfolioSchema = z.partialRecord(z.enum(TASK_KINDS), z.array(entrySchema));

export type PortfolioEntry = z.output<typeof entrySchema>;
export type Portfolio = Readonly<Partial<Record<TaskKind, readonly PortfolioEntry[]>>>;

/**
 * An entry as parameters of a fit: over the defaults, whole numbers where those are asked for, and products no
 * further than what is legal (a factor that suits many columns takes a share of few beyond 1).
 */
export function applyEntry(
  { set, times }: PortfolioEntry,
  defaults: Parameters,
  legal: SearchSpace,
): Parameters {
  const scaled: Record<string, ParameterValue> = {};
  for (const [name, factor] of Object.entries(times)) {
    const value = defaults[name];
    if (typeof value !== "number") {
      throw new TypeError(`The portfolio scales "${name}", whose default is not a number.`);
    }
    scaled[name] = asLegal(value * factor, legal[name]);
  }
  return { ...defaults, ...set, ...scaled };
}

function asLegal(value: number, range: SearchSpace[string] | undefined): number {
  if (range === undefined || range.type === "categorical") return value;
  const inRange = Math.min(range.high, Math.max(range.low, value));
  return range.type === "int" ? Math.round(inRange) : inRange;
}

/** The defaults, then every entry for the task, as parameters of a fit. */
export function portfolioOf(
  portfolio: Portfolio,
  { task }: DataShape,
  defaults: Parameters,
  legal: SearchSpace,
): readonly Parameters[] {
  const entries = portfolio[task.kind] ?? [];
  return [defaults, ...entries.map((entry) => applyEntry(entry, defaults, legal))];
}
