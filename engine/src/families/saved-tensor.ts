/** Tensors of saved models, checked. */

import type { SavedModel, TensorArray } from "./family.ts";

export const isF64 = (array: TensorArray): array is Float64Array => array instanceof Float64Array;
export const isF32 = (array: TensorArray): array is Float32Array => array instanceof Float32Array;
export const isI32 = (array: TensorArray): array is Int32Array => array instanceof Int32Array;

/**
 * @param model what it is of, in a sentence
 * @param length null = any
 * @throws {Error} where it is missing, or of other numbers
 */
export function savedTensor<T extends TensorArray>(
  model: string,
  { tensors }: SavedModel,
  name: string,
  length: number | null,
  is: (array: TensorArray) => array is T,
): T {
  const found = Object.hasOwn(tensors, name) ? tensors[name] : undefined;
  if (found === undefined || !is(found) || (length !== null && found.length !== length)) {
    const wanted = length === null ? "numbers" : `${length} numbers`;
    throw new Error(`The ${model}'s tensor ${name} is missing or not ${wanted}.`);
  }
  return found;
}
