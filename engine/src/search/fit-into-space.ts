/** Given parameters, made a point of a space. */

import { isActive, parameterOrder } from "./activation.ts";
import { nearestValue, valueAt } from "./domain.ts";
import type { Parameter, Parameters, ParameterValue, SearchSpace } from "./space.ts";

/**
 * The point of `space` nearest to `values`: numbers move to the nearest legal one, choices that are
 * not there become the first one, parameters that the space lacks or whose condition does not hold
 * leave, and those without a value take their middle.
 */
export function fitIntoSpace(space: SearchSpace, values: Parameters): Parameters {
  const point: Record<string, ParameterValue> = {};
  for (const name of parameterOrder(space)) {
    if (!isActive(space[name], point)) continue;
    point[name] = Object.hasOwn(values, name)
      ? nearest(space[name], values[name])
      : middle(space[name]);
  }
  // In the order of the space, whatever depends on what.
  return Object.fromEntries(
    Object.keys(space).flatMap((name) => (name in point ? [[name, point[name]]] : [])),
  );
}

function nearest(parameter: Parameter, value: ParameterValue): ParameterValue {
  if (parameter.type === "categorical") {
    return parameter.choices.includes(value) ? value : parameter.choices[0];
  }
  return typeof value === "number" ? nearestValue(parameter, value) : middle(parameter);
}

function middle(parameter: Parameter): ParameterValue {
  if (parameter.type === "categorical") return valueAt(parameter, 0);
  const { low, high, log } = parameter;
  return nearestValue(parameter, log ? Math.sqrt(low * high) : (low + high) / 2);
}
