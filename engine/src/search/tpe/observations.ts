/** Past trials as coordinates. */

import type { SearchState } from "../sampler.ts";
import type { ParameterValue } from "../space.ts";
import { type Dimension, readCoordinates } from "./dimension.ts";

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
  const tried = [...history.map((observation) => observation.parameters), ...pending];
  const values = new Array<ParameterValue | undefined>(trials);
  names.forEach((name, d) => {
    for (let row = 0; row < trials; row++) values[row] = tried[row][name];
    const coordinates = points.subarray(d * trials, (d + 1) * trials);
    readCoordinates(dimensions[d], values, coordinates);
    for (let row = 0; row < trials; row++) {
      if (Number.isNaN(coordinates[row])) isIncomplete[row] = 1;
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
