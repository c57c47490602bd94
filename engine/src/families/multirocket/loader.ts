/** Reads MultiRocket models back. */

import { MultiRocket } from "../../sequences/rocket/multirocket.ts";
import { ridgeLoader } from "../sequence_transforms/ridge-loader.ts";

export const multirocketLoader = ridgeLoader("multirocket", (saved) => MultiRocket.load(saved));
