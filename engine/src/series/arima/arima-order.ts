/** Orders of seasonal ARIMA models, (p, d, q)(P, D, Q) with or without a constant. */

export interface ArimaOrder {
  readonly p: number;
  readonly d: number;
  readonly q: number;
  readonly seasonalP: number;
  readonly seasonalD: number;
  readonly seasonalQ: number;
  /** A mean of the differenced series: the level where nothing is differenced, a drift where once is. */
  readonly constant: boolean;
}

export function orderName(order: ArimaOrder, seasonLength: number): string {
  const { p, d, q, seasonalP, seasonalD, seasonalQ, constant } = order;
  const season =
    seasonLength > 1 && seasonalP + seasonalD + seasonalQ > 0
      ? `(${seasonalP},${seasonalD},${seasonalQ})[${seasonLength}]`
      : "";
  return `(${p},${d},${q})${season}${constant ? " with constant" : ""}`;
}

/** Coefficients, the constant and the variance. */
export function parameterCount({ p, q, seasonalP, seasonalQ, constant }: ArimaOrder): number {
  return p + q + seasonalP + seasonalQ + (constant ? 1 : 0) + 1;
}
