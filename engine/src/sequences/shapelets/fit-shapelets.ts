/**
 * Shapelets as they are drawn from training sequences (Guillaume, Vrain & Elloumi 2022, §3.2): a window of
 * one of them with gaps of a dilation, most of them scaled, and below which distance it is found in a sequence.
 */

import { CounterRandom, extendKey, type RandomKey } from "../../compute/random.ts";
import { quantile } from "../../data/quantile.ts";
import { type ChannelScaling, ChannelTreatment } from "../channel-treatment.ts";
import {
  checkSequenceSet,
  lengthOf,
  longestOf,
  type SequenceSet,
  sequencesOf,
} from "../sequence-set.ts";
import { ShapeletTransform } from "./shapelet-transform.ts";
import { FLAT, type Shapelets } from "./shapelets.ts";

/** Values of a shapelet, of a sequence of as many steps at least. */
const LENGTH = 11;
/** Of several channels, that a shapelet is of at most. */
const MOST_CHANNELS = 8;
/** Of shapelets, those whose windows are compared by their shape alone. */
const NORMALISED = 0.8;
/** Of a sequence of the same class, the shares of windows that are nearer: where thresholds are drawn. */
const NEAREST = { low: 0.05, high: 0.1 };
/** Of that sequence, more are not looked at. */
const MOST_WINDOWS = 200;
/** Of the training sequences' lengths: in a shorter one a shapelet of the largest dilation does not fit. */
const SHORT = 0.1;
interface Drawn {
  readonly dilation: number;
  readonly normalised: boolean;
  readonly threshold: number;
  readonly channels: readonly number[];
  readonly weights: readonly number[][];
}

export interface ShapeletOptions {
  /** Default 3000. */
  readonly shapelets?: number;
  /** Default `channel`. */
  readonly scaling?: ChannelScaling;
  /** One a training sequence: thresholds are of sequences of a shapelet's own class. Absent: of any. */
  readonly classes?: Float64Array;
  /** Called now and then; what it throws ends the fit. */
  readonly between?: (() => void) | undefined;
}

/**
 * @param rows the training sequences; null = all
 * @throws RangeError where there are no shapelets to draw
 */
export function fitShapelets(
  set: SequenceSet,
  rows: Uint32Array | null,
  key: RandomKey,
  { shapelets = 3000, scaling = "channel", classes, between }: ShapeletOptions = {},
): ShapeletTransform {
  checkSequenceSet(set);
  if (shapelets < 1) throw new RangeError(`There is at least one shapelet, not ${shapelets}.`);
  const train = sequencesOf(set, rows);
  const treatment = ChannelTreatment.fit(set, train, scaling);
  const drawn = drawShapelets(set, train, treatment, extendKey(key, "shapelets"), {
    count: shapelets,
    classes: classes ?? null,
    between,
  });
  return new ShapeletTransform(treatment, drawn);
}

/**
 * @param train the sequences to draw from
 * @param classes of each of them; null = a threshold is of any other one
 */
function drawShapelets(
  set: SequenceSet,
  train: Uint32Array,
  treatment: ChannelTreatment,
  key: RandomKey,
  {
    count,
    classes,
    between,
  }: {
    readonly count: number;
    readonly classes: Float64Array | null;
    readonly between: (() => void) | undefined;
  },
): Shapelets {
  const longest = longestOf(set, train);
  const lengths = Float64Array.from(train, (row) => lengthOf(set, row)).sort();
  const most = quantile(lengths, SHORT);
  const length = Math.max(2, Math.min(LENGTH, longest >> 1));
  const random = new CounterRandom(key);
  const line = new Float64Array(longest);
  const alike = ofClasses(train, classes);
  const all: Drawn[] = [];
  for (let s = 0; s < count; s++) {
    between?.();
    const place = random.nextInteger(train.length);
    const steps = lengthOf(set, train[place]);
    const largest = Math.max(1, (Math.min(steps, most) - 1) / (length - 1));
    const dilation = Math.floor(largest ** random.nextFloat());
    const reach = (length - 1) * dilation;
    const at = random.nextInteger(Math.max(1, steps - reach));
    const normalised = random.nextFloat() < NORMALISED;
    const channels = drawChannels(random, set.channels);
    const shape = { length, dilation, normalised };
    const weights = channels.map((channel) => {
      treatment.write(set, train[place], channel, line);
      return windowOf(line, steps, at, shape);
    });
    const others = alike(place);
    const drawn = random.nextInteger(others.length);
    const other = train[others[others[drawn] === place ? (drawn + 1) % others.length : drawn]];
    const windows = Math.max(1, lengthOf(set, other) - reach);
    const every = Math.ceil(windows / MOST_WINDOWS);
    const distances = new Float64Array(Math.ceil(windows / every));
    for (const [m, channel] of channels.entries()) {
      treatment.write(set, other, channel, line);
      addDistances(line, lengthOf(set, other), every, shape, weights[m], distances);
    }
    const shares = NEAREST.low + (NEAREST.high - NEAREST.low) * random.nextFloat();
    const threshold = quantile(distances.sort(), shares);
    all.push({ dilation, normalised, threshold, channels, weights });
  }
  return inArrays(length, all);
}

