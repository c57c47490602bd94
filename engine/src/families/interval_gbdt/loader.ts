/** Reads boosted trees over intervals back. */

import { IntervalFeatures } from "../../sequences/intervals/interval-features.ts";
import type { FamilyLoader } from "../family.ts";
import { gbdtLoader } from "../gbdt/loader.ts";
import { loadTabledSequences } from "../tabled_sequences/table-model.ts";

export const intervalGbdtLoader: FamilyLoader = {
  id: "interval_gbdt",
  reads: "sequences",
  load: (saved) => loadTabledSequences(saved, { learner: gbdtLoader, load: IntervalFeatures.load }),
};
