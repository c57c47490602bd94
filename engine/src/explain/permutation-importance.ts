/**
 * Permutation importance: how much worse a model scores on rows whose values of one feature (or of
 * all features of one column) were shuffled (Breiman 2001, §10; Fisher, Rudin & Dominici 2019).
 * Best measured on rows that the model did not learn from.
 */

import { CounterRandom, extendKey, type RandomKey } from "../compute/random.ts";
import type { EncodedData } from "../data/encoded.ts";
import { type Metric, toLoss } from "../metrics/metric.ts";
import type { FeatureGroup } from "./feature-group.ts";
import type { GroupImportance } from "./importance.ts";
import { ShuffledFeatures } from "./shuffled-features.ts";

export interface PermutationInput {
  readonly data: EncodedData;
  /** Rows of `data` to score. */
  readonly rows: Uint32Array;
  /** One a row of `data`: the value, or the index of the class. */
  readonly target: Float64Array;
  /** One a row of `data`; null = equal weights. */
  readonly weights: Float64Array | null;
  /** Predictions for all rows of the data given, row-major; e.g. a model's, or a blend's. */
  readonly predict: (data: EncodedData) => Float64Array;
  readonly metric: Metric;
  readonly groups: readonly FeatureGroup[];
  /** Shuffles of each group, ≥ 1. */
  readonly repeats: number;
  readonly key: RandomKey;
  /** At most this many of `rows` are scored, drawn without replacement; default all. */
  readonly maximumRows?: number;
}

export interface PermutationImportance extends GroupImportance {
  /** Mean over repeats of the rise of the metric as a loss; negative where shuffling helped. */
  readonly importance: number;
  /** Standard deviation over repeats (of a sample); 0 for one repeat. */
  readonly deviation: number;
}

/** In the order of the groups. NaN where the metric is undefined on these rows. */
export function permutationImportance(input: PermutationInput): PermutationImportance[] {
  const { data, metric, groups, repeats, key } = input;
  const rows = sampled(input.rows, input.maximumRows, key);
  const pick = (values: Float64Array) => Float64Array.from(rows, (row) => values[row]);
  const target = pick(input.target);
  const weights = input.weights === null ? null : pick(input.weights);
  return ShuffledFeatures.over(data, rows, (copy) => {
    const loss = (): number => {
      const predictions = input.predict(copy.data);
      const outputs = predictions.length / rows.length;
      return toLoss(metric, metric.score({ target, predictions, outputs, weights }));
    };
    const unshuffled = loss();
    return groups.map(({ name, features }) => {
      const rises: number[] = [];
      for (let repeat = 0; repeat < repeats; repeat++) {
        const random = new CounterRandom(extendKey(key, "permutation", name, repeat));
        const order = random.shuffle(Uint32Array.from(rows, (_, index) => index));
        copy.shuffle(features, order);
        rises.push(loss() - unshuffled);
      }
      copy.restore(features);
      const importance = rises.reduce((sum, rise) => sum + rise, 0) / repeats;
      const squares = rises.reduce((sum, rise) => sum + (rise - importance) ** 2, 0);
      return { name, importance, deviation: repeats > 1 ? Math.sqrt(squares / (repeats - 1)) : 0 };
    });
  });
}

/** `maximum` of the rows, ascending; which ones depends on the key alone. */
function sampled(rows: Uint32Array, maximum: number | undefined, key: RandomKey): Uint32Array {
  if (maximum === undefined || rows.length <= maximum) return rows;
  const random = new CounterRandom(extendKey(key, "permutation-rows"));
  return random.shuffle(rows.slice()).subarray(0, maximum).toSorted();
}
