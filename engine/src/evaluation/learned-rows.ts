/**
 * Whether rows are those that a model learned: scores on them are better than on new ones.
 *
 * Those whose hashes lie below the largest of the model's sketch (`model/row-sketch.ts`) are a random sample of the
 * rows, and of each it is known whether it was learned. Rows repeat by chance too. How likely a new row is one
 * that occurred once is estimated from the rows that occurred twice: 2 f₂ / n (Good, "The population
 * frequencies of species and the estimation of population parameters", Biometrika 1953). Rows that occurred
 * more often are no sign: what is common is met again, the more so in a part of the data where it is commoner.
 */

import { RowHashes } from "../data/row-hashes.ts";
import { shown } from "../data/shown.ts";
import type { Table } from "../data/table.ts";
import { wilson } from "../metrics/wilson.ts";
import type { ModelDocument } from "../model/document.ts";
import type { RowSketch } from "../model/row-sketch.ts";
import type { StepsOfRows } from "../tasks/framing.ts";
import { takeGroups } from "../tasks/grouped-rows.ts";
import { hashedColumns } from "../trainer/plan/learned-rows.ts";
import type { LabelledRows } from "./labelled-rows.ts";

/** Shares below are no news, whatever they come of. */
const LEAST_SHARE = 0.02;
/** What chance may explain with a probability that is lower is not left to it. */
const CHANCE = 0.001;
/** Standard deviations of the normal distribution that chance leaves on both sides together. */
const Z_OF_CHANCE = 3.2905267314919255;

/** Rows with a label, as models are asked for them. */
export interface AskedRows {
  readonly table: Table;
  /** Of rows that are sequences: their steps in the table; else null. */
  readonly steps: StepsOfRows | null;
  readonly labels: LabelledRows;
}

export interface FoundRows {
  /** That are sampled: of them it is known whether they were learned. */
  readonly sampled: number;
  /** Of them, those that were. */
  readonly learned: number;
  /** Whether all rows are sampled. */
  readonly isAll: boolean;
  /** Whether more were learned than rows that repeat by chance explain. */
  readonly isMore: boolean;
}

/** The hashes of labelled rows as those of the model's own were made. */
export function hashesOfAsked(
  { columns, labelColumn, task }: Pick<ModelDocument, "columns" | "labelColumn" | "task">,
  { leftOut }: RowSketch,
  { table, steps, labels }: AskedRows,
): RowHashes {
  const without = new Set([...leftOut, ...(steps ? [steps.id] : [])]);
  const own = hashedColumns(table, columns, without);
  const hashes = steps
    ? RowHashes.ofSteps(own, takeGroups(steps, labels.rows))
    : new RowHashes(labels.rows, labels.rows.length);
  if (!steps) for (const column of own) hashes.add(column);
  hashes.addLabel(labelColumn, labels.target, task.classes);
  return hashes;
}

export function findLearned(sketch: RowSketch, { high, low }: RowHashes): FoundRows {
  const last = sketch.high.length - 1;
  const isAll = sketch.distinct === sketch.high.length;
  const isSampled = (row: number): boolean =>
    isAll || (high[row] - sketch.high[last] || low[row] - sketch.low[last]) < 0;
  const metOnce = new Uint8Array(sketch.once.length);
  let [sampled, learned] = [0, 0];
  for (let row = 0; row < high.length; row++) {
    if (!isSampled(row)) continue;
    sampled++;
    const place = placeOf(sketch, high[row], low[row]);
    if (place === null) continue;
    learned++;
    metOnce[place] = sketch.once[place];
  }
  const share = isAll ? 1 : (sketch.high[last] + sketch.low[last] / 2 ** 32) / 2 ** 32;
  const chance = Math.min(1, 2 * wilson(sketch.twice / sketch.rows, sketch.rows, Z_OF_CHANCE).high);
  // Rows that are equal are counted once, which chance alone makes no more of them.
  const met = metOnce.reduce((sum, is) => sum + is, 0);
  const isMore =
    learned >= LEAST_SHARE * sampled && tailBound(met, high.length, share * chance) < CHANCE;
  return { sampled, learned, isAll, isMore };
}

/** Of a hash in the sketch; null where it is not there. */
function placeOf(sketch: RowSketch, high: number, low: number): number | null {
  let [from, to] = [0, sketch.high.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const before = sketch.high[middle] - high || sketch.low[middle] - low;
    if (before === 0) return middle;
    if (before < 0) from = middle + 1;
    else to = middle;
  }
  return null;
}

/**
 * No less than the probability that of `trials` with the probability `chance` each `successes` or more
 * succeed (Hoeffding, "Probability inequalities for sums of bounded random variables", JASA 1963, (2.1)).
 */
export function tailBound(successes: number, trials: number, chance: number): number {
  const share = successes / trials;
  if (share <= chance) return 1;
  const rest = share < 1 ? (1 - share) * Math.log((1 - share) / (1 - chance)) : 0;
  return Math.exp(-trials * (share * Math.log(share / chance) + rest));
}

/** @param called what the model is called beside others; null: it is the only one */
export function learnedWarnings(
  { sampled, learned, isAll, isMore }: FoundRows,
  rows: number,
  called: string | null,
): string[] {
  if (!isMore) return [];
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  const { low, high } = wilson(learned / sampled, sampled);
  const which = isAll
    ? `${learned} of the ${rows} rows equal`
    : `About ${percent(learned / sampled)} of the rows (between ${percent(low)} and ${percent(high)}, by ${sampled} of ${rows} rows drawn at random) equal`;
  return [
    `${which} a row that the model${called === null ? "" : ` ${shown(called)}`} learned from, in every column that it reads and in the label, more than repeat by chance: it does worse on new rows. Evaluate it on rows that were kept back from its training.`,
  ];
}
