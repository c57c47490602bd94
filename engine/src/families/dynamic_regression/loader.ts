/** Reads regressions on known columns back; series that were not there in training are fitted when they are asked for. */

import type { FamilyLoader } from "../family.ts";
import { loadRegression } from "./model.ts";

export const dynamicRegressionLoader: FamilyLoader = {
  id: "dynamic_regression",
  reads: "series",
  load: loadRegression,
};
