/** Refuses search spaces that cannot be searched. */

import { parameterOrder } from "./activation.ts";
import type { Parameter, SearchSpace } from "./space.ts";
import { SearchSpaceError } from "./space.ts";
import { legalValues, validateValue } from "./validate-parameters.ts";

function validateParameter(name: string, parameter: Parameter): void {
  const fail = (message: string): never => {
    throw new SearchSpaceError(`Parameter "${name}": ${message}`, name);
  };
  if (parameter.type === "categorical") {
    if (parameter.choices.length === 0) fail("it has no choices.");
    const repeated = parameter.choices.find((v, i) => parameter.choices.indexOf(v) !== i);
    if (repeated !== undefined) fail(`the choice ${JSON.stringify(repeated)} is listed twice.`);
    return;
  }
  const { low, high, log, step } = parameter;
  if (!Number.isFinite(low) || !Number.isFinite(high)) {
    fail(`its bounds must be finite numbers, not ${low} and ${high}.`);
  }
  if (low > high) fail(`its low ${low} is above its high ${high}.`);
  if (parameter.type === "int" && !(Number.isSafeInteger(low) && Number.isSafeInteger(high))) {
    fail(`the bounds of an integer must be whole numbers, not ${low} and ${high}.`);
  }
  if (step !== undefined) {
    if (!(step > 0 && Number.isFinite(step))) fail(`its step must be above 0, not ${step}.`);
    if (parameter.type === "int" && !Number.isInteger(step)) {
      fail(`the step of an integer must be a whole number, not ${step}.`);
    }
    if (log && step !== 1) fail(`a log scale and a step of ${step} cannot be combined.`);
    if (log && parameter.type === "float") fail("a log scale and a step cannot be combined.");
  }
  if (log && parameter.type === "float" && low <= 0) {
    fail(`a log scale needs a low above 0, not ${low}.`);
  }
  if (log && parameter.type === "int" && low < 1) {
    fail(`a log scale of integers needs a low of at least 1, not ${low}.`);
  }
}

/**
 * @throws SearchSpaceError naming the first parameter at fault: a bound, step or choice that makes
 * no sense, or a condition on a parameter or value that cannot be
 */
export function validateSpace(space: SearchSpace): void {
  for (const [name, parameter] of Object.entries(space)) validateParameter(name, parameter);
  for (const name of parameterOrder(space)) {
    const { when } = space[name];
    if (when === undefined) continue;
    if (when.values.length === 0) {
      throw new SearchSpaceError(
        `Parameter "${name}": its condition on "${when.parameter}" lists no values.`,
        name,
      );
    }
    for (const value of when.values) {
      if (validateValue(space[when.parameter], value) !== null) {
        throw new SearchSpaceError(
          `Parameter "${name}": it exists when "${when.parameter}" is ${JSON.stringify(value)}, which is not ${legalValues(space[when.parameter])}.`,
          name,
        );
      }
    }
  }
}
