/** Reads boosted trees over lags back. */

import type { FamilyLoader } from "../family.ts";
import { loadLagModel } from "./model.ts";

export const lagGbdtLoader: FamilyLoader = {
  id: "lag_gbdt",
  reads: "series",
  load: (saved) => loadLagModel(saved),
};
