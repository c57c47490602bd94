/** The options of a call of `predict` in a statement: those of a batch prediction. */

import { DataError, HIGHEST_LEVEL, LOWEST_LEVEL } from "@distillery/engine";
import type { PredictionOptions } from "../../../platform/compute/scoring/predictions.ts";
import type { QueryParameter, QueryParameters } from "../../../query/sql/query.ts";
import { type Argument, nameOfPlace, type PredictCall } from "./calls.ts";

export interface CallOptions extends PredictionOptions {
  readonly onError: "fail" | "null";
}

const KNOWN = ["intervals", "contributions", "prefix", "on_error"];
const LONGEST_PREFIX = 50;

/** @throws DataError naming the option */
export function optionsOf(
  { options, place }: PredictCall,
  parameters: QueryParameters,
): CallOptions {
  for (const name of options.keys()) {
    if (KNOWN.includes(name)) continue;
    throw new DataError(`predict has no option ${name}${place}; it has ${KNOWN.join(", ")}.`);
  }
  const value = (name: string) => {
    const argument = options.get(name);
    return argument === undefined ? null : given(argument, parameters);
  };
  const wrong = (name: string, wanted: string) =>
    new DataError(`The option ${name} of predict should be ${wanted}${place}.`);
  const intervals = value("intervals") ?? false;
  const contributions = value("contributions") ?? false;
  const prefix = value("prefix") ?? "";
  const onError = value("on_error") ?? "fail";
  const isCoverage =
    typeof intervals === "number" && intervals >= LOWEST_LEVEL && intervals <= HIGHEST_LEVEL;
  if (typeof intervals !== "boolean" && !isCoverage) {
    throw wrong("intervals", `true, false, or a coverage from ${LOWEST_LEVEL} to ${HIGHEST_LEVEL}`);
  }
  if (typeof contributions !== "boolean") throw wrong("contributions", "true or false");
  if (typeof prefix !== "string" || prefix.length > LONGEST_PREFIX) {
    throw wrong("prefix", `a text of at most ${LONGEST_PREFIX} characters`);
  }
  if (onError !== "fail" && onError !== "null") throw wrong("on_error", "'fail' or 'null'");
  return {
    intervals: intervals !== false,
    ...(typeof intervals === "number" && { coverage: intervals }),
    contributions,
    prefix,
    onError,
  };
}

/** What the model is called. @throws DataError */
export function modelOf({ model, place }: PredictCall, parameters: QueryParameters): string {
  const value = given(model, parameters);
  if (typeof value === "string") return value;
  throw new DataError(`The model of predict should be a text${place}.`);
}

function given(argument: Argument, parameters: QueryParameters): QueryParameter {
  if (argument.kind === "value") return argument.value;
  for (const [name, value] of namedParameters(parameters)) {
    if (name.toLowerCase() === argument.name) return value;
  }
  throw new TypeError(`the parameters of a statement were not checked: ${argument.name}`);
}

/** Those by position under the names that they have in the parts of a statement. */
export const namedParameters = (
  parameters: QueryParameters,
): (readonly [name: string, value: QueryParameter])[] =>
  isList(parameters)
    ? parameters.map((value, index) => [nameOfPlace(index + 1), value] as const)
    : Object.entries(parameters);

const isList = (parameters: QueryParameters): parameters is readonly QueryParameter[] =>
  Array.isArray(parameters);
