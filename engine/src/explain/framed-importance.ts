/**
 * Permutation importance where rows are more than their features: a channel of sequences is shuffled
 * whole, features of series among the steps that are forecast. A series' own past cannot be another's,
 * so it has none.
 */

import { CounterRandom, extendKey } from "../compute/random.ts";
import type { EncodedData } from "../data/encoded.ts";
import { type Frame, type SequenceFrame, takeSequences } from "../data/frame.ts";
import { pickSeries, type SeriesRows, toLoss } from "../metrics/metric.ts";
import type { FeatureGroup } from "./feature-group.ts";
import {
  type PermutationImportance,
  type PermutationInput,
  riseOf,
  ShuffledFeatures,
  sampled,
} from "./permutation-importance.ts";

export interface FramedPermutationInput extends Omit<PermutationInput, "predict"> {
  /** Of `data` with another frame or other features; row-major, over the rows, null = all. */
  readonly predict: (data: EncodedData, rows: Uint32Array | null) => Float64Array;
  /** Of forecasts, one a row of `data`. */
  readonly series: SeriesRows | null;
}

/** In the order of the groups, whose features are the data's and then the frame's (`frameFeatures`). */
export function framedImportance(
  input: FramedPermutationInput,
  frame: Frame,
): PermutationImportance[] {
  const { data, groups, repeats, key } = input;
  const own = data.features.length;
  const measured =
    frame.kind === "sequences"
      ? groups
      : groups.filter(({ features }) => features.some((feature) => feature < own));
  const rows =
    frame.kind === "sequences" ? sampled(input.rows, input.maximumRows, key) : input.rows;
  const lossOf =
    frame.kind === "sequences" ? sequenceLoss(input, frame, rows) : seriesLoss(input, frame, rows);
  const base = lossOf(null, null);
  return measured.map((group) => {
    const losses = Array.from({ length: repeats }, (_, repeat) => {
      const random = new CounterRandom(extendKey(key, "permutation", group.name, repeat));
      return lossOf(group, random.shuffle(Uint32Array.from(rows, (_, index) => index)));
    });
    return { name: group.name, ...riseOf(losses, base) };
  });
}

/** @param order the place among the rows that each row's values come from */
type LossOf = (group: FeatureGroup | null, order: Uint32Array | null) => number;

function sequenceLoss(
  input: FramedPermutationInput,
  frame: SequenceFrame,
  rows: Uint32Array,
): LossOf {
  const own = input.data.features.length;
  const taken = takeSequences(frame, rows);
  return (group, order) =>
    ShuffledFeatures.over(input.data, rows, (copy) => {
      const channels = new Set((group?.features ?? []).map((feature) => feature - own));
      if (group && order) {
        copy.shuffle(
          group.features.filter((feature) => feature < own),
          order,
        );
      }
      const shuffled = order ? withShuffled(taken, channels, order) : taken;
      return scored(input, rows, input.predict({ ...copy.data, frame: shuffled }, null));
    });
}

/** A shorter sequence's channel is missing where it has ended; a longer one's is cut. */
function withShuffled(
  frame: SequenceFrame,
  channels: ReadonlySet<number>,
  order: Uint32Array,
): SequenceFrame {
  const { offsets } = frame;
  const values = frame.values.map((channel, c) => {
    if (!channels.has(c)) return channel;
    const out = new Float64Array(channel.length).fill(Number.NaN);
    for (const [i, from] of order.entries()) {
      const length = Math.min(offsets[i + 1] - offsets[i], offsets[from + 1] - offsets[from]);
      out.set(channel.subarray(offsets[from], offsets[from] + length), offsets[i]);
    }
    return out;
  });
  return { ...frame, values };
}

/** All rows stay where they are, since the past of each is read with it. */
function seriesLoss(input: FramedPermutationInput, frame: Frame, rows: Uint32Array): LossOf {
  const own = input.data.features.length;
  const all = Uint32Array.from({ length: input.data.rows }, (_, row) => row);
  return (group, order) => {
    if (group === null || order === null) {
      return scored(input, rows, input.predict(input.data, rows));
    }
    return ShuffledFeatures.over(input.data, all, (copy) => {
      const places = all.slice();
      for (const [i, from] of order.entries()) places[rows[i]] = rows[from];
      copy.shuffle(
        group.features.filter((feature) => feature < own),
        places,
      );
      return scored(input, rows, input.predict({ ...copy.data, frame }, rows));
    });
  };
}

function scored(
  { target, weights, series, metric }: FramedPermutationInput,
  rows: Uint32Array,
  predictions: Float64Array,
): number {
  const pick = (values: Float64Array): Float64Array =>
    Float64Array.from(rows, (row) => values[row]);
  const score = metric.score({
    target: pick(target),
    predictions,
    outputs: rows.length === 0 ? 1 : predictions.length / rows.length,
    weights: weights && pick(weights),
    series: series && pickSeries(series, rows),
  });
  return toLoss(metric, score);
}
