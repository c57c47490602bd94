/** Hydra features (Dempster, Schmidt & Webb 2023) and a ridge regression. */

import { evenGroups, fitHydra, hydraFeatures } from "../../sequences/hydra/fit-hydra.ts";
import type { PricedFeatures } from "../sequence_transforms/fit-seconds.ts";
import { transformFamily } from "../sequence_transforms/transform-family.ts";
import { hydraLoader } from "./loader.ts";

export function pricedHydra(groups: number, steps: number): PricedFeatures {
  return { features: hydraFeatures(groups, steps), stepSeconds: 1e-9 };
}

export const hydra = transformFamily({
  loader: hydraLoader,
  title: "Hydra",
  use: false,
  reason: "Beside MultiRocket's features, in multirocket_hydra, its own say more.",
  size: "groups",
  sizes: { type: "int", low: 8, high: 128, step: 2 },
  least: 2,
  default: 64,
  others: [{ scaling: "sequence" }, { size: 32 }],
  priced: pricedHydra,
  scaler: "sparse",
  fit: (frame, rows, key, { size: groups, scaling }) =>
    fitHydra(frame, rows, key, { groups: evenGroups(groups), scaling }),
});
