/**
 * Summary, spectral and catch22 statistics of whole sequences, their halves, quarters and eighths, and of
 * their differences (Deng, Runger, Tuv & Vladimir, "A time series forest", 2013; Lubba et al., "catch22",
 * 2019), by boosted trees.
 */

import { z } from "zod";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import { DETAILS, fitIntervalFeatures } from "../../sequences/intervals/interval-features.ts";
import { fitToLengths, LENGTH_TREATMENTS } from "../../sequences/resampling.ts";
import type { DataShape, Family } from "../family.ts";
import { gbdt } from "../gbdt/family.ts";
import {
  lengthsSpace,
  pointsOfLengths,
  tableLengthsSchema,
} from "../sequence_transforms/lengths.ts";
import { sequenceFrame } from "../sequence_transforms/ridge-model.ts";
import { fitTabledSequences } from "../tabled_sequences/table-model.ts";
import { intervalGbdtLoader } from "./loader.ts";

const parametersSchema = z.object({
  depth: z.int().min(0).max(6),
  rounds: z.int().min(1).max(5000),
  learning_rate: z.number(),
  num_leaves: z.int(),
  min_data_in_leaf: z.int(),
  feature_fraction: z.number(),
  extra_trees: z.boolean(),
  detail: z.enum(DETAILS).default("all"),
  lengths: tableLengthsSchema,
});

const SPACE: SearchSpace = {
  depth: { type: "int", low: 0, high: 6 },
  rounds: { type: "int", low: 1, high: 5000, log: true },
  learning_rate: { type: "float", low: 1e-3, high: 0.5, log: true },
  num_leaves: { type: "int", low: 2, high: 256, log: true },
  min_data_in_leaf: { type: "int", low: 1, high: 10_000, log: true },
  feature_fraction: { type: "float", low: 0.01, high: 1 },
  extra_trees: { type: "categorical", choices: [false, true] },
  detail: { type: "categorical", choices: [...DETAILS] },
  lengths: { type: "categorical", choices: [...LENGTH_TREATMENTS] },
};

const DEFAULTS = {
  depth: 3,
  rounds: 600,
  learning_rate: 0.08,
  num_leaves: 7,
  min_data_in_leaf: 3,
  feature_fraction: 0.1,
  extra_trees: true,
  detail: "all",
  lengths: "original",
} as const;

/** Spectra and catch22 cost two hundred times as much a value as means and slopes: of so many values these come first. */
const MANY_VALUES = 200_000;
const QUICK = { depth: 1, feature_fraction: 0.3, detail: "summaries" } as const;

function valuesOf({ rows, sequences }: DataShape): number {
  return rows * (sequences?.channels ?? 1) * (sequences?.steps ?? 1);
}

/** Of a student, which is to predict fast: few trees, of large steps. */
const STUDENT = { rounds: 120, learning_rate: 0.2, depth: 2 } as const;

function defaultsOf(shape: DataShape): Parameters {
  return { ...fullOf(shape), ...(valuesOf(shape) > MANY_VALUES ? QUICK : {}) };
}

function fullOf({ student }: DataShape): Parameters {
  return student ? { ...DEFAULTS, ...STUDENT } : DEFAULTS;
}

export const intervalGbdt: Family = {
  ...intervalGbdtLoader,
  title: "Boosted trees over intervals",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
  keepsMonotone: false,
  predictsFast: true,

  suits: () => ({
    use: true,
    reason: "Levels, spreads and frequencies of intervals of a sequence, and its constant columns.",
  }),

  fitSeconds: (shape) => 0.5 + (valuesOf(shape) > MANY_VALUES ? 2e-6 : 5.5e-5) * valuesOf(shape),
  searchSpace: (shape) => ({
    depth: { type: "int", low: 0, high: 4 },
    learning_rate: { type: "float", low: 0.02, high: 0.2, log: true },
    num_leaves: { type: "int", low: 3, high: 31, log: true },
    min_data_in_leaf: { type: "int", low: 1, high: 30, log: true },
    feature_fraction: { type: "float", low: 0.02, high: 0.5 },
    extra_trees: { type: "categorical", choices: [false, true] },
    ...(valuesOf(shape) > MANY_VALUES
      ? { detail: { type: "categorical", choices: ["summaries", "all"] } }
      : {}),
    ...lengthsSpace(shape, LENGTH_TREATMENTS),
  }),
  defaults: defaultsOf,
  portfolio: (shape) => [
    ...pointsOfLengths(shape, defaultsOf(shape)),
    fullOf(shape),
    { ...fullOf(shape), extra_trees: false, feature_fraction: 0.3 },
    { ...fullOf(shape), depth: 1, feature_fraction: 0.3 },
    { ...fullOf(shape), depth: 4, num_leaves: 15, feature_fraction: 0.05 },
  ],
  parameters: () => SPACE,

  fit(context, given) {
    const { depth, rounds, detail, lengths, ...own } = parametersSchema.parse(given);
    const { data, task, trainRows } = context;
    const shape: DataShape = { rows: trainRows.length, task, features: data.features };
    const trees = {
      ...gbdt.defaults(shape),
      ...own,
      n_estimators: rounds,
      early_stopping_rounds: 40,
    };
    return fitTabledSequences(context, {
      transform: fitToLengths(sequenceFrame(data), trainRows, lengths, (set, rows) =>
        fitIntervalFeatures(set, rows, { depth, detail }),
      ),
      learner: gbdt,
      parameters: trees,
    });
  },

  /** As many rounds as the folds needed, on average. */
  refitParameters(parameters, foldFacts) {
    const best = foldFacts.flatMap(({ best_iteration }) =>
      typeof best_iteration === "number" && best_iteration > 0 ? [best_iteration] : [],
    );
    if (best.length === 0) return parameters;
    const mean = best.reduce((sum, rounds) => sum + rounds, 0) / best.length;
    return { ...parameters, rounds: Math.round(mean) };
  },
};
