/**
 * What becomes of a number before it is centred and scaled: one column, or a spline's several.
 *
 * - identity: the number;
 * - clip: held between the 1st and the 99th percentile of the training rows;
 * - clip_far: held within one span of the 2.5th to the 97.5th percentile beyond them, as a spline is: what is
 *   no outlier stays as it is;
 * - signed_log: sign(z) · log(1 + |z|), z being the number less a centre over a typical size;
 * - quantile_normal: its place among 128 training quantiles, as a normal score (monotone, bounded);
 * - spline: a restricted cubic spline, linear beyond the outer knots (Harrell, "Regression
 *   Modeling Strategies", §2.4.5), and level beyond the training values: the slopes at the ends of columns that
 *   say much the same cancel out there alone. It is level from one span of the knots beyond them on in any case.
 *
 * Quantiles are those of at most 20,000 evenly spaced training rows, weights not regarded.
 */

import { z } from "zod";
import { interpolated } from "../../compute/interpolation.ts";

export const NUMERIC_TRANSFORMS = [
  "none",
  "clip",
  "clip_far",
  "signed_log",
  "quantile_normal",
  "spline",
] as const;

export type NumericTransformName = (typeof NUMERIC_TRANSFORMS)[number];

const numbers = z.array(z.number());

export const numericTransformSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("identity") }),
  z.strictObject({ kind: z.literal("clip"), low: z.number(), high: z.number() }),
  z.strictObject({ kind: z.literal("signed_log"), centre: z.number(), size: z.number() }),
  z.strictObject({ kind: z.literal("quantile_normal"), knots: numbers, scores: numbers }),
  z.strictObject({
    kind: z.literal("spline"),
    knots: numbers,
    /** The least and the greatest training value; null in models of before they were kept. */
    range: z.tuple([z.number(), z.number()]).nullable().default(null),
  }),
]);

export type NumericTransform = z.infer<typeof numericTransformSchema>;

export const QUANTILES = 128;
export const QUANTILE_ROWS = 20_000;

/** Columns that the transform makes of one number. */
export function transformColumns(transform: NumericTransform): number {
  return transform.kind === "spline" ? transform.knots.length - 1 : 1;
}

/** A transform as kernels take it (`kernels/assembly/linear/linear.ts`). */
export interface KernelTransform {
  /** 0: they are given its columns. */
  readonly kind: number;
  readonly knots: readonly number[];
  /** Behind the knots: of an interpolation alone. */
  readonly scores: readonly number[];
}

export function kernelTransform(transform: NumericTransform): KernelTransform {
  switch (transform.kind) {
    case "spline":
      return { kind: 1, knots: transform.knots, scores: [] };
    case "quantile_normal":
      return { kind: 2, knots: transform.knots, scores: transform.scores };
    default:
      return GIVEN;
  }
}

export const GIVEN: KernelTransform = { kind: 0, knots: [], scores: [] };

/**
 * Fits `name` to a feature's present training values, which `sample` gives in ascending order.
 * Falls back to identity where the values are too few to carry the transform.
 *
 * @param rangeOf the least and the greatest of all training values
 */
export function fitTransform(
  name: NumericTransformName,
  sample: () => Float64Array,
  splineKnots: number,
  rangeOf: () => [number, number],
): NumericTransform {
  if (name === "none") return { kind: "identity" };
  const sorted = sample();
  if (sorted.length === 0) return { kind: "identity" };
  if (name === "clip") return clipBetween(quantile(sorted, 0.01), quantile(sorted, 0.99));
  if (name === "clip_far") {
    const [from, to] = [quantile(sorted, 0.025), quantile(sorted, 0.975)];
    return clipBetween(2 * from - to, 2 * to - from);
  }
  if (name === "signed_log") return fitSignedLog(sorted);
  if (name === "quantile_normal") return fitQuantileNormal(sorted);
  const tail = splineKnots <= 4 ? 0.05 : 0.025;
  const knots: number[] = [];
  for (let k = 0; k < splineKnots; k++) {
    const knot = quantile(sorted, tail + ((1 - 2 * tail) * k) / (splineKnots - 1));
    if (knots.length === 0 || knot > knots[knots.length - 1]) knots.push(knot);
  }
  return knots.length < 3 ? { kind: "identity" } : { kind: "spline", knots, range: rangeOf() };
}

/** Where nearly all values are one, the others are what it has to say. */
function clipBetween(low: number, high: number): NumericTransform {
  return low < high ? { kind: "clip", low, high } : { kind: "identity" };
}

