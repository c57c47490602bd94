import { deriveKey } from "../../compute/random.ts";
import type { Study } from "../../search/study/study.ts";
import { type ParameterImportance, parameterImportance } from "../fanova/parameter-importance.ts";

/**
 * Which parameters of a study made its trials better or worse: the share of the variance of the finished trials' ranks
 * that each explains alone, by a functional ANOVA (Hutter, Hoos & Leyton-Brown, ICML 2014). Of several directions by
 * the first.
 *
 * @returns null with fewer than ten finished trials
 */
export function studyImportance(study: Study): ParameterImportance | null {
  const { options, trials } = study.toJSON();
  const sign = options.directions?.[0] === "maximize" ? -1 : 1;
  const observed = trials.flatMap(({ parameters, values }) =>
    values ? [{ parameters, loss: sign * values[0] }] : [],
  );
  return parameterImportance(
    options.space,
    observed,
    deriveKey(options.seed ?? 0, "study-importance"),
  );
}
