/**
 * The recursions of exponential smoothing (Hyndman et al. 2008, tables 2.2 and 2.3 in the form of sec.
 * 2.5.1), their likelihood (sec. 5.1), and its gradient by running the recursions backwards.
 *
 * With q the level that is expected, f the one-step forecast and e = y - f:
 *
 *     trend N: q = l              season N: f = q        d = e
 *     trend A: q = l + phi b      season A: f = q + s    d = e
 *     trend M: q = l b^phi        season M: f = q s      d = e / s
 *
 *     l' = q + alpha d    b' = phi b + beta d (A)  or  b^phi + beta d / l (M)
 *     s' = s + gamma e (A)  or  s + gamma e / q (M)
 *
 * The error type changes the likelihood alone. All is a function of a vector
 * [alpha, beta, gamma, phi, l, b, s(1 … m)] with the initial states, s(1) that of the first value.
 */

import type { EtsForm } from "./ets-form.ts";

export const ALPHA = 0;
export const BETA = 1;
export const GAMMA = 2;
export const PHI = 3;
export const LEVEL = 4;
export const SLOPE = 5;
export const SEASON = 6;

/** Multiplicative parts and forecasts of scaled series below it have no meaning. */
const LEAST = 1e-8;
/** Relative to the scale of 1: what counts as a perfect fit. */
const LEAST_ERROR = 1e-24;

/** Space for the states of one run, reused by all runs over one series. */
export class Tape {
  readonly levels: Float64Array;
  readonly slopes: Float64Array;
  /** What the season's state was that each value met. */
  readonly seasons: Float64Array;
  readonly expected: Float64Array;
  readonly forecasts: Float64Array;
  /** The season's states to come, as a ring. */
  readonly ring: Float64Array;

  constructor(values: number, seasonLength: number) {
    this.levels = new Float64Array(values + 1);
    this.slopes = new Float64Array(values + 1);
    this.seasons = new Float64Array(values);
    this.expected = new Float64Array(values);
    this.forecasts = new Float64Array(values);
    this.ring = new Float64Array(Math.max(1, seasonLength));
  }
}

/**
 * Filters the values. @returns false where a multiplicative part left the positive numbers, or a state
 * is no longer finite
 */
export function filterEts(
  values: Float64Array,
  form: EtsForm,
  parameters: Float64Array,
  seasonLength: number,
  tape: Tape,
): boolean {
  const n = values.length;
  const m = form.season === "N" ? 1 : seasonLength;
  const additiveTrend = form.trend === "A";
  const multiplicativeTrend = form.trend === "M";
  const additiveSeason = form.season === "A";
  const multiplicativeSeason = form.season === "M";
  const positive = form.error === "M" || multiplicativeSeason || multiplicativeTrend;
  const { levels, slopes, seasons, expected, forecasts, ring } = tape;
  const alpha = parameters[ALPHA];
  const beta = parameters[BETA];
  const gamma = parameters[GAMMA];
  const phi = parameters[PHI];
  let level = parameters[LEVEL];
  let slope = parameters[SLOPE];
  levels[0] = level;
  slopes[0] = slope;
  for (let j = 0; j < m; j++) ring[j] = form.season === "N" ? 0 : parameters[SEASON + j];
  let at = 0;
  for (let t = 0; t < n; t++) {
    let q = level;
    let grown = 0;
    if (additiveTrend) {
      grown = phi * slope;
      q += grown;
    } else if (multiplicativeTrend) {
      if (!(slope > LEAST)) return false;
      grown = phi === 1 ? slope : slope ** phi;
      q *= grown;
    }
    const s = ring[at];
    const f = additiveSeason ? q + s : multiplicativeSeason ? q * s : q;
    if (positive && !(f > LEAST && q > LEAST)) return false;
    const e = values[t] - f;
    const d = multiplicativeSeason ? e / s : e;
    expected[t] = q;
    forecasts[t] = f;
    seasons[t] = s;
    if (additiveTrend) slope = grown + beta * d;
    else if (multiplicativeTrend) slope = grown + (beta * d) / level;
    level = q + alpha * d;
    if (additiveSeason) ring[at] = s + gamma * e;
    else if (multiplicativeSeason) ring[at] = s + (gamma * e) / q;
    levels[t + 1] = level;
    slopes[t + 1] = slope;
    if (++at === m) at = 0;
  }
  return Number.isFinite(level) && Number.isFinite(slope);
}

/**
 * -2 log-likelihood / n of what `filterEts` left on the tape, less constants, with the variance at its
 * best value: log of the mean square of the (relative) errors, and of the forecasts where errors are
 * relative.
 */
export function lossOf(values: Float64Array, form: EtsForm, tape: Tape): number {
  const n = values.length;
  const { forecasts } = tape;
  let squares = 0;
  let logs = 0;
  if (form.error === "A") {
    for (let t = 0; t < n; t++) squares += (values[t] - forecasts[t]) ** 2;
  } else {
    // Logarithms of products: one of many forecasts at once.
    let product = 1;
    for (let t = 0; t < n; t++) {
      const f = forecasts[t];
      squares += ((values[t] - f) / f) ** 2;
      product *= f;
      if (product > 1e100 || product < 1e-100) {
        logs += Math.log(product);
        product = 1;
      }
    }
    logs += Math.log(product);
  }
  return Math.log(squares / n + LEAST_ERROR) + (2 * logs) / n;
}

