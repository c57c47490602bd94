/** Reads MiniRocket models back. */

import { MiniRocket } from "../../sequences/rocket/minirocket.ts";
import { ridgeLoader } from "../sequence_transforms/ridge-loader.ts";

export const minirocketLoader = ridgeLoader("minirocket", (saved) => MiniRocket.load(saved));
