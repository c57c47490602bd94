/** What fits of this bench learn from, and what of them is compared. */

import { deriveKey } from "../../../engine/src/compute/random.ts";
import type { FitContext, FittedModel } from "../../../engine/src/families/family.ts";
import { encodeBenchData, syntheticData } from "../bench-data.ts";

/** Of synthetic rows, all of which are learned from. */
export function contextOf(rows: number, features: number): FitContext {
  const made = syntheticData(rows, features);
  const { task, target, train } = made;
  return {
    ...{ task, target, softTarget: null, weights: null, trainRows: train, validRows: null },
    ...{ data: encodeBenchData(made), key: deriveKey(0, "bench"), monotone: {} },
  };
}

/** A model's numbers. */
export function bytesOf(model: FittedModel): Buffer {
  return Buffer.concat(
    Object.values(model.save().tensors).map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength),
    ),
  );
}
