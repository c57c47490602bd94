/**
 * The gaussian_process family: values, and margins of classes (`labels.ts`), by the means of a Gaussian process
 * with a Matérn or squared exponential covariance, one length scale a feature, learned from the labels
 * (Rasmussen & Williams, "Gaussian Processes for Machine Learning", MIT Press 2006, §2.2 and §5.4.1). Exact, so
 * for few rows.
 */

import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, extendKey, type RandomKey } from "../../compute/random.ts";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import type { DataShape, Family, FitContext } from "../family.ts";
import { FitLimits } from "../fit-limits.ts";
import { contributionShares } from "../importance-shares.ts";
import { relativeWeights } from "../mlp/targets.ts";
import { type Points, SMOOTHNESS } from "./covariance.ts";
import { covarianceOf, type LabelledPoints } from "./evidence.ts";
import { type PathStart, pathContributions } from "./explain.ts";
import { type ProcessLabels, processLabels, slopeOf } from "./labels.ts";
import { learnSmoothness } from "./learn-smoothness.ts";
import { gaussianProcessLoader } from "./loader.ts";
import { GaussianProcessModel, posteriorMeans } from "./model.ts";
import { dimensionNames, fitDimensions, readPoints } from "./points.ts";
import { type Posterior, posteriorOf } from "./posterior.ts";

/** The matrix of more takes minutes to factor, and its rows are most of what a prediction costs. */
const MOST_ROWS = 2000;
const FEWEST_ROWS = 30;
const MOST_FEATURES = 100;
/** Rows whose labels length scales are learned from, evenly drawn. */
const LEARNING_ROWS = 300;
/** Rows that are left out one by one, for the slope of margins. */
const LEFT_OUT_ROWS = 500;
/** Rows that importance is measured on. */
const IMPORTANCE_ROWS = 200;

export const gaussianProcess: Family = {
  ...gaussianProcessLoader,
  title: "Gaussian process",
  losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
  keepsMonotone: false,
  predictsFast: false,
  suits({ rows, features }) {
    if (features.length === 0) return { use: false, reason: "There are no features to read." };
    if (features.length > MOST_FEATURES) {
      return {
        use: false,
        reason: `${features.length} features are many for learned length scales.`,
      };
    }
    if (rows > MOST_ROWS) {
      return {
        use: false,
        reason: `Its time grows with the cube of the rows, and ${rows.toLocaleString("en")} are many.`,
      };
    }
    if (rows < FEWEST_ROWS)
      return { use: false, reason: `${rows} rows are few to learn scales from.` };
    return { use: true, reason: "Exact and smooth on few rows, unlike trees." };
  },
  searchSpace: () => ({
    smoothness: { type: "categorical", choices: [LEARNED, ...SMOOTHNESS] },
    length_scales: { type: "categorical", choices: LENGTH_SCALES },
    learning_rows: { type: "int", low: 150, high: 500, log: true },
  }),
  defaults,
  portfolio: (shape) => [
    defaults(shape),
    { ...defaults(shape), smoothness: "matern_3_2" },
    { ...defaults(shape), length_scales: "shared" },
    { ...defaults(shape), smoothness: "rbf" },
    { ...defaults(shape), smoothness: "matern_1_2" },
    { ...defaults(shape), smoothness: "matern_3_2", length_scales: "shared" },
  ],
  parameters: (): SearchSpace => ({
    smoothness: { type: "categorical", choices: [LEARNED, ...SMOOTHNESS] },
    length_scales: { type: "categorical", choices: LENGTH_SCALES },
    learning_rows: { type: "int", low: 20, high: 2000, log: true },
    max_rows: { type: "int", low: 20, high: 5000, log: true },
  }),
  fit,
  refitParameters: (parameters) => parameters,
};

/** The smoothness by which left-out labels are met best. */
const LEARNED = "learned";
const LENGTH_SCALES = ["per_feature", "shared"] as const;

function defaults(_shape: DataShape): Parameters {
  return {
    smoothness: LEARNED,
    length_scales: "per_feature",
    learning_rows: LEARNING_ROWS,
    max_rows: MOST_ROWS,
  };
}