/** Writes the gradient of `lossOf` by all parameters and initial states into `gradient`. */
export function gradientOf(
  values: Float64Array,
  form: EtsForm,
  parameters: Float64Array,
  seasonLength: number,
  tape: Tape,
  gradient: Float64Array,
): void {
  const n = values.length;
  const m = form.season === "N" ? 1 : seasonLength;
  const relative = form.error === "M";
  const additiveTrend = form.trend === "A";
  const multiplicativeTrend = form.trend === "M";
  const additiveSeason = form.season === "A";
  const multiplicativeSeason = form.season === "M";
  const { levels, slopes, seasons, expected, forecasts, ring } = tape;
  const alpha = parameters[ALPHA];
  const beta = parameters[BETA];
  const gamma = parameters[GAMMA];
  const phi = parameters[PHI];

  let squares = 0;
  for (let t = 0; t < n; t++) {
    const e = values[t] - forecasts[t];
    squares += relative ? (e / forecasts[t]) ** 2 : e * e;
  }
  const unit = 2 / (squares + n * LEAST_ERROR);
  const perStep = 2 / n;

  // Derivatives by the states after step t; `ring` holds those of the season's.
  let byLevel = 0;
  let bySlope = 0;
  ring.fill(0);
  let byAlpha = 0;
  let byBeta = 0;
  let byGamma = 0;
  let byPhi = 0;
  let at = (n - 1) % m;
  for (let t = n - 1; t >= 0; t--) {
    const y = values[t];
    const f = forecasts[t];
    const q = expected[t];
    const s = seasons[t];
    const level = levels[t];
    const slope = slopes[t];
    const e = y - f;
    let byForecast: number;
    if (relative) {
      const u = e / f;
      byForecast = perStep / f - (unit * u * y) / (f * f);
    } else byForecast = -unit * e;

    const bySeason = ring[at];
    const d = multiplicativeSeason ? e / s : e;
    let byD = alpha * byLevel;
    byAlpha += byLevel * d;
    if (additiveTrend) {
      byD += beta * bySlope;
      byBeta += bySlope * d;
    } else if (multiplicativeTrend) {
      byD += (beta * bySlope) / level;
      byBeta += (bySlope * d) / level;
    }
    let byQ = byLevel;
    let byE: number;
    let bySeasonBefore = 0;
    if (additiveSeason) {
      byGamma += bySeason * e;
      byE = byD + gamma * bySeason;
      byForecast -= byE;
      bySeasonBefore = bySeason + byForecast;
      byQ += byForecast;
    } else if (multiplicativeSeason) {
      byGamma += (bySeason * e) / q;
      byE = byD / s + (gamma * bySeason) / q;
      byForecast -= byE;
      bySeasonBefore = bySeason - (byD * e) / (s * s) + byForecast * q;
      byQ += byForecast * s - (gamma * bySeason * e) / (q * q);
    } else {
      byE = byD;
      byForecast -= byE;
      byQ += byForecast;
    }
    ring[at] = bySeasonBefore;

    if (additiveTrend) {
      const byGrown = byQ + bySlope;
      byPhi += byGrown * slope;
      bySlope = phi * byGrown;
      byLevel = byQ;
    } else if (multiplicativeTrend) {
      const grown = phi === 1 ? slope : slope ** phi;
      const byGrown = byQ * level + bySlope;
      byLevel = byQ * grown - (bySlope * beta * d) / (level * level);
      byPhi += byGrown * grown * Math.log(slope);
      bySlope = (byGrown * phi * grown) / slope;
    } else byLevel = byQ;
    if (--at < 0) at = m - 1;
  }
  gradient[ALPHA] = byAlpha;
  gradient[BETA] = byBeta;
  gradient[GAMMA] = byGamma;
  gradient[PHI] = byPhi;
  gradient[LEVEL] = byLevel;
  gradient[SLOPE] = bySlope;
  if (form.season !== "N") for (let j = 0; j < m; j++) gradient[SEASON + j] = ring[j];
}

/** Point forecasts after the last value that was filtered; `values` how many those were. */
export function forecastEts(
  form: EtsForm,
  phi: number,
  seasonLength: number,
  values: number,
  tape: Tape,
  horizon: number,
): Float64Array {
  const level = tape.levels[values];
  const slope = tape.slopes[values];
  const forecasts = new Float64Array(horizon);
  const m = form.season === "N" ? 1 : seasonLength;
  let reach = 0;
  let power = 1;
  for (let h = 0; h < horizon; h++) {
    power *= phi;
    reach += power;
    const q =
      form.trend === "N"
        ? level
        : form.trend === "A"
          ? level + reach * slope
          : level * slope ** reach;
    const s = tape.ring[(values + h) % m];
    forecasts[h] = form.season === "N" ? q : form.season === "A" ? q + s : q * s;
  }
  return forecasts;
}
