/**
 * One explanation of a whole model, per column of the input.
 *
 * A model averages its members' calibrated values or probabilities, or adds up their margins under a
 * stacking layer. Each member's contributions are carried to what is added up (see
 * `carried-explanation.ts`), so their weighted sum explains the model that predicts, and no other. A
 * member by itself stays in its own margin space, where TreeSHAP is exact, unless isotonic curves,
 * which know no margins, lie behind it.
 */

import type { Feature } from "../data/encoded.ts";
import { type Calibration, calibrate, curveAt } from "../ensemble/calibration/calibration.ts";
import type { CombinationLayer } from "../ensemble/combiner.ts";
import { clippedProbability, logistic, logOdds } from "../ensemble/margins.ts";
import type { Explanation, MarginSpace } from "../families/family.ts";
import { hasClasses, type Task, typeOf } from "../tasks/index.ts";
import { carryThrough, carryThroughShares, toProbability } from "./carried-explanation.ts";

/** What each column adds to the predictions of some rows. */
export interface BlendExplanation {
  /** `probability` where members of several margins were carried into probabilities. */
  readonly space: MarginSpace | "probability";
  readonly columns: readonly string[];
  /** One an output. */
  readonly baseValues: readonly number[];
  /** Rows × outputs: what base and contributions add up to. */
  readonly predictions: readonly (readonly number[])[];
  /** Rows × outputs × columns. */
  readonly contributions: readonly (readonly Float64Array[])[];
}

export interface ExplainedMember {
  readonly weight: number;
  /** Of forecasts, one a row, where series have weights of their own; null: `weight`. */
  readonly rowWeights?: Float64Array | null;
  readonly calibration: Calibration | null;
  readonly explanation: Explanation;
}

/** What the members' contributions are carried to before they are added up. */
type Aim = "own" | "probability" | "margin";

/**
 * @param members one by one, so that no more than one explanation is held beside the sum
 * @param alone whether there is one member only
 * @param layer null: members are averaged as they are
 */
export function explainBlend(
  task: Task,
  features: readonly Feature[],
  members: Iterable<ExplainedMember>,
  alone: boolean,
  layer: CombinationLayer | null,
): BlendExplanation {
  const columns = [...new Set(features.map((feature) => feature.column))];
  const columnOf = features.map((feature) => columns.indexOf(feature.column));
  const baseValues: number[] = [...(layer?.intercepts ?? [])];
  const predictions: number[][] = [];
  const contributions: Float64Array[][] = [];
  let space: BlendExplanation["space"] = "identity";
  for (const member of members) {
    const aim = aimOf(task, member, alone, layer);
    space = spaceOf(task, member, aim);
    const carried = carry(task, member, aim, features.length);
    const { weight, rowWeights } = member;
    const outputs = carried.baseValues.length;
    for (let k = 0; k < outputs; k++) {
      baseValues[k] = (baseValues[k] ?? 0) + weight * carried.baseValues[k];
    }
    for (let row = 0; row < carried.margins.length / outputs; row++) {
      predictions[row] ??= Array.from({ length: outputs }, (_, k) => layer?.intercepts[k] ?? 0);
      contributions[row] ??= Array.from(
        { length: outputs },
        () => new Float64Array(columns.length),
      );
      for (let k = 0; k < outputs; k++) {
        const own = rowWeights?.[row] ?? weight;
        predictions[row][k] += own * carried.margins[row * outputs + k];
        const sums = contributions[row][k];
        for (let f = 0; f < features.length; f++) {
          const at = (row * features.length + f) * outputs + k;
          sums[columnOf[f]] += own * carried.contributions[at];
        }
        // There is one base value for all rows: what the series' weights move it by is of the series itself.
        if (rowWeights) {
          sums[columnOf[features.length - 1]] += (own - weight) * carried.baseValues[k];
        }
      }
    }
  }
  return { space, columns, baseValues, predictions, contributions };
}

function aimOf(
  task: Task,
  { calibration, explanation }: ExplainedMember,
  alone: boolean,
  layer: CombinationLayer | null,
): Aim {
  if (!hasClasses(task)) return "own";
  if (layer !== null) return "margin";
  if (!alone) return "probability";
  if (calibration === null) return "own";
  return calibration.kind === "temperature" && explanation.space === "logit"
    ? "margin"
    : "probability";
}

function spaceOf(
  task: Task,
  { explanation }: ExplainedMember,
  aim: Aim,
): BlendExplanation["space"] {
  if (aim === "own") return explanation.space;
  if (aim === "probability") return "probability";
  return typeOf(task).link;
}

/** The member's explanation as contributions to what the model adds up. */
function carry(
  task: Task,
  { calibration, explanation }: ExplainedMember,
  aim: Aim,
  features: number,
): Explanation {
  if (aim === "own") return explanation;
  if (typeOf(task).link === "logit")
    return carryTwoClasses(explanation, calibration, aim, features);
  const probability = toProbability(explanation, features);
  const calibrated = calibration
    ? carryThroughShares(
        carryThrough(probability, features, (p, k) => uncoupled(calibration, p, k)),
        features,
      )
    : probability;
  return aim === "margin"
    ? carryThrough(calibrated, features, (p) => Math.log(clippedProbability(p)))
    : calibrated;
}

/** With one output all steps are one function of the margin, and carrying through it is exact. */
function carryTwoClasses(
  explanation: Explanation,
  calibration: Calibration | null,
  aim: Aim,
  features: number,
): Explanation {
  const one = new Float64Array(1);
  return carryThrough(explanation, features, (value) => {
    one[0] = explanation.space === "identity" ? value : logistic(value);
    const probability = calibration ? calibrate(calibration, one, 1)[0] : one[0];
    return aim === "margin" ? logOdds(probability) : probability;
  });
}

/** What calibration makes of a class's probability before the classes are made to sum to 1. */
function uncoupled(calibration: Calibration, probability: number, output: number): number {
  return calibration.kind === "temperature"
    ? clippedProbability(probability) ** calibration.scale
    : curveAt(calibration.curves[output], probability);
}
