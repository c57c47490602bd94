/** MiniRocket features (Dempster, Schmidt & Webb 2021) and a ridge regression. */

import { z } from "zod";
import { extendKey } from "../../compute/random.ts";
import type { SearchSpace } from "../../search/space.ts";
import { CHANNEL_SCALINGS } from "../../sequences/channel-treatment.ts";
import { MiniRocket } from "../../sequences/rocket/minirocket.ts";
import type { Family } from "../family.ts";
import { fitRidgeModel, loadRidgeModel } from "../sequence_transforms/ridge-model.ts";

const parametersSchema = z.object({
  features: z.int().min(84),
  scaling: z.enum(CHANNEL_SCALINGS),
});

type FamilyParameters = z.infer<typeof parametersSchema>;

const DEFAULTS = { features: 10_000, scaling: "channel" } as const satisfies FamilyParameters;

const SPACE: SearchSpace = {
  features: { type: "int", low: 1000, high: 20000, log: true },
  scaling: { type: "categorical", choices: [...CHANNEL_SCALINGS] },
};

export const minirocket: Family = {
  id: "minirocket",
  title: "MiniRocket",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
  keepsMonotone: false,
  predictsFast: true,
  reads: "sequences",

  suits: () => ({
    use: true,
    reason:
      "The shares of steps above thousands of thresholds tell most sequences apart, in seconds.",
  }),

  searchSpace: () => SPACE,
  defaults: () => DEFAULTS,
  portfolio: () => [
    DEFAULTS,
    { ...DEFAULTS, scaling: "sequence" },
    { ...DEFAULTS, scaling: "none" },
    { ...DEFAULTS, features: 4000 },
  ],
  parameters: () => SPACE,

  fit(context, given) {
    const { features, scaling } = parametersSchema.parse(given);
    return fitRidgeModel(context, (frame) => [
      {
        transform: MiniRocket.fit(frame, context.trainRows, extendKey(context.key, "minirocket"), {
          features,
          scaling,
        }),
        scaler: "standard",
      },
    ]);
  },

  refitParameters: (parameters) => parameters,
  load: (saved, { task, features }) =>
    loadRidgeModel(saved, { task, features: features.length }, [(part) => MiniRocket.load(part)]),
};
