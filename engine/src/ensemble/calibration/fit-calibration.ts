/**
 * Choosing a trial's calibration: of none, a temperature and isotonic curves, the one of least
 * log-loss on rows that it was not fitted on.
 */

import { rowNumbers, rowsWhere } from "../../compute/row-lists.ts";
import type { Calibrator } from "../../tasks/task-type.ts";
import { type CrossFit, type LabelledRows, pickPredictions, pickRows } from "../labelled-rows.ts";
import { rowGain } from "../row-gain.ts";
import { logLosses } from "../row-losses.ts";
import { type Calibration, calibrateRow } from "./calibration.ts";
import { fitIsotonic } from "./isotonic.ts";
import { fitTemperature } from "./temperature.ts";

/** Rows by which methods are compared at most, evenly spread. */
const MOST_COMPARED = 500_000;

/** Rows, and rows × outputs, that a method reads at most. */
export const CALIBRATION_READS = { rows: 10_000, numbers: 260_000 };
/** Of many outputs it reads no fewer rows than these. */
const LEAST_READ = 1000;

/**
 * What a method must bring: rows of the rarest class, a curve among those that it reads (of fewer it follows
 * single rows), and a gain in log-loss of so many of its standard errors. One or two numbers hardly overfit; curves do.
 * Of more than `mostRows` rows as many are read, evenly spread: they say the same. Of many classes each says something.
 */
const METHODS: readonly Method[] = [
  {
    ...{ kind: "temperature", fit: fitTemperature, mostRows: 4000, standingOut: 0 },
    leastRows: { of: "all", rows: 5 },
  },
  {
    ...{ kind: "isotonic", fit: fitIsotonic, mostRows: CALIBRATION_READS.rows, standingOut: 1 },
    leastRows: { of: "read", rows: 50 },
  },
];

export interface FittedCalibration {
  /** Fitted on all rows; null where none is better. */
  readonly calibration: Calibration | null;
  /** Each row by a calibration that was chosen and fitted without it. */
  readonly crossFitted: Float64Array;
}

interface Method {
  readonly kind: Calibrator;
  readonly fit: (probabilities: Float64Array, rows: LabelledRows) => Calibration;
  readonly leastRows: { readonly of: "all" | "read"; readonly rows: number };
  readonly mostRows: number;
  readonly standingOut: number;
}

/**
 * The method is chosen on all rows; the predictions of each fold's rows are of the method that the
 * other rows choose.
 *
 * @param probabilities out-of-fold ones of the rows, row-major
 * @param calibrators those to try; default all
 */
export function fitCalibration(
  probabilities: Float64Array,
  rows: LabelledRows,
  folds: readonly CrossFit[],
  calibrators: readonly Calibrator[] = METHODS.map(({ kind }) => kind),
): FittedCalibration {
  const { outputs } = rows;
  const rarest = rowsOfRarestClass(rows);
  const few = ({ mostRows }: Method): number =>
    Math.min(mostRows, Math.max(LEAST_READ, Math.floor(CALIBRATION_READS.numbers / outputs)));
  const hasRows = (method: Method): boolean => {
    const { of, rows: least } = method.leastRows;
    return rarest * (of === "all" ? 1 : Math.min(1, few(method) / rows.target.length)) >= least;
  };
  const read =
    rows.target.length > MOST_COMPARED
      ? spread(rowNumbers(rows.target.length), MOST_COMPARED)
      : null;
  const compared = read ? pickRows(rows, read) : rows;
  const foldOf = foldsOf(rows.target.length, folds);
  const tried = METHODS.filter(
    (method) => calibrators.includes(method.kind) && hasRows(method),
  ).map((method) => {
    const fit = (known: Uint32Array): Calibration => {
      const learned = spread(known, few(method));
      return method.fit(pickPredictions(probabilities, outputs, learned), pickRows(rows, learned));
    };
    const byFold = folds.map((fold) => fit(fold.fit));
    const crossFitted = new Float64Array(compared.target.length * outputs);
    for (let i = 0; i < compared.target.length; i++) {
      const row = read ? read[i] : i;
      const without = byFold[foldOf[row]];
      calibrateRow(without, probabilities, row * outputs, outputs, crossFitted, i * outputs);
    }
    const losses = logLosses(crossFitted, compared);
    return { fit, byFold, crossFitted, losses, needs: method.standingOut };
  });
  const plain = logLosses(
    read ? pickPredictions(probabilities, outputs, read) : probabilities,
    compared,
  );
  const choose = (known: Uint32Array): (typeof tried)[number] | null =>
    tried.reduce<(typeof tried)[number] | null>((best, next) => {
      const { weights } = compared;
      const stands = standsOut(best?.losses ?? plain, next.losses, weights, known, next.needs);
      return stands ? next : best;
    }, null);
  const chosen = choose(rowNumbers(compared.target.length));
  const byFold = folds.map(({ fit }, index) =>
    choose(read ? placesWhere(read, (row) => foldOf[row] !== index) : fit),
  );
  const calibration = chosen?.fit(rowNumbers(rows.target.length)) ?? null;
  if (byFold.every((each) => each === null)) return { calibration, crossFitted: probabilities };
  const crossFitted = probabilities.slice();
  for (const [index, { apply }] of folds.entries()) {
    const theirs = byFold[index];
    if (theirs === null) continue;
    for (const row of apply) {
      calibrateRow(
        theirs.byFold[index],
        probabilities,
        row * outputs,
        outputs,
        crossFitted,
        row * outputs,
      );
    }
  }
  return { calibration, crossFitted };
}

/** Of each row, the fold whose calibrations have not seen it. */
function foldsOf(rows: number, folds: readonly CrossFit[]): Uint16Array {
  const foldOf = new Uint16Array(rows);
  for (const [index, { apply }] of folds.entries()) for (const row of apply) foldOf[row] = index;
  return foldOf;
}

/** Where those rows stand in the list for which it holds. */
const placesWhere = (rows: Uint32Array, holds: (row: number) => boolean): Uint32Array =>
  rowsWhere(rowNumbers(rows.length), (place) => holds(rows[place]));

function spread(rows: Uint32Array, most: number): Uint32Array {
  if (rows.length <= most) return rows;
  const few = new Uint32Array(most);
  for (let i = 0; i < most; i++) few[i] = rows[Math.floor((i * rows.length) / most)];
  return few;
}

function rowsOfRarestClass({ target, weights, outputs }: LabelledRows): number {
  const counts = new Float64Array(outputs === 1 ? 2 : outputs);
  for (let i = 0; i < target.length; i++) if (weights?.[i] !== 0) counts[target[i]]++;
  return Math.min(...counts);
}

/** Whether the mean of the rows' paired gains exceeds so many of its standard errors. */
function standsOut(
  before: Float64Array,
  after: Float64Array,
  weights: Float64Array | null,
  rows: Uint32Array,
  standingOut: number,
): boolean {
  const { mean, error } = rowGain(before, after, weights, rows);
  return mean > standingOut * error;
}
