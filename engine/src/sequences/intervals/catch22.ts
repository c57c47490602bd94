/**
 * The 22 "canonical time-series characteristics" (Lubba, Sethi, Knaute, Schultz, Fulcher &
 * Jones 2019, "catch22: CAnonical Time-series CHaracteristics", Data Mining and Knowledge Discovery 33,
 * table 1), under the names of their authors' library and as it computes them on a z-normalised
 * series. What is not defined for a series (too short, or constant) is 0; of fluctuation analysis, 1.
 */

import { firstRegime } from "./fluctuation-analysis.ts";
import { firstPeriod } from "./periodicity.ts";
import { autocorrelation, powerSpectrum } from "./spectrum.ts";

export interface Catch22Input {
  /** Of mean 0 and standard deviation 1, or all 0. */
  readonly values: Float64Array;
  readonly correlation: Float64Array;
}

export type Characteristic = (input: Catch22Input) => number;

export const CHARACTERISTICS: Readonly<Record<string, Characteristic>> = {
  DN_HistogramMode_5: ({ values }) => histogramMode(values, 5),
  DN_HistogramMode_10: ({ values }) => histogramMode(values, 10),
  DN_OutlierInclude_p_001_mdrmd: ({ values }) => outlierTiming(values),
  DN_OutlierInclude_n_001_mdrmd: ({ values }) => outlierTiming(values.map((value) => -value)),
  CO_f1ecac: firstCrossing,
  CO_FirstMin_ac: firstMinimum,
  SP_Summaries_welch_rect_area_5_1: ({ values }) => lowPower(values),
  SP_Summaries_welch_rect_centroid: ({ values }) => medianFrequency(values),
  FC_LocalSimple_mean3_stderr: ({ values }) => forecastError(values),
  FC_LocalSimple_mean1_tauresrat: residualCorrelationLength,
  MD_hrv_classic_pnn40: ({ values }) => largeSteps(values),
  SB_BinaryStats_mean_longstretch1: ({ values }) =>
    longestStretch(values.subarray(0, -1), (value) => value > 0),
  SB_BinaryStats_diff_longstretch0: ({ values }) =>
    longestStretch(differencesOf(values), (step) => step < 0),
  SB_MotifThree_quantile_hh: ({ values }) => motifEntropy(values),
  CO_HistogramAMI_even_2_5: ({ values }) => mutualInformation(values),
  CO_trev_1_num: ({ values }) => meanOf(differencesOf(values).map((step) => step ** 3)),
  IN_AutoMutualInfoStats_40_gaussian_fmmi: ({ values }) => firstMinimumOfInformation(values),
  SB_TransitionMatrix_3ac_sumdiagcov: transitionSpread,
  CO_Embed2_Dist_tau_d_expfit_meandiff: embeddingDistances,
  PD_PeriodicityWang_th0_01: ({ values }) => firstPeriod(values),
  SC_FluctAnal_2_dfa_50_1_2_logi_prop_r1: ({ values }) => firstRegime(values, 2, "square"),
  SC_FluctAnal_2_rsrangefit_50_1_logi_prop_r1: ({ values }) => firstRegime(values, 1, "range"),
};

function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return values.length === 0 ? 0 : sum / values.length;
}

function differencesOf(values: Float64Array): Float64Array {
  return Float64Array.from({ length: Math.max(0, values.length - 1) }, (_, t) => {
    return values[t + 1] - values[t];
  });
}

/** Counts of equal bins between the least and the largest value. */
function histogram(values: ArrayLike<number>, bins: number) {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  const width = (high - low) / bins;
  const counts = new Float64Array(bins);
  for (let i = 0; i < values.length; i++) {
    counts[width > 0 ? Math.min(bins - 1, Math.floor((values[i] - low) / width)) : 0]++;
  }
  return { counts, centre: (bin: number) => low + (bin + 0.5) * width };
}

/** Middle of the fullest bin; of several, their mean. */
function histogramMode(values: Float64Array, bins: number): number {
  const { counts, centre } = histogram(values, bins);
  const most = Math.max(...counts);
  return meanOf([...counts.keys()].filter((bin) => counts[bin] === most).map(centre));
}

