/** Past trials as coordinates. */

import type { SearchState } from "../sampler.ts";
import { coordinateOf, type Dimension } from "./dimension.ts";

export interface Observations {
  /** Row-major, trials × dimensions; finished trials first, then pending ones. */
  readonly points: Float64Array;
  /** Trials that have every dimension, split by `good`, oldest first. */
  readonly goodRows: number[];
  readonly badRows: number[];
}

/**
 * @param names the parameter of each dimension
 * @param good 1 for each finished trial that counts as good; pending ones count as bad, so that a
 * batch spreads out (the constant liar of Ginsbourger, Le Riche, Carraro, "Kriging is well-suited
 * to parallelize optimization", 2010)
 */
export function readObservations(
  { history, pending }: SearchState,
  names: readonly string[],
  dimensions: readonly Dimension[],
  good: Uint8Array,
): Observations {
  const width = names.length;
  const points = new Float64Array((history.length + pending.length) * width);
  const goodRows: number[] = [];
  const badRows: number[] = [];
  for (let row = 0; row < history.length + pending.length; row++) {
    const isPending = row >= history.length;
    const parameters = isPending ? pending[row - history.length] : history[row].parameters;
    let isComplete = true;
    for (let d = 0; d < width; d++) {
      const coordinate = coordinateOf(dimensions[d], parameters[names[d]]);
      if (Number.isNaN(coordinate)) isComplete = false;
      points[row * width + d] = coordinate;
    }
    if (!isComplete) continue;
    (!isPending && good[row] === 1 ? goodRows : badRows).push(row);
  }
  return { points, goodRows, badRows };
}
