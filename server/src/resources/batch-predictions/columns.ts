/** What the output of a batch prediction will have, as far as it is known before a row is read. */

import { taskType } from "@distillery/engine";
import {
  type PredictionOptions,
  predictionColumns,
} from "../../platform/compute/scoring/predictions.ts";
import { checkReads } from "../../platform/compute/scoring/read-columns.ts";
import { unprocessable } from "../../platform/input/problem.ts";
import type { FoundModel } from "./model.ts";

type Loc = readonly (string | number)[];

export interface Asked extends PredictionOptions {
  readonly columns: readonly string[] | null;
  readonly explainsErrors: boolean;
}

/** @throws 422 where the model has no intervals */
export function checkOptions(model: FoundModel, asked: Asked, loc: Loc): void {
  const why = asked.intervals ? whyNoIntervals(model) : null;
  if (why !== null) throw unprocessable([...loc, "intervals"], why);
}

/** Null of a model that has them. */
export function whyNoIntervals({ document: { task, conformal } }: FoundModel): string | null {
  const { kind } = task;
  if (taskType(kind).conformal === null) {
    return `models of the kind ${kind} have no intervals; their quantiles are columns in any case`;
  }
  return conformal === null
    ? "this model has no intervals: it was trained by a version without them"
    : null;
}

/**
 * @param names of the columns of the rows
 * @throws DataError where the model reads none of them, 422 for a column that is not there, and for two of one name
 */
export function checkNames(
  model: FoundModel,
  names: readonly string[],
  asked: Asked,
  loc: Loc,
): void {
  const { document } = model;
  const isFramed = taskType(document.task.kind).framing !== null;
  // What tells sequences and series apart is read besides, and known when the model is loaded.
  if (!isFramed) checkReads(new Set(document.columns.map(({ name }) => name)), names);
  const known = new Set(names);
  for (const [index, name] of (asked.columns ?? []).entries()) {
    const at = [...loc, "columns", index];
    if (asked.columns?.indexOf(name) !== index) {
      throw unprocessable(at, `'${name}' is named twice; name each column once`);
    }
    if (isFramed || known.has(name)) continue;
    throw unprocessable(at, `the rows have no column '${name}'`);
  }
  const kept = isFramed ? [] : (asked.columns ?? names);
  const made = predictionColumns(document, asked).map(({ name }) => name);
  if (asked.explainsErrors && !isFramed) made.push(`${asked.prefix}prediction_error`);
  const seen = new Set<string>();
  for (const name of [...kept, ...made]) {
    if (seen.has(name)) {
      throw unprocessable(
        [...loc, "prefix"],
        `two columns of the output would be named '${name}': give prediction columns a prefix, or leave it out of columns`,
      );
    }
    seen.add(name);
  }
}
