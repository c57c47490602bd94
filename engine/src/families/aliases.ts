/** What our families are called elsewhere, and which of them stand for libraries that are not here. */

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
};

/** Libraries whose own models are not trained here, and our family of their kind. */
const LIBRARIES: Readonly<Record<string, string>> = {
  lightgbm: "gbdt",
  lgbm: "gbdt",
  xgboost: "gbdt",
  xgb: "gbdt",
  catboost: "gbdt",
  cat: "gbdt",
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
