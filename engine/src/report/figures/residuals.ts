/** How far predicted values are from the actual ones. A residual is actual - predicted. */

import { quantile } from "../../data/quantile.ts";
import { evenlySpaced } from "../../trainer/plan/data-profile.ts";

export interface Residuals {
  /** Some rows, evenly spaced: [actual, predicted]. */
  readonly sample: readonly (readonly [actual: number, predicted: number])[];
  /** Rows that `sample` was taken from. */
  readonly rows: number;
  /** Equal widths over the middle 99 % of residuals; counts[i] are in [edges[i], edges[i + 1]). */
  readonly histogram: { readonly edges: readonly number[]; readonly counts: readonly number[] };
  /** Residuals below and above the histogram. */
  readonly below: number;
  readonly above: number;
  readonly mean: number;
  /** Of the residuals, linear between the two nearest values. */
  readonly quantiles: readonly { readonly q: number; readonly value: number }[];
  /** Of the absolute residuals. */
  readonly medianAbsolute: number;
}

const SAMPLE_ROWS = 1000;
const BINS = 40;
const SHOWN: readonly number[] = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99];

export function residuals(actual: Float64Array, predicted: Float64Array): Residuals {
  const rows = actual.length;
  const sorted = actual.map((value, i) => value - predicted[i]).sort();
  const low = quantile(sorted, 0.005);
  const high = quantile(sorted, 0.995);
  const bins = low === high ? 1 : BINS;
  const edges = Array.from({ length: bins + 1 }, (_, i) =>
    i === bins ? high : low + ((high - low) * i) / bins,
  );
  const counts = new Array<number>(bins).fill(0);
  let below = 0;
  let above = 0;
  let sum = 0;
  let bin = 0;
  for (const value of sorted) {
    sum += value;
    if (value < low) below++;
    else if (value > high) above++;
    else {
      while (bin < bins - 1 && value >= edges[bin + 1]) bin++;
      counts[bin]++;
    }
  }
  const absolute = sorted.map(Math.abs).sort();
  return {
    sample: Array.from(evenlySpaced(rows, SAMPLE_ROWS), (row): [number, number] => [
      actual[row],
      predicted[row],
    ]),
    rows,
    histogram: { edges, counts },
    below,
    above,
    mean: sum / rows,
    quantiles: SHOWN.map((q) => ({ q, value: quantile(sorted, q) })),
    medianAbsolute: quantile(absolute, 0.5),
  };
}
