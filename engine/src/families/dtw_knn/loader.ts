/** Reads neighbours by time warping back. */

import type { FamilyLoader } from "../family.ts";
import { loadNeighbours } from "./model.ts";

export const dtwKnnLoader: FamilyLoader = {
  id: "dtw_knn",
  reads: "sequences",
  load: (saved, { task, features }) => loadNeighbours(saved, task, features.length),
};
