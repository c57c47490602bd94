/** Hydra features (Dempster, Schmidt & Webb 2023) and a ridge regression. */

import { Hydra } from "../../sequences/hydra/hydra.ts";
import { transformFamily } from "../sequence_transforms/transform-family.ts";
import { hydraLoader } from "./loader.ts";

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
  stepSeconds: 1.5e-5,
  scaler: "sparse",
  fit: (frame, rows, key, { size: groups, scaling }) =>
    Hydra.fit(frame, rows, key, { groups, scaling }),
});
