/**
 * MultiRocket's and Hydra's features side by side, and one ridge regression of both (Dempster, Schmidt & Webb,
 * "Hydra: competing convolutional kernels for fast and accurate time series classification", 2023, §4.3).
 */

import { z } from "zod";
import { extendKey } from "../../compute/random.ts";
import type { SearchSpace } from "../../search/space.ts";
import { CHANNEL_SCALINGS } from "../../sequences/channel-treatment.ts";
import { evenGroups, fitHydra } from "../../sequences/hydra/fit-hydra.ts";
import { MultiRocket } from "../../sequences/rocket/multirocket.ts";
import type { DataShape, Family } from "../family.ts";
import { pricedHydra } from "../hydra/family.ts";
import { pricedMultiRocket } from "../multirocket/family.ts";
import { ridgeFitSeconds } from "../sequence_transforms/fit-seconds.ts";
import {
  fitLengths,
  LENGTHS,
  lengthsSchema,
  lengthsSpace,
  pointsOfLengths,
  usualLengths,
} from "../sequence_transforms/lengths.ts";
import { fitRidgeModel } from "../sequence_transforms/ridge-model.ts";
import { multirocketHydraLoader } from "./loader.ts";

const parametersSchema = z.object({
  kernels: z.int().min(84),
  groups: z.int().min(2),
  scaling: z.enum(CHANNEL_SCALINGS),
  lengths: lengthsSchema,
});

const SEARCHED: SearchSpace = {
  kernels: { type: "int", low: 500, high: 10_000, log: true },
  groups: { type: "int", low: 8, high: 128, step: 2 },
  scaling: { type: "categorical", choices: [...CHANNEL_SCALINGS] },
};

const SPACE: SearchSpace = {
  ...SEARCHED,
  lengths: { type: "categorical", choices: [...LENGTHS] },
};

const DEFAULTS = { kernels: 6250, groups: 64, scaling: "channel" } as const;

function defaultsOf(shape: DataShape) {
  return { ...DEFAULTS, lengths: usualLengths(shape) };
}

export const multirocketHydra: Family = {
  ...multirocketHydraLoader,
  title: "MultiRocket and Hydra",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
  keepsMonotone: false,
  predictsFast: true,

  suits: () => ({
    use: true,
    reason: "What two kinds of kernels see, together: on most sets better than either alone.",
  }),

  fitSeconds: (shape) =>
    ridgeFitSeconds(shape, [
      pricedMultiRocket(DEFAULTS.kernels),
      pricedHydra(DEFAULTS.groups, shape.sequences?.steps ?? 1),
    ]),
  searchSpace: (shape) => ({ ...SEARCHED, ...lengthsSpace(shape, LENGTHS) }),
  defaults: defaultsOf,
  portfolio: (shape) => [
    ...pointsOfLengths(shape, defaultsOf(shape)),
    { ...defaultsOf(shape), scaling: "sequence" },
    { ...defaultsOf(shape), kernels: 2500, groups: 32 },
  ],
  parameters: () => SPACE,

  fit(context, given) {
    const { kernels, groups, scaling, lengths } = parametersSchema.parse(given);
    const { trainRows, key } = context;
    const [rocketKey, hydraKey] = [extendKey(key, "multirocket"), extendKey(key, "hydra")];
    return fitRidgeModel(context, (frame) => {
      const of = { frame, rows: trainRows, lengths };
      return [
        ...fitLengths({ ...of, scaler: "standard" }, (set, rows, parts) =>
          MultiRocket.fit(set, rows, rocketKey, {
            kernels: Math.max(84, Math.round(kernels / parts)),
            scaling,
          }),
        ),
        ...fitLengths({ ...of, scaler: "sparse" }, (set, rows, parts) =>
          fitHydra(set, rows, hydraKey, {
            groups: evenGroups(groups / parts),
            scaling,
          }),
        ),
      ];
    });
  },

  refitParameters: (parameters) => parameters,
};
