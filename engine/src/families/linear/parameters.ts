/** The parameters of the linear family: their ranges, what is searched, and the strong default. */

import type { Parameters, SearchSpace } from "../../search/space.ts";
import { typeOf } from "../../tasks/index.ts";
import type { DataShape } from "../family.ts";
import { NUMERIC_TRANSFORMS, type NumericTransformName } from "./numeric-transform.ts";

/** The `regularization` of fits that choose their penalty, a ridge, by generalised cross-validation. */
export const GCV = "l2_gcv";
/** The `regularization` of discriminants whose covariance is drawn towards the identity; of classes, and few rows. */
export const LDA = "shrunken_lda";

/** Those that a search chooses from. */
const SEARCHED_TRANSFORMS = NUMERIC_TRANSFORMS.filter((name) => name !== "clip_far");

export interface LinearParameters {
  /** Strength of the penalty on the mean loss, columns and a regression's target being scaled. */
  readonly penalty: number;
  /** Part of the penalty that is L1, 0 (ridge) … 1 (lasso). */
  readonly l1Ratio: number;
  /** Whether a fit chooses its penalty, a ridge, by generalised cross-validation. */
  readonly choosesPenalty: boolean;
  /** Whether a fit of classes is a shrunken linear discriminant analysis, for which there is no penalty. */
  readonly discriminates: boolean;
  readonly numericTransform: NumericTransformName;
  readonly splineKnots: number;
  readonly oneHotSmallIntegers: boolean;
  /** Categoricals with more categories than this are target-encoded. */
  readonly oneHotMaxCategories: number;
  /** Rows that the overall mean counts for in a category's target encoding. */
  readonly targetSmoothing: number;
}

/** Everything `fit` understands. */
export function linearParameters(): SearchSpace {
  return {
    penalty: { type: "float", low: 1e-10, high: 1e4, log: true },
    regularization: { type: "categorical", choices: ["l2", "elastic_net", GCV, LDA] },
    l1_ratio: {
      type: "float",
      low: 0,
      high: 1,
      when: { parameter: "regularization", values: ["elastic_net"] },
    },
    numeric_transform: { type: "categorical", choices: NUMERIC_TRANSFORMS },
    spline_knots: {
      type: "int",
      low: 3,
      high: 20,
      when: { parameter: "numeric_transform", values: ["spline"] },
    },
    one_hot_small_integers: { type: "categorical", choices: [true, false] },
    one_hot_max_categories: { type: "int", low: 1, high: 10_000 },
    target_smoothing: { type: "float", low: 0.01, high: 10_000, log: true },
  };
}

const ONE_HOT_MAX_CATEGORIES = 64;

/** Beyond so many levels, a column of its own for each is more than a design takes. */
const MOST_CATEGORIES = 10_000;

/** Whether levels of a column that is target-encoded may have columns of their own. */
function hasLevels({ features }: DataShape): boolean {
  return features.some(
    (feature) =>
      feature.kind === "categorical" &&
      feature.categories.length > ONE_HOT_MAX_CATEGORIES &&
      feature.categories.length <= MOST_CATEGORIES,
  );
}

/** Numbers, categorical ones that are target-encoded, and the categories of the others. */
function countFeatures(shape: DataShape): { numeric: number; encoded: number; levels: number } {
  let numeric = 0;
  let encoded = 0;
  let levels = 0;
  for (const feature of shape.features) {
    if (feature.kind === "numeric") numeric++;
    else if (feature.categories.length > ONE_HOT_MAX_CATEGORIES) encoded++;
    else levels += feature.categories.length;
  }
  return { numeric, encoded, levels };
}

