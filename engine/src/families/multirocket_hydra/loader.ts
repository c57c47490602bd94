/** Reads models of MultiRocket's and Hydra's features back. */

import { Hydra } from "../../sequences/hydra/hydra.ts";
import { MULTIROCKET } from "../../sequences/rocket/multirocket.ts";
import { RocketTransform } from "../../sequences/rocket/rocket-transform.ts";
import { ridgeLoader } from "../sequence_transforms/ridge-loader.ts";

export const multirocketHydraLoader = ridgeLoader(
  "multirocket_hydra",
  (saved) => RocketTransform.load(MULTIROCKET, saved),
  (saved) => Hydra.load(saved),
);
