/** What a request changes about a family's space. */

import type { Condition, Parameter, Parameters, ParameterValue, SearchSpace } from "./space.ts";
import { SearchSpaceError } from "./space.ts";
import {
  knownParameter,
  legalValues,
  validateParameters,
  validateValue,
} from "./validate-parameters.ts";
import { validateSpace } from "./validate-space.ts";

export interface SpaceOverride {
  /** Parameters to search, instead of those of equal names in the default space. */
  readonly search?: SearchSpace;
  /** Parameters held at a value, and so taken out of the search. */
  readonly fixed?: Parameters;
}

export interface OverriddenSpace {
  readonly space: SearchSpace;
  readonly fixed: Parameters;
}

/**
 * The space a request asks for: `search` replaces parameters of the default space or adds to it,
 * `fixed` takes them out. Conditions on a fixed parameter are resolved: those that hold fall away,
 * and parameters whose condition cannot hold leave the space.
 *
 * @param legal every parameter that the family understands, with its legal range
 * @throws SearchSpaceError naming the parameter, what it was given and what is legal
 */
export function overrideSpace(
  defaults: SearchSpace,
  legal: SearchSpace,
  override: SpaceOverride,
): OverriddenSpace {
  const search = override.search ?? {};
  const fixed = override.fixed ?? {};
  validateParameters(legal, fixed);
  const merged: Record<string, Parameter> = { ...defaults };
  for (const [name, parameter] of Object.entries(search)) {
    if (Object.hasOwn(fixed, name)) {
      throw new SearchSpaceError(`Parameter "${name}" is both searched and fixed.`, name);
    }
    const permitted = knownParameter(legal, name);
    validateSpace({ [name]: withCondition(parameter, undefined) });
    checkWithin(name, parameter, permitted);
    const when =
      parameter.when ?? (Object.hasOwn(defaults, name) ? defaults[name] : permitted).when;
    merged[name] = withCondition(parameter, when);
  }
  for (const name of Object.keys(fixed)) delete merged[name];
  const space = resolveConditions(merged, fixed, search);
  validateSpace(space);
  return { space, fixed };
}

function withCondition(parameter: Parameter, when: Condition | undefined): Parameter {
  const { when: _dropped, ...bare } = parameter;
  return when === undefined ? bare : { ...bare, when };
}

/** Every value of `parameter` must be legal; choices may narrow a numeric parameter. */
function checkWithin(name: string, parameter: Parameter, permitted: Parameter): void {
  const values: readonly ParameterValue[] =
    parameter.type === "categorical" ? parameter.choices : [parameter.low, parameter.high];
  for (const value of values) {
    const fault = validateValue(permitted, value);
    if (fault !== null) throw new SearchSpaceError(`Parameter "${name}": ${fault}`, name);
  }
  const fits =
    parameter.type === "categorical" ||
    parameter.type === permitted.type ||
    (parameter.type === "int" && permitted.type === "float");
  if (fits) return;
  throw new SearchSpaceError(
    `Parameter "${name}": a range of type "${parameter.type}" cannot be searched; a legal value is ${legalValues(permitted)}.`,
    name,
  );
}

/**
 * Drops parameters that can never exist, and conditions that always hold.
 *
 * @throws SearchSpaceError where the request itself names a parameter that can never exist
 */
function resolveConditions(
  space: SearchSpace,
  fixed: Parameters,
  searched: SearchSpace,
): SearchSpace {
  let current = space;
  for (;;) {
    const next: Record<string, Parameter> = {};
    for (const [name, parameter] of Object.entries(current)) {
      const { when } = parameter;
      const values = when === undefined ? [] : possibleValues(when, current, fixed);
      if (when === undefined || (values.length > 0 && Object.hasOwn(fixed, when.parameter))) {
        next[name] = withCondition(parameter, undefined);
      } else if (values.length > 0) next[name] = withCondition(parameter, { ...when, values });
      else if (Object.hasOwn(searched, name)) {
        throw new SearchSpaceError(
          `Parameter "${name}" is searched, but exists only when "${when.parameter}" is ${when.values.map((value) => JSON.stringify(value)).join(" or ")}, which is neither searched nor fixed here.`,
          name,
        );
      }
    }
    if (Object.keys(next).length === Object.keys(current).length) return next;
    current = next;
  }
}

/** The values of a condition that its parameter can take. */
function possibleValues(
  when: Condition,
  space: SearchSpace,
  fixed: Parameters,
): readonly ParameterValue[] {
  const { parameter, values } = when;
  if (Object.hasOwn(fixed, parameter)) return values.filter((value) => value === fixed[parameter]);
  if (!Object.hasOwn(space, parameter)) return [];
  return values.filter((value) => validateValue(space[parameter], value) === null);
}
