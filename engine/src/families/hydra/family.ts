/** Hydra features (Dempster, Schmidt & Webb 2023) and a ridge regression. */

import { z } from "zod";
import { extendKey } from "../../compute/random.ts";
import type { SearchSpace } from "../../search/space.ts";
import { CHANNEL_SCALINGS } from "../../sequences/channel-treatment.ts";
import { Hydra } from "../../sequences/hydra/hydra.ts";
import type { Family } from "../family.ts";
import { fitRidgeModel, loadRidgeModel } from "../sequence_transforms/ridge-model.ts";

const parametersSchema = z.object({
  groups: z.int().min(2),
  scaling: z.enum(CHANNEL_SCALINGS),
});

type FamilyParameters = z.infer<typeof parametersSchema>;

const DEFAULTS = { groups: 64, scaling: "channel" } as const satisfies FamilyParameters;

const SPACE: SearchSpace = {
  groups: { type: "int", low: 8, high: 128, step: 2 },
  scaling: { type: "categorical", choices: [...CHANNEL_SCALINGS] },
};

export const hydra: Family = {
  id: "hydra",
  title: "Hydra",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
  keepsMonotone: false,
  predictsFast: true,
  reads: "sequences",

  suits: () => ({
    use: true,
    reason: "Competing kernels count patterns as dictionaries do, which thresholds miss.",
  }),

  searchSpace: () => SPACE,
  defaults: () => DEFAULTS,
  portfolio: () => [DEFAULTS, { ...DEFAULTS, scaling: "sequence" }, { ...DEFAULTS, groups: 32 }],
  parameters: () => SPACE,

  fit(context, given) {
    const { groups, scaling } = parametersSchema.parse(given);
    return fitRidgeModel(context, (frame) => [
      {
        transform: Hydra.fit(frame, context.trainRows, extendKey(context.key, "hydra"), {
          groups,
          scaling,
        }),
        scaler: "sparse",
      },
    ]);
  },

  refitParameters: (parameters) => parameters,
  load: (saved, { task, features }) =>
    loadRidgeModel(saved, { task, features: features.length }, [(part) => Hydra.load(part)]),
};
