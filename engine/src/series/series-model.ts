/**
 * What every local forecasting model of this room is: fitted to one series, and asked for what comes
 * after a history of that series.
 */

export interface SeriesModel<Saved = unknown> {
  /** Facts and fitted numbers; JSON-serialisable: all that the model's `load…` needs. */
  readonly saved: Saved;
  /**
   * Forecasts of the `horizon` steps after `history`, which may be longer or newer than what was fitted
   * to: states are filtered anew with the fitted parameters, and those are not estimated again.
   *
   * @param history finite values on a regular grid, oldest first, at least one
   * @param horizon steps, at least 1
   * @param since steps from the first value that was fitted to to the first one of `history`, whole; absent: not known
   * @returns finite values, one a step
   * @throws RangeError where the history is empty or not finite
   */
  forecast(history: Float64Array, horizon: number, since?: number): Float64Array;
}

/** @throws RangeError where the history is empty or holds a value that is no finite number */
export function checkHistory(history: Float64Array): void {
  if (history.length === 0) throw new RangeError("The series has no values.");
  const at = history.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) {
    throw new RangeError(`Value ${at + 1} of the series is ${history[at]}, not a finite number.`);
  }
}

/** @throws RangeError as above, and where the horizon is no whole number of at least 1 */
export function checkRequest(history: Float64Array, horizon: number): void {
  checkHistory(history);
  if (!Number.isInteger(horizon) || horizon < 1) {
    throw new RangeError(`The horizon must be a whole number of at least 1, not ${horizon}.`);
  }
}

/** @throws RangeError where the season is no whole number of at least 1 */
export function checkSeason(seasonLength: number): void {
  if (!Number.isInteger(seasonLength) || seasonLength < 1) {
    throw new RangeError(
      `The season's length must be a whole number of at least 1, not ${seasonLength}.`,
    );
  }
}
