/**
 * A window of a series' past as numbers that are alike for series of any size and level: its moving average
 * and what is left beside it, in units of the series' seasonal changes around its last value (Zeng, Chen,
 * Zhang & Xu, "Are Transformers Effective for Time Series Forecasting?", AAAI 2023, §4: DLinear, NLinear).
 */

/** What a forecast is the change from: the last value, or that of the same phase a season before. */
export const ANCHORS = ["last", "season"] as const;
export type Anchor = (typeof ANCHORS)[number];

export interface WindowShape {
  /** Steps of the past. */
  readonly lookback: number;
  /** Steps of the moving average; 1: the window is not taken apart. */
  readonly trend: number;
  readonly anchor: Anchor;
  /** Steps of the season that anchors are of; 1 = none. */
  readonly season: number;
}

/** Numbers that a window comes to; the last one is always 1. */
export function windowWidth({ lookback, trend }: WindowShape): number {
  return (trend > 1 ? 2 : 1) * lookback + 1;
}

/**
 * The values before `end`, oldest first, into `out`; where the history is shorter, its first value stands for
 * what came before.
 *
 * @param history finite
 * @param unit positive
 * @param out of `windowWidth` numbers
 */
export function writeWindow(
  { lookback, trend }: WindowShape,
  history: Float64Array,
  end: number,
  unit: number,
  out: Float64Array,
): void {
  const last = history[end - 1];
  const valueAt = (i: number): number => (history[Math.max(0, end - lookback + i)] - last) / unit;
  for (let i = 0; i < lookback; i++) out[i] = valueAt(i);
  out[out.length - 1] = 1;
  if (trend <= 1) return;
  // Ends are continued by their own values, as DLinear pads them.
  const before = (trend - 1) >> 1;
  const at = (i: number): number => out[Math.max(0, Math.min(lookback - 1, i))];
  const averages = new Float64Array(lookback);
  let sum = 0;
  for (let i = -before; i < trend - before; i++) sum += at(i);
  for (let i = 0; i < lookback; i++) {
    averages[i] = sum / trend;
    sum += at(i + trend - before) - at(i - before);
  }
  for (let i = 0; i < lookback; i++) {
    out[lookback + i] = averages[i];
    out[i] -= averages[i];
  }
}

/** What is added to the change of the step `ahead` steps beyond the last known one (0: the next one). */
export function anchorOf(
  { anchor, season }: WindowShape,
  history: Float64Array,
  end: number,
  ahead: number,
): number {
  if (anchor === "season" && season > 1) {
    const place = end + ahead - season * Math.ceil((ahead + 1) / season);
    if (place >= 0) return history[place];
  }
  return history[end - 1];
}
