/** Reads harmonic regressions back; series that were not there in training are fitted when they are asked for. */

import type { FamilyLoader } from "../family.ts";
import { localMembers } from "../local_forecast/local-model.ts";
import { DEFAULTS, harmonicMethod } from "./method.ts";

export const harmonicMembers = localMembers(harmonicMethod, DEFAULTS);

export const harmonicRegressionLoader: FamilyLoader = {
  id: "harmonic_regression",
  reads: "series",
  load: harmonicMembers.load,
};
