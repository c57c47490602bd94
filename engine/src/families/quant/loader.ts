/** Reads trees over quantiles of intervals back. */

import { QuantileFeatures } from "../../sequences/intervals/quantile-features.ts";
import { extraTreesLoader } from "../extra_trees/loader.ts";
import type { FamilyLoader } from "../family.ts";
import { loadTabledSequences } from "../tabled_sequences/table-model.ts";

export const quantLoader: FamilyLoader = {
  id: "quant",
  reads: "sequences",
  load: (saved) =>
    loadTabledSequences(saved, { learner: extraTreesLoader, load: QuantileFeatures.load }),
};
