/** Reads Hydra models back. */

import { Hydra } from "../../sequences/hydra/hydra.ts";
import { ridgeLoader } from "../sequence_transforms/ridge-loader.ts";

export const hydraLoader = ridgeLoader("hydra", (saved) => Hydra.load(saved));
