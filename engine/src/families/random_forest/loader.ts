/** Reads random forests back. */

import type { FamilyLoader } from "../family.ts";
import { loadForest } from "../forest/model.ts";

export const randomForestLoader: FamilyLoader = {
  id: "random_forest",
  reads: "bins",
  load: loadForest,
};
