/** The families there are. This is the only place that lists them. */

import { type TaskKind, taskType } from "../tasks/index.ts";
import { arima } from "./arima/family.ts";
import { croston } from "./croston/family.ts";
import { dlinear } from "./dlinear/family.ts";
import { dtwKnn } from "./dtw_knn/family.ts";
import { dynamicRegression } from "./dynamic_regression/family.ts";
import { ets } from "./ets/family.ts";
import { extraTrees } from "./extra_trees/family.ts";
import type { Family } from "./family.ts";
import { gam } from "./gam/family.ts";
import { gaussianProcess } from "./gaussian_process/family.ts";
import { gbdt } from "./gbdt/family.ts";
import { harmonicRegression } from "./harmonic_regression/family.ts";
import { hydra } from "./hydra/family.ts";
import { intervalGbdt } from "./interval_gbdt/family.ts";
import { lagGbdt } from "./lag_gbdt/family.ts";
import { linear } from "./linear/family.ts";
import { minirocket } from "./minirocket/family.ts";
import { mlp } from "./mlp/family.ts";
import { multirocket } from "./multirocket/family.ts";
import { multirocketHydra } from "./multirocket_hydra/family.ts";
import { oblivious } from "./oblivious/family.ts";
import { quant } from "./quant/family.ts";
import { randomForest } from "./random_forest/family.ts";
import { seasonalNaive } from "./seasonal_naive/family.ts";
import { shapelets } from "./shapelets/family.ts";
import { theta } from "./theta/family.ts";

/** The families that can be trained; a step of a search begins in this order, so the dear ones come late. */
export const FAMILIES: readonly Family[] = [
  gbdt,
  oblivious,
  randomForest,
  extraTrees,
  linear,
  gam,
  gaussianProcess,
  mlp,
  seasonalNaive,
  theta,
  dynamicRegression,
  croston,
  dlinear,
  lagGbdt,
  ets,
  harmonicRegression,
  arima,
  minirocket,
  multirocket,
  hydra,
  multirocketHydra,
  shapelets,
  quant,
  intervalGbdt,
  dtwKnn,
];

/** What any model is expected to beat: a linear model of the columns, or of simple features of sequences. */
export function baselineFamily(task: TaskKind): Family {
  return serves(linear, task)
    ? linear
    : (familiesFor(task).find(({ predictsFast }) => predictsFast) ?? linear);
}

/** Families of the contract that are not built yet; asking for one is a clear error. */
export const PLANNED_FAMILIES: readonly string[] = ["knn", "tabm", "tcn"];

/** Undefined where there is none. @param id as `familyIdOf` gives it */
export function familyById(id: string): Family | undefined {
  return FAMILIES.find((family) => family.id === id);
}

/** Whether the family minimises the loss of the task. */
export function serves(family: Family, task: TaskKind): boolean {
  const { loss, framing } = taskType(task);
  const frame = family.reads === "bins" || family.reads === "values" ? null : family.reads;
  return family.losses.includes(loss) && frame === (framing?.kind ?? null);
}

/** The families that can be trained for a kind of task. */
export function familiesFor(task: TaskKind): readonly Family[] {
  return FAMILIES.filter((family) => serves(family, task));
}

/** What our families are called elsewhere. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  gbdt: ["gbm", "gradient_boosting", "hist_gradient_boosting", "histgradientboosting"],
  random_forest: ["randomforest", "rf"],
  extra_trees: ["extratrees", "extremely_randomized_trees", "xt", "et"],
  linear: [
    "linear_model",
    "linear_regression",
    "logistic_regression",
    "elastic_net",
    "elasticnet",
    "lr",
  ],
  mlp: ["neural_network", "realmlp", "nn"],
  gam: ["ebm", "explainable_boosting_machine", "explainable_boosting", "additive"],
  gaussian_process: ["gp", "gpr", "kriging"],
  oblivious: ["oblivious_trees", "symmetric_trees"],
  dynamic_regression: ["arimax", "sarimax", "regression_with_arima_errors"],
};

/** Libraries whose own models are not trained here, and our family of their kind. */
const LIBRARIES: Readonly<Record<string, string>> = {
  lightgbm: "gbdt",
  lgbm: "gbdt",
  xgboost: "gbdt",
  xgb: "gbdt",
  catboost: "oblivious",
  cat: "oblivious",
};

const ID_OF = new Map(
  Object.entries(ALIASES).flatMap(([id, aliases]) => [
    [id, id] as const,
    ...aliases.map((alias) => [alias, id] as const),
  ]),
);

const plain = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");

/** The id that a family has here: of an alias, in any case; a name nobody knows comes back as it is. */
export const familyIdOf = (name: string): string => ID_OF.get(plain(name)) ?? name;

/** Our family of the kind of a library's models; null of what names none. */
export const familyForLibrary = (name: string): string | null => LIBRARIES[plain(name)] ?? null;
