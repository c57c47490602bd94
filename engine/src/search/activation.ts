/** Which parameters a trial has, given the values of those they depend on. */

import type { Parameter, Parameters, ParameterValue, SearchSpace } from "./space.ts";
import { SearchSpaceError } from "./space.ts";

/** Whether the parameter exists in a trial whose other parameters are `values`. */
export function isActive(parameter: Parameter, values: Parameters): boolean {
  const { when } = parameter;
  if (when === undefined) return true;
  return when.parameter in values && when.values.includes(values[when.parameter]);
}

/**
 * The parameters in the order of the space, but each after the one it depends on.
 *
 * @throws SearchSpaceError for a condition on a parameter that is not there, or in a circle
 */
export function parameterOrder(space: SearchSpace): readonly string[] {
  const order: string[] = [];
  const state = new Map<string, "open" | "done">();
  const visit = (name: string): void => {
    if (state.get(name) === "done") return;
    if (state.get(name) === "open") {
      throw new SearchSpaceError(`Parameter "${name}" depends on itself, by its conditions.`, name);
    }
    state.set(name, "open");
    const on = space[name].when?.parameter;
    if (on !== undefined) {
      if (!Object.hasOwn(space, on)) {
        throw new SearchSpaceError(
          `Parameter "${name}" depends on "${on}", which is not in the space. Parameters: ${Object.keys(space).join(", ")}.`,
          name,
        );
      }
      visit(on);
    }
    state.set(name, "done");
    order.push(name);
  };
  for (const name of Object.keys(space)) visit(name);
  return order;
}

/** Parameters that exist in exactly the same trials. */
export interface ActivationGroup {
  readonly names: readonly string[];
  /** All of these must hold; empty for the parameters that every trial has. */
  readonly conditions: readonly {
    readonly parameter: string;
    readonly values: readonly ParameterValue[];
  }[];
}

/** The space as groups of parameters that are always present together, parents before children. */
export function activationGroups(space: SearchSpace): readonly ActivationGroup[] {
  const groups = new Map<string, { names: string[]; conditions: ActivationGroup["conditions"] }>();
  const conditionsOf = new Map<string, ActivationGroup["conditions"]>();
  for (const name of parameterOrder(space)) {
    const { when } = space[name];
    const conditions = when ? [...(conditionsOf.get(when.parameter) ?? []), when] : [];
    conditionsOf.set(name, conditions);
    const signature = JSON.stringify(
      conditions.map(({ parameter, values }) => [
        parameter,
        values.map((v) => JSON.stringify(v)).sort(),
      ]),
    );
    const group = groups.get(signature);
    if (group) group.names.push(name);
    else groups.set(signature, { names: [name], conditions });
  }
  return [...groups.values()];
}
