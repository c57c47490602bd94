/** The module that the thread of exports loads. */

import { task } from "@distillery/engine";
import { cardOf, exported, archiveParts as partsOf } from "./export-model.ts";

export const exportModel = task(exported);
export const modelCard = task(cardOf);
export const archiveParts = task(partsOf);