/** Where in the series its values above ever higher thresholds lie: -1 early, +1 late. */
function outlierTiming(values: Float64Array): number {
  const step = 0.01;
  const largest = values.reduce((most, value) => Math.max(most, value), -Infinity);
  if (largest < step) return 0;
  const thresholds = Math.trunc(largest / step + 1);
  const total = values.reduce((count, value) => count + Number(value >= 0), 0);
  const timing = new Float64Array(thresholds);
  let enough = 0;
  let alone = thresholds - 1;
  for (let j = 0; j < thresholds; j++) {
    const places: number[] = [];
    for (let t = 0; t < values.length; t++) if (values[t] >= j * step) places.push(t + 1);
    timing[j] = medianOf(places) / (values.length / 2) - 1;
    if (((places.length - 1) * 100) / total > 2) enough = j;
    if (places.length <= 1 && j < alone) alone = j;
  }
  return medianOf(timing.subarray(0, Math.min(enough, alone) + 1));
}

function medianOf(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Lag at which the autocorrelation falls below 1 / e, between lags on a straight line. */
function firstCrossing({ values, correlation }: Catch22Input): number {
  const threshold = Math.exp(-1);
  for (let i = 0; i < values.length - 2; i++) {
    if (correlation[i + 1] < threshold) {
      return i + (threshold - correlation[i]) / (correlation[i + 1] - correlation[i]) || 0;
    }
  }
  return values.length;
}

function firstMinimum({ values, correlation }: Catch22Input): number {
  for (let i = 1; i < values.length - 1; i++) {
    if (correlation[i] < correlation[i - 1] && correlation[i] < correlation[i + 1]) return i;
  }
  return values.length;
}

/** Lag of the first autocorrelation that is not positive. */
function firstZero(correlation: Float64Array): number {
  let lag = 0;
  while (lag < correlation.length && correlation[lag] > 0) lag++;
  return lag;
}

/** Power in the lowest fifth of frequencies. */
function lowPower(values: Float64Array): number {
  const spectrum = powerSpectrum(values);
  const step = Math.PI / (spectrum.length - 1);
  let sum = 0;
  for (let i = 0; i < Math.trunc(spectrum.length / 5); i++) sum += spectrum[i];
  return (sum * step) / (2 * Math.PI);
}

/** Angular frequency below which half of the power lies. */
function medianFrequency(values: Float64Array): number {
  const spectrum = powerSpectrum(values);
  const half = spectrum.reduce((sum, power) => sum + power, 0) / 2;
  let sum = 0;
  for (const [i, power] of spectrum.entries()) {
    sum += power;
    if (sum > half) return (i * Math.PI) / (spectrum.length - 1);
  }
  return 0;
}

/** Standard deviation of the errors of forecasts by the mean of three steps. */
function forecastError(values: Float64Array): number {
  const errors = Array.from({ length: Math.max(0, values.length - 3) }, (_, t) => {
    return values[t + 3] - (values[t] + values[t + 1] + values[t + 2]) / 3;
  });
  if (errors.length < 2) return 0;
  const mean = meanOf(errors);
  const squares = errors.reduce((sum, error) => sum + (error - mean) ** 2, 0);
  return Math.sqrt(squares / (errors.length - 1));
}

/** First zero of the autocorrelation of the differences, as a share of the series' own. */
function residualCorrelationLength({ values, correlation }: Catch22Input): number {
  const steps = differencesOf(values);
  const mean = meanOf(steps);
  const own = firstZero(correlation);
  return own === 0 ? 0 : firstZero(autocorrelation(steps.map((step) => step - mean))) / own;
}

/** Share of differences of more than 0.04 standard deviations. */
function largeSteps(values: Float64Array): number {
  return meanOf(differencesOf(values).map((step) => Number(Math.abs(step) * 1000 > 40)));
}

/** Distance between places where a condition fails, the first and the last place being such. */
function longestStretch(values: Float64Array, holds: (value: number) => boolean): number {
  let longest = 0;
  let last = 0;
  for (let i = 0; i < values.length; i++) {
    if (holds(values[i]) && i < values.length - 1) continue;
    longest = Math.max(longest, i - last);
    last = i;
  }
  return longest;
}

/** 0, 1 or 2 by terciles. */
function terciles(values: Float64Array): Uint8Array {
  const sorted = values.slice().sort();
  const quantile = (share: number): number => {
    const place = Math.min(Math.max(sorted.length * share - 0.5, 0), sorted.length - 1);
    const low = Math.floor(place);
    const high = Math.min(low + 1, sorted.length - 1);
    return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
  };
  const [first, second] = [quantile(1 / 3), quantile(2 / 3)];
  return Uint8Array.from(values, (value) => Number(value > first) + Number(value > second));
}

/** Entropy of pairs of neighbouring terciles. */
function motifEntropy(values: Float64Array): number {
  const symbols = terciles(values);
  const counts = new Float64Array(9);
  for (let t = 0; t + 1 < symbols.length; t++) counts[3 * symbols[t] + symbols[t + 1]]++;
  return counts.reduce((entropy, count) => {
    const share = count / (symbols.length - 1);
    return count === 0 ? entropy : entropy - share * Math.log(share);
  }, 0);
}

/** Mutual information of steps two apart, in five equal bins. */
function mutualInformation(values: Float64Array): number {
  const pairs = values.length - 2;
  if (pairs < 1) return 0;
  const low = values.reduce((least, value) => Math.min(least, value), Infinity) - 0.1;
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity) + 0.1;
  const bin = (value: number) => Math.floor((5 * (value - low)) / (high - low));
  const joint = new Float64Array(25);
  const firsts = new Float64Array(5);
  const seconds = new Float64Array(5);
  for (let t = 0; t < pairs; t++) {
    const [a, b] = [bin(values[t]), bin(values[t + 2])];
    joint[5 * a + b] += 1 / pairs;
    firsts[a] += 1 / pairs;
    seconds[b] += 1 / pairs;
  }
  return joint.reduce((sum, share, i) => {
    return share === 0
      ? sum
      : sum + share * Math.log(share / firsts[Math.floor(i / 5)] / seconds[i % 5]);
  }, 0);
}

