/** Reads boosted trees back. */

import type { FamilyLoader } from "../family.ts";
import { loadGbdt } from "./model.ts";

export const gbdtLoader: FamilyLoader = { id: "gbdt", reads: "bins", load: loadGbdt };
