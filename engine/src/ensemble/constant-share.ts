/**
 * A share of a constant answer (the mean, the classes' shares) in a model that hardly does better than it:
 * margins are drawn towards the constant's, as far as rows say that neither was fitted on (shrinkage to the
 * mean; Copas, "Regression, prediction and shrinkage", J. R. Stat. Soc. B 45(3), 1983).
 */

import { rowNumbers } from "../compute/row-lists.ts";
import { type Metric, toLoss } from "../metrics/index.ts";
import { hasClasses, type Task, typeOf } from "../tasks/index.ts";
import {
  type CrossFit,
  type LabelledRows,
  pickPredictions,
  pickRows,
  placePredictions,
} from "./labelled-rows.ts";
import { marginsOf, probabilitiesOf } from "./margins.ts";
import { shownScore } from "./shown-loss.ts";

/** Of the constant; with the highest, what is left of a model moves its answers by a trifle. */
const SHARES = [0.5, 0.75, 0.95];
/** Of the constant's loss, by which a model is better that is left as it is. */
const SKILL = 0.05;
/** Of a model's loss, by which one with a share is to be better. */
const LEAST_GAIN = 0.001;

export interface ConstantShareRequest {
  readonly task: Task;
  readonly rows: LabelledRows;
  readonly folds: readonly CrossFit[];
  readonly metric: Metric;
  /** Of each row the model's values or probabilities, by what was fitted without it; row-major. */
  readonly crossFitted: Float64Array;
  /** Likewise what a layer of the same weights adds up; values where there are no classes. Asked where a share is tried. */
  readonly margins: () => Float64Array;
}

export interface FittedConstantShare {
  /** Of the constant; 0: none. */
  readonly share: number;
  /** Of the constant, one an output. */
  readonly margins: Float64Array;
  /** Of each row by what was fitted, and chosen, without it. */
  readonly crossFitted: Float64Array;
  readonly note: string;
}

/**
 * Null for a model that does better than any constant, by the metric or by its labels, or where a constant has no
 * score.
 */
export function fitConstantShare(request: ConstantShareRequest): FittedConstantShare | null {
  const { task, rows, folds, metric, crossFitted } = request;
  const { outputs, target, weights } = rows;
  const isClass = hasClasses(task);
  const inMargins = (values: Float64Array): Float64Array =>
    isClass ? marginsOf(values, outputs) : values;
  const inAnswers = (margins: Float64Array): Float64Array =>
    isClass ? probabilitiesOf(margins, outputs) : margins;
  const crossFit = (of: (fold: CrossFit) => Float64Array): Float64Array => {
    const all = new Float64Array(target.length * outputs);
    for (const fold of folds) placePredictions(of(fold), outputs, fold.apply, all);
    return all;
  };
  const lossOn = (values: Float64Array, known: Uint32Array | null): number => {
    const scored = known ? pickRows(rows, known) : rows;
    const predictions = known ? pickPredictions(values, outputs, known) : values;
    return toLoss(metric, metric.score({ ...scored, predictions }));
  };
  const constants = typeOf(task).constants(task, { target, weights });
  const before = lossOn(crossFitted, null);
  const answers = constants.map((constant) =>
    crossFit(({ fit, apply }) => {
      const answer = inAnswers(inMargins(constant.of(fit)));
      return new Float64Array(apply.length * outputs).map((_, i) => answer[i % outputs]);
    }),
  );
  const alone = answers.map((values) => lossOn(values, null));
  const least = Math.min(...alone);
  if (!Number.isFinite(least) || !(before > least - SKILL * Math.abs(least))) return null;
  // Of few rows some that are wrong and sure cost more log-loss than many right ones bring: such a model knows
  // something, and drawn to the constant it would say the commonest class.
  if (isClass && tellsMore(crossFitted, answers[alone.indexOf(least)], rows)) return null;
  const margins = request.margins();
  const drawn = (known: Uint32Array, apply: Uint32Array, option: Option): Float64Array => {
    const own = inMargins(option.constant.of(known));
    const mixed = pickPredictions(margins, outputs, apply).map(
      (margin, i) => (1 - option.share) * margin + option.share * own[i % outputs],
    );
    return inAnswers(mixed);
  };
  const options = constants.flatMap((constant) => SHARES.map((share) => ({ constant, share })));
  const tried = options.map((option) => ({
    option,
    values: crossFit(({ fit, apply }) => drawn(fit, apply, option)),
  }));
  /** Null: the model as it is. */
  const bestOn = (known: Uint32Array | null): (typeof tried)[number] | null => {
    const plain = lossOn(crossFitted, known);
    let best: (typeof tried)[number] | null = null;
    let lowest = plain - LEAST_GAIN * Math.abs(plain);
    for (const each of tried) {
      const loss = lossOn(each.values, known);
      if (loss < lowest) [best, lowest] = [each, loss];
    }
    return best;
  };
  const chosen = bestOn(null);
  const reported = crossFit(({ fit, apply }) =>
    pickPredictions(bestOn(fit)?.values ?? crossFitted, outputs, apply),
  );
  const shown = (loss: number): string => shownScore(metric, loss);
  if (chosen === null) {
    const margin = new Float64Array(outputs);
    const note = `The model hardly does better than ${constants[0].nameFor(metric)}, and is left as it is: drawn towards it, it would be no better on rows that neither was fitted on.`;
    return { share: 0, margins: margin, crossFitted: reported, note };
  }
  const { constant, share } = chosen.option;
  const all = rowNumbers(target.length);
  return {
    share,
    margins: inMargins(constant.of(all)),
    crossFitted: reported,
    note: `The model hardly does better than ${constant.nameFor(metric)}, so ${100 * share} % of its answers is that: with that share on all rows ${metric.name} would be ${shown(lossOn(chosen.values, null))}, without it ${shown(before)}. The share was chosen by these very rows, which flatters it; the score of the model is of shares that were chosen without the rows they are scored on, and may be worse than either.`,
  };
}

/** Whether labels are right in more rows than the other ones', by more than a standard error, row by row. */
function tellsMore(values: Float64Array, others: Float64Array, rows: LabelledRows): boolean {
  const { target, weights, outputs } = rows;
  const isRight = (from: Float64Array, row: number): number =>
    Number(labelAt(from, outputs, row) === target[row]);
  let [sum, squares] = [0, 0];
  for (let row = 0; row < target.length; row++) {
    const gain = (weights?.[row] ?? 1) * (isRight(values, row) - isRight(others, row));
    sum += gain;
    squares += gain * gain;
  }
  return sum > Math.sqrt(squares);
}

/** The most probable class. */
function labelAt(values: Float64Array, outputs: number, row: number): number {
  if (outputs === 1) return Number(values[row] >= 0.5);
  let best = 0;
  for (let k = 1; k < outputs; k++) {
    if (values[row * outputs + k] > values[row * outputs + best]) best = k;
  }
  return best;
}

interface Option {
  readonly constant: ReturnType<ReturnType<typeof typeOf>["constants"]>[number];
  readonly share: number;
}
