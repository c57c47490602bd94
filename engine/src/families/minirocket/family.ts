/** MiniRocket features (Dempster, Schmidt & Webb 2021) and a ridge regression. */

import { MiniRocket } from "../../sequences/rocket/minirocket.ts";
import { transformFamily } from "../sequence_transforms/transform-family.ts";
import { minirocketLoader } from "./loader.ts";

export const minirocket = transformFamily({
  loader: minirocketLoader,
  title: "MiniRocket",
  use: true,
  reason:
    "The shares of steps above thousands of thresholds tell most sequences apart, in seconds.",
  size: "features",
  sizes: { type: "int", low: 1000, high: 20000, log: true },
  least: 84,
  default: 10_000,
  others: [{ scaling: "sequence" }, { scaling: "none" }, { size: 4000 }],
  priced: (features) => ({ features, stepSeconds: 3.6e-10 }),
  scaler: "standard",
  fit: (frame, rows, key, { size: features, scaling, between }) =>
    MiniRocket.fit(frame, rows, key, { features, scaling, between }),
});
