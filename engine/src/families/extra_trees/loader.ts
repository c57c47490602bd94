/** Reads extremely randomised trees back. */

import type { FamilyLoader } from "../family.ts";
import { loadForest } from "../forest/model.ts";

export const extraTreesLoader: FamilyLoader = {
  id: "extra_trees",
  reads: "bins",
  load: loadForest,
};
