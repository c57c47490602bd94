/** The module that the thread of exports loads. */

import { task } from "@distillery/engine";
import { compareHeldOut as compared } from "./compare-held-out.ts";
import { cardOf, exported, archiveParts as partsOf } from "./export-model.ts";

export const exportModel = task(exported);
export const modelCard = task(cardOf);
export const archiveParts = task(partsOf);
export const compareHeldOut = task(compared);
