/** Reads ridge regressions of transforms back. */

import type { SequenceTransform } from "../../sequences/feature-matrix.ts";
import type { SavedTransform } from "../../sequences/saved-transform.ts";
import type { FamilyLoader } from "../family.ts";
import { loadRidgeModel } from "./ridge-model.ts";

/** @param loads of each transform, in the order of the fit */
export const ridgeLoader = (
  id: string,
  ...loads: readonly ((saved: SavedTransform) => SequenceTransform)[]
): FamilyLoader => ({
  id,
  reads: "sequences",
  load: (saved, { task, features }) =>
    loadRidgeModel(saved, { task, features: features.length }, loads),
});
