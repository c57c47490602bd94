/** Reads boosted trees back. */

import type { FamilyLoader } from "../family.ts";
import { loadBoosted } from "./model.ts";

export const gbdtLoader: FamilyLoader = {
  id: "gbdt",
  reads: "bins",
  load: (saved, context) => loadBoosted(saved, context, "gbdt"),
};
