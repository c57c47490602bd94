/** Predictions of parts of a table, as those of the table. */

import { joinedWarnings } from "../data/unseen-categories.ts";
import type { ModelDocument } from "./document.ts";
import type { ModelPredictions } from "./predictions.ts";

/**
 * What `Model.predict` says of a table, made of what it said of its parts.
 *
 * @param parts one at least, in the order of the rows; of a model whose rows are predicted one by one
 */
export function joinPredictions(
  parts: readonly ModelPredictions[],
  { schema }: Pick<ModelDocument, "schema">,
): ModelPredictions {
  const [first] = parts;
  const { outputs, intervals, sets } = first;
  const doubles = (of: (part: ModelPredictions) => Float64Array | null | undefined) =>
    joined(parts, of, (length) => new Float64Array(length));
  const values = doubles((part) => part.values);
  const bounds = intervals?.bounds && {
    lower: doubles((part) => part.intervals?.bounds?.lower),
    upper: doubles((part) => part.intervals?.bounds?.upper),
  };
  const members = (part: ModelPredictions) => part.sets?.members;
  return {
    ...first,
    values,
    intervals: intervals && { ...intervals, bounds: bounds ?? null },
    sets: sets && { ...sets, members: joined(parts, members, (length) => new Uint8Array(length)) },
    ...(first.quantiles && { quantiles: doubles((part) => part.quantiles) }),
    warnings: joinedWarnings(
      parts.map(({ warnings }) => warnings),
      schema,
      values.length / outputs,
    ),
  };
}

function joined<List extends Float64Array | Uint8Array>(
  parts: readonly ModelPredictions[],
  of: (part: ModelPredictions) => List | null | undefined,
  make: (length: number) => List,
): List {
  const lists = parts.flatMap((part) => of(part) ?? []);
  const all = make(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}
