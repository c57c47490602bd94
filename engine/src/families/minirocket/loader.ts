/** Reads MiniRocket models back. */

import { MINIROCKET } from "../../sequences/rocket/minirocket.ts";
import { RocketTransform } from "../../sequences/rocket/rocket-transform.ts";
import { ridgeLoader } from "../sequence_transforms/ridge-loader.ts";

export const minirocketLoader = ridgeLoader("minirocket", (saved) =>
  RocketTransform.load(MINIROCKET, saved),
);
