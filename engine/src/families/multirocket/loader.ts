/** Reads MultiRocket models back. */

import { MULTIROCKET } from "../../sequences/rocket/multirocket.ts";
import { RocketTransform } from "../../sequences/rocket/rocket-transform.ts";
import { ridgeLoader } from "../sequence_transforms/ridge-loader.ts";

export const multirocketLoader = ridgeLoader("multirocket", (saved) =>
  RocketTransform.load(MULTIROCKET, saved),
);