/** What changes the fit on data of this shape. */
export function linearSearchSpace(shape: DataShape): SearchSpace {
  const { numeric, encoded } = countFeatures(shape);
  const choosesPenalty = suitsGcv(shape);
  const discriminates = suitsLda(shape);
  return {
    // A tenth of the weight that one row has; less changes nothing but the time it takes.
    penalty: {
      type: "float",
      low: Math.min(0.1, Math.max(1e-6, 0.1 / Math.max(1, shape.rows))),
      high: 1,
      log: true,
      ...((choosesPenalty || discriminates) && {
        when: { parameter: "regularization", values: ["l2", "elastic_net"] },
      }),
    },
    regularization: {
      type: "categorical",
      choices: [
        "l2",
        "elastic_net",
        ...(choosesPenalty ? [GCV] : []),
        ...(discriminates ? [LDA] : []),
      ],
    },
    l1_ratio: {
      type: "float",
      low: 0.05,
      high: 1,
      when: { parameter: "regularization", values: ["elastic_net"] },
    },
    ...(numeric > 0 && {
      numeric_transform: { type: "categorical", choices: SEARCHED_TRANSFORMS },
      spline_knots: {
        type: "int",
        low: 4,
        high: 10,
        when: { parameter: "numeric_transform", values: ["spline"] },
      },
      one_hot_small_integers: { type: "categorical", choices: [true, false] },
    }),
    ...(encoded > 0 && {
      target_smoothing: { type: "float", low: 1, high: 300, log: true },
    }),
    ...(hasLevels(shape) && {
      one_hot_max_categories: {
        type: "int",
        low: ONE_HOT_MAX_CATEGORIES,
        high: MOST_CATEGORIES,
        log: true,
        // Normal equations, by which a penalty is chosen, are of fewer columns.
        when: { parameter: "regularization", values: ["l2", "elastic_net"] },
      },
    }),
  };
}

/** Whether there are more features than rows: splines and a light ridge would follow the noise of all. */
function isWide({ features, rows }: DataShape): boolean {
  return features.length > rows;
}

const DEFAULT_KNOTS = 5;
/**
 * Products of pairs of columns, one a row, beyond which numbers are as they are first and splines second: as many take
 * two seconds or so.
 */
const MANY_PRODUCTS = 5e9;

const SPLINES = { numeric_transform: "spline", spline_knots: DEFAULT_KNOTS };

/** Whether splines of all numbers would be dear to multiply with each other. */
function isDear(shape: DataShape): boolean {
  return shape.rows * splineColumns(shape) ** 2 > 2 * MANY_PRODUCTS;
}

function splineColumns(shape: DataShape): number {
  return countFeatures(shape).numeric * (DEFAULT_KNOTS - 1);
}

/** About how many columns the design of the defaults has. */
export function usualColumns(shape: DataShape): number {
  const { numeric, encoded, levels } = countFeatures(shape);
  const isPlain = isWide(shape) || isDear(shape);
  return (isPlain ? numeric : splineColumns(shape)) + encoded + levels;
}

/**
 * Splines and calendar levels under a light ridge: near an additive model, and stable. Of many numbers in many rows the
 * numbers themselves, which are nearly as good for a twentieth of the time. Wide data: a lasso.
 */
export function linearDefaults(shape: DataShape): Parameters {
  const common = {
    one_hot_small_integers: true,
    one_hot_max_categories: ONE_HOT_MAX_CATEGORIES,
    target_smoothing: 20,
  };
  if (isWide(shape)) {
    return {
      penalty: lassoPenalty(shape),
      regularization: "elastic_net",
      l1_ratio: 1,
      numeric_transform: "clip",
      ...common,
    };
  }
  return {
    penalty: Math.min(0.1, Math.max(1e-5, 3 / Math.max(1, shape.rows))),
    regularization: "l2",
    ...(isDear(shape) ? { numeric_transform: "clip_far" } : SPLINES),
    ...common,
  };
}

/** Columns from which on it takes long to look at many penalties. */
const GCV_COLUMNS = 500;

/** Whether fits may choose their penalty by generalised cross-validation: least squares whose normal equations are made. */
function suitsGcv(shape: DataShape): boolean {
  return (
    typeOf(shape.task).loss === "squared_error" &&
    !isWide(shape) &&
    !isDear(shape) &&
    usualColumns(shape) <= GCV_COLUMNS
  );
}