function fitSignedLog(sorted: Float64Array): NumericTransform {
  const centre = sorted[0] >= 0 ? 0 : quantile(sorted, 0.5);
  const sizes = sorted
    .map((value) => Math.abs(value - centre))
    .filter((size) => size > 0)
    .sort();
  const size = sizes.length === 0 ? 1 : quantile(sizes, 0.5);
  return { kind: "signed_log", centre, size: Number.isFinite(size) && size > 0 ? size : 1 };
}

function fitQuantileNormal(sorted: Float64Array): NumericTransform {
  const knots: number[] = [];
  const places: { sum: number; count: number }[] = [];
  const count = Math.min(QUANTILES, sorted.length);
  for (let q = 0; q < count; q++) {
    const place = (q + 0.5) / count;
    const knot = quantile(sorted, place);
    if (knots.length > 0 && knot === knots[knots.length - 1]) {
      places[places.length - 1].sum += place;
      places[places.length - 1].count++;
    } else {
      knots.push(knot);
      places.push({ sum: place, count: 1 });
    }
  }
  if (knots.length < 3) return { kind: "identity" };
  const scores = places.map(({ sum, count: times }) => normalQuantile(sum / times));
  return { kind: "quantile_normal", knots, scores };
}

/** Linear interpolation between order statistics, as numpy's default. */
function quantile(sorted: Float64Array, probability: number): number {
  const place = probability * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  const part = place - below;
  return sorted[below] * (1 - part) + sorted[above] * part;
}

/** Writes `transformColumns` numbers of a finite `value` to out[at], out[at + stride], …. */
export function applyTransform(
  transform: NumericTransform,
  value: number,
  out: Float64Array,
  at: number,
  stride: number,
): void {
  switch (transform.kind) {
    case "identity":
      out[at] = value;
      return;
    case "clip":
      out[at] = Math.min(transform.high, Math.max(transform.low, value));
      return;
    case "signed_log": {
      const scaled = (value - transform.centre) / transform.size;
      out[at] = Math.sign(scaled) * Math.log1p(Math.abs(scaled));
      return;
    }
    case "quantile_normal":
      out[at] = interpolated(transform.knots, transform.scores, value);
      return;
    case "spline":
      applySpline(transform.knots, heldIn(transform.range, value), out, at, stride);
  }
}

/** NaN stays NaN. @param range null: anywhere */
export function heldIn(range: readonly [number, number] | null, value: number): number {
  if (range === null) return value;
  return Math.max(range[0], Math.min(range[1], value));
}

/** The number on the scale of the knots, then one cubic term for each knot but the last two. */
function applySpline(
  knots: readonly number[],
  value: number,
  out: Float64Array,
  at: number,
  stride: number,
): void {
  const count = knots.length;
  const range = knots[count - 1] - knots[0];
  const place = Math.min(2, Math.max(-1, (value - knots[0]) / range));
  const lastGap = (knots[count - 1] - knots[count - 2]) / range;
  const beforeLast = (knots[count - 2] - knots[0]) / range;
  const afterLast = cube(place - 1);
  const afterBeforeLast = cube(place - beforeLast);
  out[at] = place;
  for (let k = 0; k < count - 2; k++) {
    const knot = (knots[k] - knots[0]) / range;
    out[at + (k + 1) * stride] =
      cube(place - knot) -
      (afterBeforeLast * (1 - knot)) / lastGap +
      (afterLast * (beforeLast - knot)) / lastGap;
  }
}

const cube = (value: number): number => (value > 0 ? value * value * value : 0);

/** Φ⁻¹ to 7 digits: Wichura, Algorithm AS 241 (PPND7), Appl. Stat. 37(3), 1988. */
export function normalQuantile(probability: number): number {
  const q = probability - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    const numerator = ((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179;
    const denominator = ((67.1875636 * r + 78.757757664) * r + 17.895169469) * r + 1;
    return (q * numerator) / denominator;
  }
  const tail = q < 0 ? probability : 1 - probability;
  const root = Math.sqrt(-Math.log(tail));
  let magnitude: number;
  if (root <= 5) {
    const r = root - 1.6;
    const numerator = ((0.17023821103 * r + 1.3067284816) * r + 2.75681539) * r + 1.4234372777;
    const denominator = (0.12021132975 * r + 0.737001643) * r + 1;
    magnitude = numerator / denominator;
  } else {
    const r = root - 5;
    const numerator = ((0.017337203997 * r + 0.42868294337) * r + 3.081226386) * r + 6.657905115;
    const denominator = (0.012258202635 * r + 0.24197894225) * r + 1;
    magnitude = numerator / denominator;
  }
  return q < 0 ? -magnitude : magnitude;
}
