/** The search of one group of parameters: those that are always present together. */

import type { CounterRandom } from "../../compute/random.ts";
import type { ActivationGroup } from "../activation.ts";
import { valueAt, valueCount } from "../domain.ts";
import type { SearchState } from "../sampler.ts";
import type { Parameters, ParameterValue, SearchSpace } from "../space.ts";
import { coordinateOf, type Dimension, dimensionOf, valueAtCoordinate } from "./dimension.ts";
import { inCoordinateOrder } from "./kernel-table.ts";
import { ParzenEstimator } from "./parzen-estimator.ts";
import type { TrialSplit } from "./split-by-dominance.ts";

/** Values for all parameters of a group. */
export type GroupValues = readonly (readonly [name: string, value: ParameterValue])[];

export class GroupSearch {
  readonly conditions: ActivationGroup["conditions"];
  /** Parameters of a single value: nothing to learn. */
  readonly #constants: GroupValues;
  readonly #dimensions: readonly (Dimension & { readonly name: string })[];
  readonly #reader: ObservationReader;
  readonly #good: ParzenEstimator;
  readonly #bad: ParzenEstimator;

  constructor(space: SearchSpace, { names, conditions }: ActivationGroup) {
    this.conditions = conditions;
    const isConstant = (name: string) => valueCount(space[name]) === 1;
    this.#constants = names
      .filter(isConstant)
      .map((name) => [name, valueAt(space[name], 0)] as const);
    this.#dimensions = inCoordinateOrder(
      names
        .filter((name) => !isConstant(name))
        .map((name) => ({ ...dimensionOf(space[name]), name })),
    );
    this.#reader = new ObservationReader(
      this.#dimensions.map((dimension) => dimension.name),
      this.#dimensions,
    );
    this.#good = new ParzenEstimator(this.#dimensions);
    this.#bad = new ParzenEstimator(this.#dimensions);
  }

  /**
   * Candidates drawn from the density of good trials, the one with the largest ratio of the good
   * to the bad density first: the order of expected improvement (Bergstra et al. 2011, §4.1).
   */
  candidates(
    state: SearchState,
    { good, weights }: TrialSplit,
    count: number,
    random: CounterRandom,
  ): readonly GroupValues[] {
    if (this.#dimensions.length === 0) return [this.#constants];
    const { points, trials, goodRows, badRows } = this.#reader.read(state, good);
    this.#good.fit(points, trials, goodRows, weights);
    this.#bad.fit(points, trials, badRows);
    const drawn = this.#good.sample(count, random);
    const ratio = this.#good.logDensity(drawn);
    this.#bad.logDensity(drawn).forEach((logDensity, i) => {
      ratio[i] -= logDensity;
    });
    const order = Array.from(ratio.keys()).sort((a, b) => ratio[b] - ratio[a] || a - b);
    return order.map((i) => [
      ...this.#constants,
      ...this.#dimensions.map(
        (dimension, d) =>
          [
            dimension.name,
            valueAtCoordinate(dimension, drawn[i * this.#dimensions.length + d]),
          ] as const,
      ),
    ]);
  }
}

/** Past trials as coordinates. */
interface Observations {
  /** Dimension-major, dimensions × trials; finished trials first, then pending ones. */
  readonly points: Float64Array;
  readonly trials: number;
  /** Trials that have every dimension, split by `good`, oldest first. */
  readonly goodRows: number[];
  readonly badRows: number[];
}

class ObservationReader {
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
