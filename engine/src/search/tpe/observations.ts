/** Past trials as coordinates. */

import type { SearchState } from "../sampler.ts";
import { coordinateReader, type Dimension } from "./dimension.ts";

export interface Observations {
  /** Dimension-major, dimensions × trials; finished trials first, then pending ones. */
  readonly points: Float64Array;
  readonly trials: number;
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
  const trials = history.length + pending.length;
  const points = new Float64Array(names.length * trials);
  const isIncomplete = new Uint8Array(trials);
  const parametersOf = (row: number) =>
    row < history.length ? history[row].parameters : pending[row - history.length];
  names.forEach((name, d) => {
    const read = coordinateReader(dimensions[d]);
    for (let row = 0; row < trials; row++) {
      const coordinate = read(parametersOf(row)[name]);
      points[d * trials + row] = coordinate;
      if (Number.isNaN(coordinate)) isIncomplete[row] = 1;
    }
  });
  const goodRows: number[] = [];
  const badRows: number[] = [];
  for (let row = 0; row < trials; row++) {
    if (isIncomplete[row] === 1) continue;
    (row < history.length && good[row] === 1 ? goodRows : badRows).push(row);
  }
  return { points, trials, goodRows, badRows };
}
