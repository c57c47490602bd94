/** Reads models of MultiRocket's and Hydra's features back. */

import { Hydra } from "../../sequences/hydra/hydra.ts";
import { MultiRocket } from "../../sequences/rocket/multirocket.ts";
import { ridgeLoader } from "../sequence_transforms/ridge-loader.ts";

export const multirocketHydraLoader = ridgeLoader(
  "multirocket_hydra",
  (saved) => MultiRocket.load(saved),
  (saved) => Hydra.load(saved),
);
