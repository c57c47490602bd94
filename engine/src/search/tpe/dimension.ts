/**
 * A parameter as a Parzen estimator sees it: a point of the unit interval (of the logarithm, where
 * the parameter has a log scale), or the index of a choice. Values on a grid own a cell of one
 * step around them.
 */

import { highestOf, type NumericParameter, nearestValue, stepOf, valueCount } from "../domain.ts";
import type { CategoricalParameter, Parameter, ParameterValue } from "../space.ts";

export interface NumericDimension {
  readonly kind: "continuous" | "discrete";
  readonly parameter: NumericParameter;
  /** Where the unit interval begins, on the parameter's scale. */
  readonly origin: number;
  /** What its length is on that scale. */
  readonly extent: number;
}

export interface CategoricalDimension {
  readonly kind: "categorical";
  readonly parameter: CategoricalParameter;
}

export type Dimension = NumericDimension | CategoricalDimension;

export function dimensionOf(parameter: Parameter): Dimension {
  if (parameter.type === "categorical") return { kind: "categorical", parameter };
  const half = stepOf(parameter) / 2;
  const low = parameter.low - half;
  const high = highestOf(parameter) + half;
  const origin = parameter.log ? Math.log(low) : low;
  return {
    kind: half === 0 ? "continuous" : "discrete",
    parameter,
    origin,
    extent: (parameter.log ? Math.log(high) : high) - origin,
  };
}

/** Where a number lies, in [0, 1] if it is within the bounds. */
export function toUnit({ parameter, origin, extent }: NumericDimension, value: number): number {
  return ((parameter.log ? Math.log(value) : value) - origin) / extent;
}

/** The legal value nearest to a place in the unit interval. */
export function fromUnit({ parameter, origin, extent }: NumericDimension, unit: number): number {
  const scaled = origin + unit * extent;
  return nearestValue(parameter, parameter.log ? Math.exp(scaled) : scaled);
}

/** How many values a discrete dimension has. */
export function gridSize(dimension: NumericDimension): number {
  return valueCount(dimension.parameter);
}

/** The index of a discrete dimension's value that lies at `unit`. */
export function gridPlaceOf(dimension: NumericDimension, unit: number): number {
  const { parameter } = dimension;
  return Math.round((fromUnit(dimension, unit) - parameter.low) / stepOf(parameter));
}

/**
 * A value as a coordinate: a place in [0, 1] or the index of a choice; NaN for what is absent or not
 * in the space (a trial may come from elsewhere, such as a family's defaults).
 */
export function coordinateOf(dimension: Dimension, value: ParameterValue | undefined): number {
  if (dimension.kind === "categorical") {
    const index = value === undefined ? -1 : dimension.parameter.choices.indexOf(value);
    return index < 0 ? Number.NaN : index;
  }
  const { low, high, log } = dimension.parameter;
  if (typeof value !== "number" || !(value >= low && value <= high)) return Number.NaN;
  return ((log ? Math.log(value) : value) - dimension.origin) / dimension.extent;
}

export function valueAtCoordinate(dimension: Dimension, coordinate: number): ParameterValue {
  if (dimension.kind === "categorical") return dimension.parameter.choices[coordinate];
  return fromUnit(dimension, coordinate);
}