function fit(context: FitContext, parameters: Parameters): GaussianProcessModel {
  const { data, key } = context;
  const limits = context.limits ?? new FitLimits();
  const { exp, log } = kernelsOf(data.arena);
  const labels = processLabels(context, { log });
  const { outputs } = labels;
  const weights = relativeWeights(context);
  const counted = weights ? context.trainRows.filter((row) => weights[row] > 0) : context.trainRows;
  const rows = drawn(counted, numberOf(parameters, "max_rows", MOST_ROWS), extendKey(key, "rows"));
  const terms = fitDimensions(data, rows);
  const names = dimensionNames(data.features.length, terms);
  const labelled = (of: Uint32Array): LabelledPoints => ({
    points: readPoints(data, terms, of),
    labels: Float64Array.from({ length: of.length * outputs }, (_, at) => {
      const [k, i] = [Math.floor(at / of.length), at % of.length];
      return labels.values[of[i] * outputs + k];
    }),
    noiseFactors: weights && Float64Array.from(of, (row) => 1 / weights[row]),
  });
  const learning = { shared: parameters["length_scales"] === "shared", exp };
  const learningRows = drawn(
    rows,
    numberOf(parameters, "learning_rows", LEARNING_ROWS),
    extendKey(key, "learning"),
  );
  const dimensions = names.featureOf.length;
  const after = stepsAfter(rows.length, learningRows.length, dimensions, learning.shared, labels);
  const given = SMOOTHNESS.filter((name) => name === parameters["smoothness"]);
  const learned = learnSmoothness(
    labelled(learningRows),
    dimensions,
    given.length > 0 ? given : SMOOTHNESS,
    learning,
    limits,
    after,
  );
  const { smoothness } = learned;
  const { covariance, noise } = covarianceOf(learned.parameters, dimensions, {
    ...learning,
    smoothness,
  });
  const all = labelled(rows);
  const { points } = all;
  const posterior = posteriorOf(all, covariance, noise, { exp, limits });
  const factors = factorsOf(posterior, labels, rows, { exp, weights });
  const process = {
    covariance,
    points,
    weights: posterior.weights,
    start: startOfPaths(points, names.codeCounts),
  };
  const asked = readPoints(data, terms, spaced(rows, IMPORTANCE_ROWS));
  const { contributions } = pathContributions(
    process,
    asked,
    posteriorMeans(process, asked, exp),
    names,
    exp,
  );
  const scaled = contributions.map((value, at) => factors[at % outputs] * value);
  return new GaussianProcessModel(context.task, data.features.length, {
    ...process,
    terms,
    centres: labels.centres,
    factors,
    importance: contributionShares(scaled, data.features.length, outputs),
    facts: {
      rows: rows.length,
      noise_share: Number((noise / (noise + covariance.amplitude)).toPrecision(4)),
      steps: learned.steps,
      smoothness,
    },
  });
}

/**
 * What the posterior takes, in steps of the ascent: by their products. Without time for it there is no model, however
 * well its scales were learned.
 */
function stepsAfter(
  rows: number,
  learningRows: number,
  dimensions: number,
  shared: boolean,
  { classes }: ProcessLabels,
): number {
  const leftOut = classes ? (Math.min(rows, LEFT_OUT_ROWS) * rows ** 2) / 6 : 0;
  const posterior = rows ** 3 / 6 + leftOut + rows ** 2 * dimensions;
  // Distances of a shared scale are found once, before the first step.
  const read = 1.5 * learningRows ** 2 * (shared ? 1 : dimensions);
  return posterior / (learningRows ** 3 / 2 + read);
}

/** What means are multiplied by to be values or margins. */
function factorsOf(
  posterior: Posterior,
  labels: ProcessLabels,
  rows: Uint32Array,
  means: { readonly exp: (x: number) => number; readonly weights: Float64Array | null },
): readonly number[] {
  const { factors, classes } = labels;
  if (!classes) return factors;
  const places = spaced(Uint32Array.from(rows.keys()), LEFT_OUT_ROWS);
  const some = places.map((place) => rows[place]);
  const slope = slopeOf(labels, classes, some, posterior.leftOut(places), means);
  return factors.map((factor) => slope * factor);
}

function numberOf(parameters: Parameters, name: string, otherwise: number): number {
  const value = parameters[name];
  return typeof value === "number" ? value : otherwise;
}

/** At most so many of the rows, ascending. */
function drawn(rows: Uint32Array, most: number, key: RandomKey): Uint32Array {
  if (rows.length <= most) return rows;
  return new CounterRandom(key).shuffle(rows.slice()).subarray(0, most).slice().sort();
}

function spaced(rows: Uint32Array, most: number): Uint32Array {
  const stride = Math.ceil(rows.length / most);
  return rows.filter((_, i) => i % stride === 0);
}

function startOfPaths({ rows, numbers, codes }: Points, codeCounts: readonly number[]): PathStart {
  const means = Float64Array.from({ length: numbers.length / rows }, (_, d) => {
    let sum = 0;
    for (let i = 0; i < rows; i++) sum += numbers[d * rows + i];
    return sum / rows;
  });
  const shares = codeCounts.flatMap((count, c) => {
    const own = new Array<number>(count).fill(0);
    for (let i = 0; i < rows; i++) own[codes[c * rows + i]] += 1 / rows;
    return own;
  });
  return { numbers: means, shares: Float64Array.from(shares) };
}
