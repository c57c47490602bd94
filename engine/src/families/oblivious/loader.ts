/** Reads symmetric trees back, which are kept as boosted trees are. */

import type { FamilyLoader } from "../family.ts";
import { loadBoosted } from "../gbdt/model.ts";

export const obliviousLoader: FamilyLoader = {
  id: "oblivious",
  reads: "bins",
  load: (saved, context) => loadBoosted(saved, context, "oblivious"),
};
