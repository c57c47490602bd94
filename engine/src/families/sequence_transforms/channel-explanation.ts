/**
 * What each channel of a sequence adds to its prediction: Shapley values over channels, where one that is
 * left out is missing throughout, which transforms take as its mean in training (Shapley 1953; sampled by
 * antithetic orders where channels are many: Mitchell, Cooper, Frank & Holmes, JMLR 23, 2022, §3).
 */

import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { type SequenceFrame, takeSequences } from "../../data/frame.ts";
import { type Task, typeOf } from "../../tasks/index.ts";
import type { Explanation } from "../family.ts";

/** Up to so many all coalitions are asked. */
const EXACT_CHANNELS = 4;
/** A coalition is a word of bits. */
const MOST_BITS = 30;
/** Orders of more channels, each with its reverse. */
const ORDERS = 4;

export interface ChannelRequest {
  readonly task: Task;
  readonly frame: SequenceFrame;
  /** Null = all. */
  readonly rows: Uint32Array | null;
  /** Of the data, which have no part. */
  readonly features: number;
  readonly channels: number;
  /** Whether a channel may have a part in any margin; absent: all may. */
  readonly isRead?: (channel: number) => boolean;
  readonly margins: (frame: SequenceFrame, rows: Uint32Array | null) => Float64Array;
}

export function explainChannels(request: ChannelRequest): Explanation {
  const { task, rows, features, channels, margins } = request;
  const frame = rows ? takeSequences(request.frame, rows) : request.frame;
  const known = new Map<number, Float64Array>();
  const missing = frame.values.map((values) => new Float64Array(values.length).fill(Number.NaN));
  /** @param coalition a bit a channel that is there */
  const marginsOf = (coalition: number): Float64Array => {
    const found = known.get(coalition);
    if (found) return found;
    const values = frame.values.map((own, c) => ((coalition >> c) & 1 ? own : missing[c]));
    const value = margins({ ...frame, values }, null);
    known.set(coalition, value);
    return value;
  };
  const all = 2 ** channels - 1;
  const whole = margins(frame, null);
  const width = whole.length / Math.max(1, frame.count);
  const empty = channels <= MOST_BITS ? marginsOf(0) : margins({ ...frame, values: missing }, null);
  const base = rowOf(empty, width);
  const shares = Array.from({ length: channels }, () => new Float64Array(whole.length));
  const orders = channels > MOST_BITS ? [] : ordersOf(channels);
  for (const order of orders) {
    let coalition = 0;
    let before = marginsOf(0);
    for (const channel of order) {
      coalition |= 1 << channel;
      const after = coalition === all ? whole : marginsOf(coalition);
      for (let i = 0; i < whole.length; i++) {
        shares[channel][i] += (after[i] - before[i]) / orders.length;
      }
      before = after;
    }
  }
  if (orders.length === 0) oneByOne(request, frame, missing, whole, shares);
  const columns = features + channels;
  const contributions = new Float64Array(frame.count * columns * width);
  for (let row = 0; row < frame.count; row++) {
    for (let c = 0; c < channels; c++) {
      for (let k = 0; k < width; k++) {
        const at = row * width + k;
        // Lengths differ, and what is said of nothing with them: all channels share that.
        const ofLength = (empty[at] - base[k]) / channels;
        contributions[(row * columns + features + c) * width + k] = shares[c][at] + ofLength;
      }
    }
  }
  return { space: typeOf(task).link, baseValues: base, contributions, margins: whole };
}

/** Of a fit that learned from channels alone, and does not tell which said more. */
export function evenChannels(features: number, channels: number): Float64Array {
  return new Float64Array(features + channels).fill(1 / channels, features);
}

/** With every channel missing all sequences of one length are alike; of several, their mean. */
function rowOf(values: Float64Array, width: number): Float64Array {
  const base = new Float64Array(width);
  const rows = values.length / width;
  for (const [i, value] of values.entries()) base[i % width] += value / rows;
  return base;
}

function ordersOf(channels: number): number[][] {
  if (channels <= EXACT_CHANNELS)
    return permutations(Array.from({ length: channels }, (_, c) => c));
  const random = new CounterRandom(deriveKey(channels, "channel-orders"));
  return Array.from({ length: ORDERS }, () => {
    const order = [...random.shuffle(Uint32Array.from({ length: channels }, (_, c) => c))];
    return [order, order.toReversed()];
  }).flat();
}

function permutations(items: readonly number[]): number[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first) =>
    permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}

/** Of very many channels: what each takes away alone, in the proportions that add up. */
function oneByOne(
  { margins, channels, isRead }: ChannelRequest,
  frame: SequenceFrame,
  missing: readonly Float64Array[],
  whole: Float64Array,
  shares: readonly Float64Array[],
): void {
  const empty = margins({ ...frame, values: missing }, null);
  for (let c = 0; c < channels; c++) {
    if (isRead?.(c) === false) continue;
    const values = frame.values.map((own, other) => (other === c ? missing[c] : own));
    const without = margins({ ...frame, values }, null);
    for (let i = 0; i < whole.length; i++) shares[c][i] = whole[i] - without[i];
  }
  for (let i = 0; i < whole.length; i++) {
    let [sum, size] = [0, 0];
    for (const share of shares) {
      sum += share[i];
      size += Math.abs(share[i]);
    }
    const rest = whole[i] - empty[i] - sum;
    for (const share of shares)
      share[i] += size > 0 ? (rest * Math.abs(share[i])) / size : rest / channels;
  }
}
