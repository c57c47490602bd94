/**
 * Sets of classes: the label that a model gives, and every other class whose probability reaches a
 * threshold, which is set on out-of-fold predictions so that the sets hold the true class as often
 * as asked (the least ambiguous sets of Sadinle, Lei & Wasserman 2019, "Least ambiguous set-valued
 * classifiers with bounded error levels", §2; with a threshold a class, §3).
 *
 * The label is always in, so no set is empty, and the threshold knows it: a row whose label is right
 * counts as held, whatever its probability. Where labels are right more often than the level asks,
 * sets are labels alone and hold more than their level. Nothing is drawn at random, so equal rows
 * have equal sets.
 */

import { distributionOf } from "../residuals/alike.ts";
import type { ScoreDistribution } from "../residuals/score-distribution.ts";
import type { SetPart, UncertaintyCard } from "./document.ts";
import { entryFor, levelsWith } from "./levels.ts";
import { eachPart, groupsOf, type OutOfFold, rowsOfWeight } from "./out-of-fold.ts";

/** Below every −probability: the label is in the set at any threshold. */
const OF_LABEL = -2;

/** How classes are read from probabilities. */
export interface Labelling {
  /** Classes of the task. */
  readonly classes: readonly string[];
  /** Two classes: the probability of the second from which it is the label; null = one half. */
  readonly threshold: number | null;
}

export interface SetOptions extends Labelling {
  readonly coverage: number;
  /** Whether every class is to be held as often as asked, and not only all of them together. */
  readonly byClass: boolean;
}

/** Prediction sets of some rows, at one level of coverage. */
export interface Sets {
  /** The level served: the asked one or the next that is stored. */
  readonly level: number;
  /** Rows × classes, row-major: 1 = in the set. */
  readonly members: Uint8Array;
  /** Whether the rows were too few for the level, so that all sets hold all classes they concern. */
  readonly unlimited: boolean;
}

type Thresholds = readonly (number | null)[];

/** Nonconformity of the true classes, of all rows or a distribution a class. */
class SetScores {
  readonly #scores: readonly ScoreDistribution[];

  constructor(rows: OutOfFold, { classes, threshold, byClass }: SetOptions) {
    const scores = rows.target.map((truth, row) => {
      if (labelOf(rows, row, threshold) === truth) return OF_LABEL;
      return 0 - probabilityOf(rows, row, truth);
    });
    this.#scores = byClass
      ? classes.map((_, k) => {
          const own = rows.target.map((truth, row) =>
            truth === k ? (rows.weights?.[row] ?? 1) : 0,
          );
          return distributionOf(scores, own, rows.groups);
        })
      : [distributionOf(scores, rows.weights, rows.groups)];
  }

  thresholds(level: number): (number | null)[] {
    return this.#scores.map((scores) => {
      const score = scores.quantile(level);
      if (score === OF_LABEL) return null;
      return Number.isFinite(score) ? 0 - score : 0;
    });
  }

  reaches(level: number): boolean {
    return this.#scores.every((scores) => Number.isFinite(scores.quantile(level)));
  }
}

export function fitSets(
  rows: OutOfFold,
  options: SetOptions,
): { readonly part: SetPart; readonly card: UncertaintyCard } {
  const fitted = new SetScores(rows, options);
  const part: SetPart = {
    kind: "set",
    coverage: options.coverage,
    rows: rowsOfWeight(rows),
    ...groupsOf(rows),
    levels: levelsWith(options.coverage).map((level) => ({
      level,
      from: fitted.thresholds(level),
      unlimited: !fitted.reaches(level),
    })),
  };
  return { part, card: measure(rows, options) };
}

/** @param predictions row-major, rows × outputs (see `outputCount`) */
export function setsOf(
  part: SetPart,
  predictions: Float64Array,
  outputs: number,
  { classes, threshold }: Labelling,
  coverage: number = part.coverage,
): Sets {
  const { level, from, unlimited } = entryFor(part.levels, coverage);
  const rows = { predictions, outputs };
  const count = predictions.length / outputs;
  const members = new Uint8Array(count * classes.length);
  for (let row = 0; row < count; row++) {
    mark(members.subarray(row * classes.length, (row + 1) * classes.length), rows, row, {
      from,
      threshold,
    });
  }
  return { level, members, unlimited };
}

function mark(
  set: Uint8Array,
  rows: Pick<OutOfFold, "predictions" | "outputs" | "labels">,
  row: number,
  { from, threshold }: { readonly from: Thresholds; readonly threshold: number | null },
): void {
  for (let k = 0; k < set.length; k++) {
    const least = from.length === 1 ? from[0] : from[k];
    set[k] = least !== null && probabilityOf(rows, row, k) >= least ? 1 : 0;
  }
  set[labelOf(rows, row, threshold)] = 1;
}

/** Sets of each part by what the others say; coverage, size and coverage by class over all. */
function measure(rows: OutOfFold, options: SetOptions): UncertaintyCard {
  const { classes, coverage, threshold } = options;
  const held = new Float64Array(classes.length);
  const seen = new Float64Array(classes.length);
  let size = 0;
  for (const { others, part } of eachPart(rows)) {
    const from = new SetScores(others, options).thresholds(coverage);
    const set = new Uint8Array(classes.length);
    for (let row = 0; row < part.target.length; row++) {
      const weight = part.weights === null ? 1 : part.weights[row];
      if (weight === 0) continue;
      mark(set, part, row, { from, threshold });
      const truth = part.target[row];
      seen[truth] += weight;
      held[truth] += weight * set[truth];
      for (const member of set) size += weight * member;
    }
  }
  const total = seen.reduce((sum, each) => sum + each, 0);
  return {
    kind: "set",
    coverage,
    measured: total > 0 ? held.reduce((sum, each) => sum + each, 0) / total : null,
    meanSize: total > 0 ? size / total : null,
    byClass: Object.fromEntries(
      classes.map((name, k) => [name, seen[k] > 0 ? held[k] / seen[k] : null]),
    ),
    warnings: [],
  };
}

/** Index of the class a row is given; ties go to the later class, as 0.5 goes to the second. */
function labelOf(
  { predictions, outputs, labels }: Pick<OutOfFold, "predictions" | "outputs" | "labels">,
  row: number,
  threshold: number | null,
): number {
  if (labels) return labels[row];
  if (outputs === 1) return predictions[row] >= (threshold ?? 0.5) ? 1 : 0;
  let best = 0;
  for (let k = 1; k < outputs; k++) {
    if (predictions[row * outputs + k] >= predictions[row * outputs + best]) best = k;
  }
  return best;
}

function probabilityOf(
  { predictions, outputs }: Pick<OutOfFold, "predictions" | "outputs">,
  row: number,
  k: number,
): number {
  if (outputs > 1) return predictions[row * outputs + k];
  return k === 1 ? predictions[row] : 1 - predictions[row];
}