/** Rows of which all pairs are multiplied. */
export const LDA_ROWS = 2000;
/** Steps of that, some two seconds of a core, up to which it is tried unasked. */
const LDA_STEPS = 5e8;

/** Whether discriminants are tried: of classes in wide data, whose few rows many columns tell apart. */
function suitsLda(shape: DataShape): boolean {
  const { loss } = typeOf(shape.task);
  const isOfClasses = loss === "binary_log_loss" || loss === "multinomial_log_loss";
  const steps = shape.rows ** 2 * shape.features.length;
  const isCheap = shape.rows <= LDA_ROWS && steps <= LDA_STEPS;
  return isOfClasses && isWide(shape) && isCheap && shape.student !== true;
}

/**
 * Every level by itself, however few rows it has, as groups of a mixed model are: where labels hang on whose rows they
 * are, the mean of a level's rows says less than what is left of it beside all else. Null without such columns.
 */
function byLevels(shape: DataShape, defaults: Parameters): Parameters | null {
  if (!hasLevels(shape)) return null;
  const penalty = Math.min(0.1, Math.max(1e-5, 1 / Math.max(1, shape.rows)));
  return { ...defaults, penalty, one_hot_max_categories: MOST_CATEGORIES };
}

/**
 * What is tried in order: of wide data a ridge second, as if every feature said a little, of classes a discriminant
 * analysis before it, and no splines. Where splines are dear, they come second. Else, of a regression, the numbers as they are under a penalty of their own, which finds
 * sums and differences to the last digits (a total and its parts, a year and an age), then splines under theirs.
 *
 * @param found the defaults first, then those of the portfolio
 */
export function suitedToShape(
  shape: DataShape,
  [defaults, ...found]: readonly Parameters[],
): readonly Parameters[] {
  if (!isWide(shape)) {
    const levels = byLevels(shape, defaults);
    const first = levels === null ? [defaults] : [defaults, levels];
    if (isDear(shape)) return [...first, { ...defaults, ...SPLINES }, ...found];
    if (!suitsGcv(shape)) return [...first, ...found];
    const chosen = { ...defaults, regularization: GCV };
    const plain = { ...chosen, numeric_transform: "none", one_hot_small_integers: false };
    return [...first, plain, chosen, ...found];
  }
  return [
    defaults,
    ...(suitsLda(shape) ? [{ ...defaults, regularization: LDA }] : []),
    { ...defaults, penalty: 1, regularization: "l2" },
    { ...defaults, penalty: 0.6 * lassoPenalty(shape) },
    ...found.filter((each) => each["numeric_transform"] !== "spline"),
  ];
}

/**
 * A quarter of the penalty that pure noise of a target's own size stays below (Bickel, Ritov, Tsybakov, "Simultaneous
 * analysis of lasso and Dantzig selector", Ann. Statist. 37(4), 2009): part of the target is signal.
 */
function lassoPenalty({ features, rows }: DataShape): number {
  return 0.25 * Math.sqrt((2 * Math.log(features.length + 1)) / Math.max(1, rows));
}

/** Reads parameters that the trainer has checked against `linearParameters`. */
export function readParameters(parameters: Parameters): LinearParameters {
  const transform = NUMERIC_TRANSFORMS.find((name) => name === parameters["numeric_transform"]);
  const number = (name: string, otherwise: number): number => {
    const value = parameters[name];
    return typeof value === "number" ? value : otherwise;
  };
  return {
    penalty: number("penalty", 1e-4),
    choosesPenalty: parameters["regularization"] === GCV,
    discriminates: parameters["regularization"] === LDA,
    l1Ratio: parameters["regularization"] === "elastic_net" ? number("l1_ratio", 0.5) : 0,
    numericTransform: transform ?? "spline",
    splineKnots: number("spline_knots", DEFAULT_KNOTS),
    oneHotSmallIntegers: parameters["one_hot_small_integers"] !== false,
    oneHotMaxCategories: number("one_hot_max_categories", ONE_HOT_MAX_CATEGORIES),
    targetSmoothing: number("target_smoothing", 20),
  };
}
