/** Arrays of several transforms in one model: each one's stand under a prefix of their names. */

import type { SavedTransform, TransformTensor } from "../../sequences/saved-transform.ts";
import type { SavedModel } from "../family.ts";

/** The arrays of one transform, named for a model that holds others beside it. */
export function withPrefix(
  prefix: string,
  tensors: SavedTransform["tensors"],
): Record<string, TransformTensor> {
  return Object.fromEntries(
    Object.entries(tensors).map(([name, tensor]) => [`${prefix}${name}`, tensor]),
  );
}

/**
 * The arrays whose names begin with the prefix, without it.
 *
 * @throws TypeError naming an array of a kind that no transform saves
 */
export function underPrefix(
  prefix: string,
  tensors: SavedModel["tensors"],
): Record<string, TransformTensor> {
  const own: Record<string, TransformTensor> = {};
  for (const [name, tensor] of Object.entries(tensors)) {
    if (!name.startsWith(prefix)) continue;
    if (tensor instanceof Uint16Array || tensor instanceof Uint8Array) {
      throw new TypeError(
        `The array "${name}" is a ${tensor.constructor.name}, which no transform saves.`,
      );
    }
    own[name.slice(prefix.length)] = tensor;
  }
  return own;
}