/** Of each sequence, the others of its class; of one that is alone, itself. */
function ofClasses(
  train: Uint32Array,
  classes: Float64Array | null,
): (place: number) => readonly number[] {
  const all = [...train.keys()];
  if (classes === null) return () => all;
  const byClass = new Map<number, number[]>();
  for (const place of all) {
    const own = byClass.get(classes[place]) ?? [];
    own.push(place);
    byClass.set(classes[place], own);
  }
  return (place) => byClass.get(classes[place]) ?? all;
}

/** To the distances of windows, so many steps from one to the next, what a channel adds. */
function addDistances(
  line: Float64Array,
  steps: number,
  every: number,
  shape: WindowShape,
  weights: readonly number[],
  distances: Float64Array,
): void {
  const { length, dilation } = shape;
  const values = new Float64Array(length);
  for (let i = 0; i < distances.length; i++) {
    for (let w = 0; w < length; w++) {
      values[w] = line[Math.min(steps - 1, i * every + w * dilation)];
    }
    if (shape.normalised) normalise(values);
    for (let w = 0; w < length; w++) distances[i] += Math.abs(values[w] - weights[w]);
  }
}

/** Fewer are likelier than many, without repeats. */
function drawChannels(random: CounterRandom, channels: number): number[] {
  if (channels === 1) return [0];
  const count = Math.floor((Math.min(channels, MOST_CHANNELS) + 1) ** random.nextFloat());
  const order = random.shuffle(Array.from({ length: channels }, (_, channel) => channel));
  return order.slice(0, count).sort((a, b) => a - b);
}

/** How many a shapelet is of, on average. */
export function channelsOfShapelet(channels: number): number {
  const most = Math.min(channels, MOST_CHANNELS);
  return most === 1 ? 1 : most / Math.log(most + 1);
}

interface WindowShape {
  readonly length: number;
  readonly dilation: number;
  readonly normalised: boolean;
}

/** Beyond the end, the last value. */
export function windowOf(
  line: ArrayLike<number>,
  steps: number,
  at: number,
  { length, dilation, normalised }: WindowShape,
): number[] {
  const values = Array.from({ length }, (_, i) => line[Math.min(steps - 1, at + i * dilation)]);
  if (normalised) normalise(values);
  return values;
}

/** In place. */
function normalise(values: number[] | Float64Array): void {
  let [sum, squares] = [0, 0];
  for (const value of values) sum += value;
  const mean = sum / values.length;
  for (const value of values) squares += (value - mean) ** 2;
  const deviation = Math.sqrt(squares / values.length);
  const scale = deviation > FLAT * Math.abs(mean) ? deviation : 1;
  for (let i = 0; i < values.length; i++) values[i] = (values[i] - mean) / scale;
}

function inArrays(length: number, drawn: readonly Drawn[]): Shapelets {
  const sorted = drawn.toSorted((a, b) => a.dilation - b.dilation);
  const starts = new Int32Array(sorted.length + 1);
  for (const [s, { channels }] of sorted.entries()) starts[s + 1] = starts[s] + channels.length;
  return {
    length,
    dilations: Int32Array.from(sorted, ({ dilation }) => dilation),
    normalised: Int32Array.from(sorted, ({ normalised }) => Number(normalised)),
    thresholds: Float32Array.from(sorted, ({ threshold }) => threshold),
    starts,
    members: Int32Array.from(sorted.flatMap(({ channels }) => channels)),
    weights: Float32Array.from(sorted.flatMap(({ weights }) => weights.flat())),
  };
}
