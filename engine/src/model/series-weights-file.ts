/** Members' weights for each series, as a model keeps them: one tensor a member. */

import type { SavedModel } from "../families/family.ts";
import { ModelFormatError } from "./model-format-error.ts";

const nameOf = (member: number): string => `member_${member}`;

/** @param weights of each member, one a series of the training data */
export function saveSeriesWeights(weights: readonly Float64Array[]): SavedModel {
  return {
    header: { kind: "series_weights", members: weights.length },
    tensors: Object.fromEntries(weights.map((each, member) => [nameOf(member), each])),
  };
}

/**
 * @param members of the model
 * @throws {ModelFormatError} where the weights are not those of so many members
 */
export function loadSeriesWeights(
  { tensors }: SavedModel,
  members: number,
  file: string,
): Float64Array[] {
  const weights = Array.from({ length: members }, (_, member) => {
    const own = tensors[nameOf(member)];
    if (own instanceof Float64Array && own.every(Number.isFinite)) return own;
    throw new ModelFormatError(`${file} has no weights of member ${member}; it is damaged.`);
  });
  if (weights.some(({ length }) => length !== weights[0].length)) {
    throw new ModelFormatError(`${file} weighs series that differ from member to member.`);
  }
  return weights;
}
