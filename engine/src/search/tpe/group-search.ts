/** The search of one group of parameters: those that are always present together. */

import type { CounterRandom } from "../../compute/random.ts";
import type { ActivationGroup } from "../activation.ts";
import { valueAt, valueCount } from "../domain.ts";
import type { SearchState } from "../sampler.ts";
import type { ParameterValue, SearchSpace } from "../space.ts";
import { type Dimension, dimensionOf, valueAtCoordinate } from "./dimension.ts";
import { inCoordinateOrder } from "./kernel-table.ts";
import { ObservationReader } from "./observations.ts";
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
