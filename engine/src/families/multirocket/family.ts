/** MultiRocket features (Tan, Dempster, Bergmeir & Webb 2022) and a ridge regression. */

import { MultiRocket } from "../../sequences/rocket/multirocket.ts";
import type { PricedFeatures } from "../sequence_transforms/fit-seconds.ts";
import { transformFamily } from "../sequence_transforms/transform-family.ts";
import { multirocketLoader } from "./loader.ts";

/** Eight features of each kernel. */
export function pricedMultiRocket(kernels: number): PricedFeatures {
  return { features: 8 * kernels, stepSeconds: 3.6e-10 };
}

export const multirocket = transformFamily({
  loader: multirocketLoader,
  title: "MultiRocket",
  use: false,
  reason: "Beside Hydra's features, in multirocket_hydra, its own say more.",
  size: "kernels",
  sizes: { type: "int", low: 500, high: 10000, log: true },
  least: 84,
  default: 6250,
  others: [{ scaling: "sequence" }, { size: 2500 }],
  priced: pricedMultiRocket,
  scaler: "standard",
  fit: (frame, rows, key, { size: kernels, scaling, between }) =>
    MultiRocket.fit(frame, rows, key, { kernels, scaling, between }),
});
