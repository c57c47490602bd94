/**
 * Quantiles of intervals of values, differences and spectra, by extremely randomised trees (Dempster, Schmidt
 * & Webb, "QUANT: a minimalist interval method for time series classification", 2024).
 */

import { z } from "zod";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import { CHANNEL_SCALINGS } from "../../sequences/channel-treatment.ts";
import { fitQuantileFeatures, MOST_COLUMNS } from "../../sequences/intervals/quantile-features.ts";
import { fitToLengths, LENGTH_TREATMENTS } from "../../sequences/resampling.ts";
import { extraTrees } from "../extra_trees/family.ts";
import type { DataShape, Family } from "../family.ts";
import {
  lengthsSpace,
  pointsOfLengths,
  tableLengthsSchema,
} from "../sequence_transforms/lengths.ts";
import { sequenceFrame } from "../sequence_transforms/ridge-model.ts";
import { fitTabledSequences } from "../tabled_sequences/table-model.ts";
import { quantLoader } from "./loader.ts";

const parametersSchema = z.object({
  depth: z.int().min(1).max(10),
  divisor: z.int().min(1),
  scaling: z.enum(CHANNEL_SCALINGS),
  lengths: tableLengthsSchema,
  trees: z.int().min(1).max(2000),
  max_features: z.number(),
});

const SPACE: SearchSpace = {
  depth: { type: "int", low: 1, high: 10 },
  divisor: { type: "int", low: 1, high: 64, log: true },
  scaling: { type: "categorical", choices: [...CHANNEL_SCALINGS] },
  lengths: { type: "categorical", choices: [...LENGTH_TREATMENTS] },
  trees: { type: "int", low: 1, high: 2000, log: true },
  max_features: { type: "float", low: 0.001, high: 1 },
};

/** As the authors chose them. */
const DEFAULTS = {
  ...{ depth: 6, divisor: 4, scaling: "none", trees: 200, max_features: 0.1 },
  lengths: "original",
} as const;

export const quant: Family = {
  ...quantLoader,
  title: "Trees over quantiles of intervals",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
  keepsMonotone: false,
  predictsFast: true,

  suits: () => ({
    use: true,
    reason: "Where in a sequence, and in its spectrum, which values lie: unlike what kernels see.",
  }),

  /** Of a cell of the table that is made, and of the trees' looks at it; a step of a channel gives about 14 columns. */
  fitSeconds: ({ rows, sequences: { channels, steps } = { channels: 1, steps: 1 } }) =>
    0.15 + 1.6e-6 * rows * Math.min(MOST_COLUMNS, 14 * channels * steps),
  searchSpace: (shape) => ({
    depth: { type: "int", low: 3, high: 7 },
    divisor: { type: "int", low: 2, high: 16, log: true },
    scaling: { type: "categorical", choices: ["none", "sequence"] },
    max_features: { type: "float", low: 0.02, high: 0.5, log: true },
    ...lengthsSpace(shape, LENGTH_TREATMENTS),
  }),
  defaults: () => DEFAULTS,
  portfolio: (shape) => [
    ...pointsOfLengths(shape, DEFAULTS),
    { ...DEFAULTS, scaling: "sequence" },
    { ...DEFAULTS, max_features: 0.3 },
  ],
  parameters: () => SPACE,

  fit(context, given) {
    const { trees, max_features, lengths, ...shape } = parametersSchema.parse(given);
    const { data, task, trainRows } = context;
    const rows: DataShape = { rows: trainRows.length, task, features: data.features };
    // As the authors' trees: of the few sequences that there are, leaves of one say most.
    const whole: Parameters = { pruning: 0, shrinkage: 0 };
    return fitTabledSequences(context, {
      transform: fitToLengths(sequenceFrame(data), trainRows, lengths, (set, own) =>
        fitQuantileFeatures(set, own, shape),
      ),
      learner: extraTrees,
      parameters: { ...extraTrees.defaults(rows), ...whole, n_estimators: trees, max_features },
    });
  },

  refitParameters: (parameters) => parameters,
};
