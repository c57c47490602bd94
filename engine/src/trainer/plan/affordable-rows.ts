/**
 * How many rows a run may learn from, where its time budget is short for all of them: what every
 * row costs after it has been read, from encoding it to the interval around its prediction, must
 * leave time for a search. Prices are those of one core; contention makes them dearer.
 */

import {
  CELL_SECONDS as ROUND_CELL_SECONDS,
  roundSeconds,
} from "../../families/gbdt/round-seconds.ts";
import { spansFewer } from "../../families/linear/solvers/row-space.ts";

/** Of the time that is left after reading, for what every row costs once. */
const SHARE = 0.5;
/** Selecting, calibrating, scoring and conformal quantiles: seconds a row and output. */
const FINISH_SECONDS = 1.2e-5;
/** Wide outputs cost less than their number. */
const OUTPUT_SHARE = 0.2;
/** Planning, binning and laying out: seconds a cell. */
const CELL_SECONDS = 3e-7;
/**
 * A linear model: seconds a cell that is looked at for its transform and one of the design (of several classes
 * for each of them), a row and pair of columns that are multiplied, and three columns that are factored; of several
 * classes these are inverted as well, up to so many columns.
 */
const LINEAR_SECONDS = {
  cell: 8e-8,
  design: 2e-8,
  ofClass: 1e-7,
  pair: 1.75e-10,
  triple: 2e-10,
  inverted: { triple: 7e-10, most: 1000 },
};
/**
 * Of several classes the solver can be ended after any step: with that share of those that it takes in all, what is
 * missing is mostly the size of the margins. So it learns from as many rows of each class, if it comes so far with
 * them; and from no fewer than the least.
 */
const OF_CLASSES = { steps: 0.11, rows: 100, least: 10 };
/** Rows that quantiles of a column are taken from. */
const LOOKED_AT_ROWS = 20_000;
/** Rounds that the first fits should have, and those that they cannot do without. */
const ROUNDS = 40;
const LEAST_ROUNDS = 3;
/**
 * A linear model that does not end goes on with a quarter of its rows, twice at most here, and of no fewer than so many:
 * a few rounds of boosting hardly leave the constant, and say less than it does of those. Fewer than `few` rounds say
 * less than it does of any.
 */
const HELD = { share: 1 / 16, rows: 2000, few: 25 };
/** Of the time of a first trial: a linear model that takes less leads where boosting would be cut at all. */
const CHEAP = 0.25;
/** Rounds from which boosting is usually as good as a linear model. */
const GOOD_ROUNDS = 200;
/** Rather fewer rounds than fewer rows than this. */
const ENOUGH_ROWS = 20_000;
/** Fewer say nothing, whatever the time. */
const LEAST_ROWS = 500;

/** Planning and describing a column for the report: seconds, however many rows there are. */
const COLUMN_SECONDS = 3e-3;
/** Finding the words of a text: seconds a character. */
const CHARACTER_SECONDS = 1.7e-7;

export interface RowPrices {
  readonly rows: number;
  /** Of features. */
  readonly columns: number;
  /** Classes of more than two, else 1. */
  readonly outputs: number;
  readonly folds: number;
  readonly threads: number;
  readonly contention: number;
  /** Left of the budget. */
  readonly seconds: number;
}

/**
 * @param prices with the `characters` of a row's texts
 * @returns at most `rows`; at least 500, or all
 */
export function affordableRows(prices: RowPrices & { readonly characters: number }): number {
  const { rows, seconds, contention } = prices;
  const time = SHARE * Math.max(0, seconds / contention - COLUMN_SECONDS * prices.columns);
  const wanted = Math.floor(time / secondsARow(prices, ROUNDS));
  const possible = Math.floor(time / secondsARow(prices, LEAST_ROUNDS));
  const allowed = Math.max(wanted, Math.min(ENOUGH_ROWS, possible), LEAST_ROWS);
  return Math.min(rows, allowed);
}

