/**
 * How many rows a run may learn from, where its time budget is short for all of them: what every
 * row costs after it has been read, from encoding it to the interval around its prediction, must
 * leave time for a search. Prices are those of one core; contention makes them dearer.
 */

/** Of the time that is left after reading, for what every row costs once. */
const SHARE = 0.5;
/** Selecting, calibrating, scoring and conformal quantiles: seconds a row and output. */
const FINISH_SECONDS = 1.2e-5;
/** Wide outputs cost less than their number. */
const OUTPUT_SHARE = 0.2;
/** Planning, binning and laying out: seconds a cell. */
const CELL_SECONDS = 3e-7;
/** One boosting round: seconds a cell and output. */
const ROUND_SECONDS = 5e-9;
/**
 * A linear model whose numbers are splines: seconds a cell and output, a row and pair of columns that are multiplied, and
 * three columns that are factored. Wide data have neither splines nor, hardly, a factor.
 */
const LINEAR_SECONDS = { cell: 3e-7, pair: 2e-9, triple: 4e-8 };
/** Columns of the table, beyond which those of the design are not factored. */
const FACTORED_COLUMNS = 250;
/** Rounds that the first fits should have, and those that they cannot do without. */
const ROUNDS = 40;
const LEAST_ROUNDS = 3;
/**
 * A linear model that does not end goes on with a quarter of its rows, twice at most here, and of no fewer than so many:
 * a few rounds of boosting hardly leave the constant, and say less than it does of those.
 */
const HELD = { share: 1 / 16, rows: 2000 };
/** A linear model is begun with so many rows that it is thought to take up to so many times what it may: its price is high. */
const PATIENCE = 2;
/** Rounds from which boosting is usually as good as a linear model. */
const GOOD_ROUNDS = 200;
/** Rather fewer rounds than fewer rows than this. */
const ENOUGH_ROWS = 20_000;
/** Fewer say nothing, whatever the time. */
const LEAST_ROWS = 500;

export interface RowPrices {
  readonly rows: number;
  readonly columns: number;
  /** Classes of more than two, else 1. */
  readonly outputs: number;
  readonly folds: number;
  readonly threads: number;
  readonly contention: number;
  /** Left of the budget. */
  readonly seconds: number;
}

/** At most `rows`; at least 500, or all. */
export function affordableRows(prices: RowPrices): number {
  const { rows, seconds, contention } = prices;
  const time = (SHARE * Math.max(0, seconds)) / contention;
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
 * @param prices with the `seconds` that one trial may have
 * @returns the rows that it begins with; null where boosting leads
 */
export function rowsOfLeadingLinear(prices: RowPrices): number | null {
  const { rows, columns, outputs, folds, threads, contention, seconds } = prices;
  const wide = Math.max(1, folds / threads) * contention;
  const least = Math.min(HELD.rows, rows);
  const takes = (own: number): number => wide * linearSeconds({ ...prices, rows: own });
  if (wide * ROUND_SECONDS * GOOD_ROUNDS * rows * columns * outputs <= seconds) return null;
  if (takes(Math.max(HELD.share * rows, least)) > seconds) return null;
  let begun = rows;
  while (begun > least && takes(begun) > PATIENCE * seconds) begun = Math.ceil(begun / 2);
  return Math.max(begun, least);
}

/** Of a fit. */
function linearSeconds({
  rows,
  columns,
  outputs,
}: Pick<RowPrices, "rows" | "columns" | "outputs">): number {
  const cells = LINEAR_SECONDS.cell * rows * columns * outputs;
  if (columns > rows) return cells;
  const factored = Math.min(columns, FACTORED_COLUMNS);
  return cells + LINEAR_SECONDS.pair * rows * factored ** 2 + LINEAR_SECONDS.triple * factored ** 3;
}

function secondsARow({ columns, outputs, folds, threads }: RowPrices, rounds: number): number {
  const wide = Math.max(1, folds / threads);
  return (
    FINISH_SECONDS * Math.max(1, OUTPUT_SHARE * outputs) +
    CELL_SECONDS * columns +
    ROUND_SECONDS * columns * outputs * rounds * wide
  );
}
