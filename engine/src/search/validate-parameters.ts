/** Refuses parameter values that a space does not hold. */

import type { Parameter, Parameters, ParameterValue, SearchSpace } from "./space.ts";
import { SearchSpaceError } from "./space.ts";

/** The legal values in words, e.g. `a whole number from 2 to 200`. */
export function legalValues(parameter: Parameter): string {
  if (parameter.type === "categorical") {
    const choices = parameter.choices.map((choice) => JSON.stringify(choice));
    return choices.length === 1 ? choices[0] : `one of ${choices.join(", ")}`;
  }
  const kind = parameter.type === "int" ? "a whole number" : "a number";
  return `${kind} from ${parameter.low} to ${parameter.high}`;
}

/**
 * What is wrong with the value, or null. A step is a grid for the search, not a law: any value
 * within the bounds may be fixed.
 */
export function validateValue(parameter: Parameter, value: ParameterValue): string | null {
  const legal =
    parameter.type === "categorical"
      ? parameter.choices.includes(value)
      : typeof value === "number" &&
        value >= parameter.low &&
        value <= parameter.high &&
        (parameter.type === "float" || Number.isInteger(value));
  return legal ? null : `${JSON.stringify(value)} is not ${legalValues(parameter)}.`;
}

/** @throws SearchSpaceError for a parameter that `space` does not have */
export function knownParameter(space: SearchSpace, name: string): Parameter {
  if (Object.hasOwn(space, name)) return space[name];
  throw new SearchSpaceError(
    `Unknown parameter "${name}". Known parameters: ${Object.keys(space).join(", ")}.`,
    name,
  );
}

/**
 * Checks each given value against the space; parameters that are not given are not missed, and
 * conditions are not looked at.
 *
 * @throws SearchSpaceError naming the first parameter that is unknown or has an illegal value
 */
export function validateParameters(space: SearchSpace, parameters: Parameters): void {
  for (const [name, value] of Object.entries(parameters)) {
    const fault = validateValue(knownParameter(space, name), value);
    if (fault !== null) throw new SearchSpaceError(`Parameter "${name}": ${fault}`, name);
  }
}
