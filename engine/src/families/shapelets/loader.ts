/** Reads models of shapelets back. */

import { ShapeletTransform } from "../../sequences/shapelets/shapelet-transform.ts";
import { ridgeLoader } from "../sequence_transforms/ridge-loader.ts";

export const shapeletsLoader = ridgeLoader("shapelets", (saved) => ShapeletTransform.load(saved));
