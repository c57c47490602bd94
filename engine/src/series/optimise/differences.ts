/** Gradients by differences, for functions of few numbers that cost little. */

import type { Objective } from "./bfgs.ts";

/** Forward differences; backward ones where there is no value ahead. */
export function withDifferences(of: (x: Float64Array) => number, step: number): Objective {
  return (x, gradient) => {
    const value = of(x);
    if (!Number.isFinite(value)) return Number.POSITIVE_INFINITY;
    for (let i = 0; i < x.length; i++) {
      const at = x[i];
      x[i] = at + step;
      const ahead = of(x);
      if (Number.isFinite(ahead)) gradient[i] = (ahead - value) / step;
      else {
        x[i] = at - step;
        const behind = of(x);
        gradient[i] = Number.isFinite(behind) ? (value - behind) / step : 0;
      }
      x[i] = at;
    }
    return value;
  };
}
