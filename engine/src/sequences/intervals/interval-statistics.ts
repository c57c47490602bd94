/** What is said of one stretch of a series: its distribution, shape in time, and spectrum. */

import { powerSpectrum } from "./spectrum.ts";

/** In the order of `summarise`. Positions are from 0 (first step) to 1 (last). */
export const SUMMARIES = [
  "mean",
  "deviation",
  "slope",
  "minimum",
  "lower_quartile",
  "median",
  "upper_quartile",
  "maximum",
  "position_of_minimum",
  "position_of_maximum",
  "skewness",
  "kurtosis",
  "mean_absolute_step",
  "mean_crossings",
  "rise",
] as const;

/** In the order of `spectralSummary`. Bands are quarters of the frequencies above 0. */
export const SPECTRAL = [
  "power_band_1",
  "power_band_2",
  "power_band_3",
  "power_band_4",
  "peak_frequency",
  "peak_share",
  "spectral_entropy",
  "spectral_centroid",
] as const;

/** Of at least one step, all finite. What one step does not say (a slope, …) is 0. */
export function summarise(values: Float64Array, out: Float64Array): void {
  const count = values.length;
  let sum = 0;
  let least = 0;
  let most = 0;
  for (let t = 0; t < count; t++) {
    sum += values[t];
    if (values[t] < values[least]) least = t;
    if (values[t] > values[most]) most = t;
  }
  const mean = sum / count;
  const middle = (count - 1) / 2;
  let [second, third, fourth, product, steps, crossings] = [0, 0, 0, 0, 0, 0];
  for (let t = 0; t < count; t++) {
    const away = values[t] - mean;
    const square = away * away;
    second += square;
    third += square * away;
    fourth += square * square;
    product += (t - middle) * away;
    if (t === 0) continue;
    steps += Math.abs(values[t] - values[t - 1]);
    if (away > 0 !== values[t - 1] > mean) crossings++;
  }
  const variance = second / count;
  const deviation = Math.sqrt(variance);
  // What rounding leaves of a constant has no shape.
  const varies = deviation > 1e-12 * Math.abs(mean);
  const sorted = values.slice().sort();
  const quantile = (share: number): number => {
    const place = (count - 1) * share;
    const low = Math.floor(place);
    const high = Math.min(low + 1, count - 1);
    return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
  };
  const last = Math.max(1, count - 1);
  out.set([
    mean,
    deviation,
    count > 1 ? (12 * product) / (count * (count * count - 1)) : 0,
    sorted[0],
    quantile(0.25),
    quantile(0.5),
    quantile(0.75),
    sorted[count - 1],
    least / last,
    most / last,
    varies ? third / count / (variance * deviation) : 0,
    varies ? fourth / count / (variance * variance) : 0,
    steps / last,
    crossings / last,
    values[count - 1] - values[0],
  ]);
}

/** Shares of power, frequencies as shares of the highest; all 0 where the stretch does not vary. */
export function spectralSummary(centred: Float64Array, out: Float64Array): void {
  out.fill(0);
  const spectrum = powerSpectrum(centred).subarray(1);
  const total = spectrum.reduce((sum, power) => sum + power, 0);
  if (!(total > 0)) return;
  const count = spectrum.length;
  let peak = 0;
  let [entropy, centroid] = [0, 0];
  for (let i = 0; i < count; i++) {
    const share = spectrum[i] / total;
    if (spectrum[i] > spectrum[peak]) peak = i;
    if (share > 0) entropy -= share * Math.log(share);
    centroid += (share * (i + 1)) / count;
    out[Math.floor((4 * i) / count)] += share;
  }
  out[4] = (peak + 1) / count;
  out[5] = spectrum[peak] / total;
  out[6] = count > 1 ? entropy / Math.log(count) : 0;
  out[7] = centroid;
}