/** First minimum, over lags, of the mutual information that a normal distribution would have. */
function firstMinimumOfInformation(values: Float64Array): number {
  const lags = Math.min(40, Math.ceil(values.length / 2));
  const information = Array.from({ length: lags }, (_, i) => {
    const [first, second] = [values.subarray(0, -(i + 1)), values.subarray(i + 1)];
    const [meanFirst, meanSecond] = [meanOf(first), meanOf(second)];
    let [product, squaresFirst, squaresSecond] = [0, 0, 0];
    for (let t = 0; t < first.length; t++) {
      const [a, b] = [first[t] - meanFirst, second[t] - meanSecond];
      product += a * b;
      squaresFirst += a * a;
      squaresSecond += b * b;
    }
    const correlation = product / Math.sqrt(squaresFirst * squaresSecond);
    return -0.5 * Math.log(1 - correlation ** 2);
  });
  for (let i = 1; i < lags - 1; i++) {
    if (information[i] < information[i - 1] && information[i] < information[i + 1]) return i;
  }
  return lags;
}

/** Sum of the variances of a transition matrix of terciles, one step a correlation length. */
function transitionSpread({ values, correlation }: Catch22Input): number {
  const lag = firstZero(correlation);
  if (lag === 0) return 0;
  const symbols = terciles(values.filter((_, t) => t % lag === 0));
  if (symbols.length < 2) return 0;
  const counts = new Float64Array(9);
  for (let t = 0; t + 1 < symbols.length; t++) {
    counts[3 * symbols[t] + symbols[t + 1]] += 1 / (symbols.length - 1);
  }
  return [0, 1, 2].reduce((sum, column) => {
    const cells = [counts[column], counts[3 + column], counts[6 + column]];
    const mean = meanOf(cells);
    return sum + cells.reduce((squares, cell) => squares + (cell - mean) ** 2, 0) / 2;
  }, 0);
}

/** How far distances between neighbours of a two-step embedding are from an exponential. */
function embeddingDistances({ values, correlation }: Catch22Input): number {
  const zero = firstZero(correlation);
  const lag = zero > values.length / 10 ? Math.floor(values.length / 10) : zero;
  const distances = Array.from({ length: Math.max(0, values.length - lag - 1) }, (_, t) =>
    Math.hypot(values[t + 1] - values[t], values[t + lag] - values[t + lag + 1]),
  );
  if (distances.length < 2) return 0;
  const mean = meanOf(distances);
  const squares = distances.reduce((sum, distance) => sum + (distance - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (distances.length - 1));
  if (deviation < 0.001) return 0;
  const [least, most] = distances.reduce(
    ([low, high], distance) => [Math.min(low, distance), Math.max(high, distance)],
    [Infinity, -Infinity],
  );
  const bins = Math.ceil((most - least) / ((3.5 * deviation) / Math.cbrt(distances.length)));
  if (bins === 0) return 0;
  const { counts, centre } = histogram(distances, bins);
  return meanOf(
    counts.map((count, bin) => {
      const expected = Math.max(0, Math.exp(-centre(bin) / mean) / mean);
      return Math.abs(count / distances.length - expected);
    }),
  );
}
