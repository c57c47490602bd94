/** MultiRocket features (Tan, Dempster, Bergmeir & Webb 2022) and a ridge regression. */

import { z } from "zod";
import { extendKey } from "../../compute/random.ts";
import type { SearchSpace } from "../../search/space.ts";
import { CHANNEL_SCALINGS } from "../../sequences/channel-treatment.ts";
import { MultiRocket } from "../../sequences/rocket/multirocket.ts";
import type { Family } from "../family.ts";
import { fitRidgeModel, loadRidgeModel } from "../sequence_transforms/ridge-model.ts";

const parametersSchema = z.object({
  kernels: z.int().min(84),
  scaling: z.enum(CHANNEL_SCALINGS),
});

type FamilyParameters = z.infer<typeof parametersSchema>;

const DEFAULTS = { kernels: 6250, scaling: "channel" } as const satisfies FamilyParameters;

const SPACE: SearchSpace = {
  kernels: { type: "int", low: 500, high: 10000, log: true },
  scaling: { type: "categorical", choices: [...CHANNEL_SCALINGS] },
};

export const multirocket: Family = {
  id: "multirocket",
  title: "MultiRocket",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
  keepsMonotone: false,
  predictsFast: true,
  reads: "sequences",

  suits: () => ({
    use: true,
    reason:
      "Four ways to pool, over values and their differences: mostly better than MiniRocket, and dearer.",
  }),

  searchSpace: () => SPACE,
  defaults: () => DEFAULTS,
  portfolio: () => [DEFAULTS, { ...DEFAULTS, scaling: "sequence" }, { ...DEFAULTS, kernels: 2500 }],
  parameters: () => SPACE,

  fit(context, given) {
    const { kernels, scaling } = parametersSchema.parse(given);
    return fitRidgeModel(context, (frame) => [
      {
        transform: MultiRocket.fit(
          frame,
          context.trainRows,
          extendKey(context.key, "multirocket"),
          {
            kernels,
            scaling,
          },
        ),
        scaler: "standard",
      },
    ]);
  },

  refitParameters: (parameters) => parameters,
  load: (saved, { task, features }) =>
    loadRidgeModel(saved, { task, features: features.length }, [(part) => MultiRocket.load(part)]),
};
