/** The values a parameter can take. */

import type { CounterRandom } from "../compute/random.ts";
import { isActive, parameterOrder } from "./activation.ts";
import type {
  FloatParameter,
  IntegerParameter,
  Parameter,
  Parameters,
  ParameterValue,
  SearchSpace,
} from "./space.ts";

export type NumericParameter = FloatParameter | IntegerParameter;

/** The distance between neighbouring values; 0 for a continuous parameter. */
export function stepOf(parameter: NumericParameter): number {
  return parameter.step ?? (parameter.type === "int" ? 1 : 0);
}

/** The number of steps above `low` that fit below `high`, with room for a rounded quotient. */
function stepsIn(parameter: NumericParameter): number {
  return Math.floor((parameter.high - parameter.low) / stepOf(parameter) + 1e-9);
}

/** The value `steps` steps above the lowest one, without the dust of a binary fraction. */
function valueAtStep(parameter: NumericParameter, steps: number): number {
  const value = parameter.low + steps * stepOf(parameter);
  if (parameter.type === "int") return value;
  return Math.min(parameter.high, Number(value.toPrecision(15)));
}

/** The highest value, which with a step may lie below `high`. */
export function highestOf(parameter: NumericParameter): number {
  return stepOf(parameter) === 0 ? parameter.high : valueAtStep(parameter, stepsIn(parameter));
}

/** The legal value nearest to `value`. */
export function nearestValue(parameter: NumericParameter, value: number): number {
  const step = stepOf(parameter);
  if (step === 0) return Math.min(parameter.high, Math.max(parameter.low, value));
  const steps = Math.round((value - parameter.low) / step);
  return valueAtStep(parameter, Math.min(stepsIn(parameter), Math.max(0, steps)));
}

/** How many values there are; Infinity for a continuous parameter. */
export function valueCount(parameter: Parameter): number {
  if (parameter.type === "categorical") return parameter.choices.length;
  if (parameter.low === parameter.high) return 1;
  return stepOf(parameter) === 0 ? Number.POSITIVE_INFINITY : stepsIn(parameter) + 1;
}

/** Points of a space, those of its conditions counted as if they always held; Infinity for a continuous one. */
export function pointCount(space: SearchSpace): number {
  return Object.values(space).reduce((count, parameter) => count * valueCount(parameter), 1);
}

/** The value of that index in [0, valueCount), for a parameter of finitely many values. */
export function valueAt(parameter: Parameter, index: number): ParameterValue {
  if (parameter.type === "categorical") return parameter.choices[index];
  return stepOf(parameter) === 0 ? parameter.low : valueAtStep(parameter, index);
}

/**
 * The value at a place of the parameter's range, on the log scale where the parameter has one: a
 * uniform place gives each value of a grid, and each choice, its equal share.
 *
 * @param at in [0, 1)
 */
export function valueAtUniform(parameter: Parameter, at: number): ParameterValue {
  if (parameter.type === "categorical") {
    const { choices } = parameter;
    return choices[Math.min(choices.length - 1, Math.trunc(at * choices.length))];
  }
  const half = stepOf(parameter) / 2;
  const low = parameter.low - half;
  const high = highestOf(parameter) + half;
  if (!parameter.log) return nearestValue(parameter, low + at * (high - low));
  const logLow = Math.log(low);
  return nearestValue(parameter, Math.exp(logLow + at * (Math.log(high) - logLow)));
}

/** A value drawn uniformly, on the log scale where the parameter has one. */
function drawValue(parameter: Parameter, random: CounterRandom): ParameterValue {
  if (parameter.type === "categorical") {
    return parameter.choices[random.nextInteger(parameter.choices.length)];
  }
  return valueAtUniform(parameter, random.nextFloat());
}

/** A point of the space: every parameter that exists, given the others, drawn uniformly. */
export function drawPoint(space: SearchSpace, random: CounterRandom): Parameters {
  const point: Record<string, ParameterValue> = {};
  for (const name of parameterOrder(space)) {
    if (isActive(space[name], point)) point[name] = drawValue(space[name], random);
  }
  return point;
}