/**
 * Where a first trial of boosting would be cut to few rounds if it is to leave time for others, and a linear model would
 * come to its end, if of a part of the rows, that one is to come first, so that there is a good model whatever
 * happens.
 *
 * @param prices with the `seconds` that one trial may have, and the columns of the linear `design`
 * @returns the rows that it begins with; null where boosting leads
 */
export function rowsOfLeadingLinear(
  prices: RowPrices & { readonly design: number },
): number | null {
  const { rows, columns, outputs, seconds } = prices;
  const wide = wideness(prices);
  const takes = (own: number, ofSteps?: number): number =>
    linearTrialSeconds({ ...prices, rows: own }, ofSteps);
  const roundsOf = (column: number): number => seconds / (wide * column * columns * outputs);
  const leadsCheaply = roundsOf(roundSeconds(rows)) < GOOD_ROUNDS && takes(rows) < CHEAP * seconds;
  if (leadsCheaply) return rows;
  const rounds = roundsOf(ROUND_CELL_SECONDS * rows);
  if (rounds >= GOOD_ROUNDS) return null;
  const isFew = rounds < HELD.few;
  const least = isFew ? LEAST_ROWS : HELD.rows;
  const shortened = (from: number, to: number, ofSteps?: number): number => {
    let begun = from;
    while (begun > to && takes(begun, ofSteps) > seconds) begun = Math.ceil(begun / 2);
    return Math.min(from, Math.max(begun, to));
  };
  if (outputs > 1) {
    const { steps, rows: ofClass, least: leastOfClass } = OF_CLASSES;
    const enough = shortened(rows, Math.max(HELD.rows, ofClass * outputs));
    const begun = shortened(enough, Math.max(least, leastOfClass * outputs), steps);
    return takes(begun, steps) > seconds ? null : begun;
  }
  const held = Math.min(rows, isFew ? least : Math.max(HELD.share * rows, least));
  return takes(held) > seconds ? null : shortened(rows, least);
}

/** Seconds of a linear model in every fold, of the columns of its `design`; `ofSteps` as for one of them. */
export function linearTrialSeconds(
  prices: RowPrices & { readonly design: number },
  ofSteps = 1,
): number {
  return wideness(prices) * linearSeconds(prices, ofSteps);
}

/** Seconds that one in each fold comes to. */
function wideness({ folds, threads, contention }: RowPrices): number {
  return Math.max(1, folds / threads) * contention;
}

/** Of a fit; `ofSteps`: of its steps, where it can be ended after any. Where columns are more than rows, those of rows are multiplied with each other. */
function linearSeconds(
  {
    rows,
    columns,
    outputs,
    design,
  }: Pick<RowPrices, "rows" | "columns" | "outputs"> & { readonly design: number },
  ofSteps: number,
): number {
  const { cell, design: ofDesign, ofClass, pair, triple, inverted } = LINEAR_SECONDS;
  const looked = cell * Math.min(rows, LOOKED_AT_ROWS) * columns;
  const [long, short] = [Math.max(rows, design), Math.min(rows, design)];
  const solved = spansFewer(rows, design) ? rows : design;
  const stepped = outputs > 1 ? ofSteps * ofClass * outputs * rows * solved : 0;
  const made = rows * design * ofDesign + stepped;
  const isInverted = outputs > 1 && solved <= inverted.most;
  const factored = isInverted ? inverted.triple * solved ** 3 : triple * short ** 3;
  return looked + made + pair * long * short ** 2 + factored;
}

function secondsARow(
  { columns, outputs, folds, threads, characters }: RowPrices & { readonly characters: number },
  rounds: number,
): number {
  const wide = Math.max(1, folds / threads);
  return (
    FINISH_SECONDS * Math.max(1, OUTPUT_SHARE * outputs) +
    CELL_SECONDS * columns +
    CHARACTER_SECONDS * characters +
    ROUND_CELL_SECONDS * columns * outputs * rounds * wide
  );
}
