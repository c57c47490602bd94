/** Reads linear maps of the past back. */

import type { FamilyLoader } from "../family.ts";
import { loadLinearMap } from "./model.ts";

export const dlinearLoader: FamilyLoader = {
  id: "dlinear",
  reads: "series",
  load: (saved) => loadLinearMap(saved),
};
