/** Past trials as coordinates. */

import type { SearchState } from "../sampler.ts";
import type { Parameters } from "../space.ts";
import { coordinateOf, type Dimension } from "./dimension.ts";

export interface Observations {
  /** Dimension-major, dimensions × trials; finished trials first, then pending ones. */
  readonly points: Float64Array;
  readonly trials: number;
  /** Trials that have every dimension, split by `good`, oldest first. */
  readonly goodRows: number[];
  readonly badRows: number[];
}

export class ObservationReader {
  readonly #names: readonly string[];
  readonly #dimensions: readonly Dimension[];
  /** Of parameters that have been read; they are values, which nobody changes. */
  readonly #known = new WeakMap<Parameters, Float64Array>();

  /** @param names the parameter of each dimension */
  constructor(names: readonly string[], dimensions: readonly Dimension[]) {
    this.#names = names;
    this.#dimensions = dimensions;
  }

  /**
   * @param good 1 for each finished trial that counts as good; pending ones count as bad, so that a
   * batch spreads out (the constant liar of Ginsbourger, Le Riche, Carraro, "Kriging is well-suited
   * to parallelize optimization", 2010)
   */
  read({ history, pending }: SearchState, good: Uint8Array): Observations {
    const trials = history.length + pending.length;
    const width = this.#names.length;
    const points = new Float64Array(width * trials);
    const goodRows: number[] = [];
    const badRows: number[] = [];
    for (let row = 0; row < trials; row++) {
      const isFinished = row < history.length;
      const parameters = isFinished ? history[row].parameters : pending[row - history.length];
      const coordinates = this.#coordinates(parameters);
      let isComplete = true;
      for (let d = 0; d < width; d++) {
        const coordinate = coordinates[d];
        points[d * trials + row] = coordinate;
        if (Number.isNaN(coordinate)) isComplete = false;
      }
      if (isComplete) (isFinished && good[row] === 1 ? goodRows : badRows).push(row);
    }
    return { points, trials, goodRows, badRows };
  }

  #coordinates(parameters: Parameters): Float64Array {
    const known = this.#known.get(parameters);
    if (known !== undefined) return known;
    const coordinates = Float64Array.from(this.#dimensions, (dimension, d) =>
      coordinateOf(dimension, parameters[this.#names[d]]),
    );
    this.#known.set(parameters, coordinates);
    return coordinates;
  }
}
