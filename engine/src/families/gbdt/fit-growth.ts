/** How the trees of a boosting fit are grown, as its parameters and its columns say. */

import { MAX_BINS } from "../../data/binning/fit-binning.ts";
import type { DerivedColumn } from "../../trees/derived-columns.ts";
import type { Growth, GrowthSettings } from "../../trees/growth-settings.ts";
import type { DerivedFeature } from "../../trees/source-features.ts";
import type { FitContext } from "../family.ts";
import type { DrawSettings } from "./gradient-draws.ts";
import type { GbdtParameters } from "./parameters.ts";

/** What rounds are told: gbdt's parameters, in other families' trees too. */
export interface BoostingParameters extends Omit<GbdtParameters, "growth"> {
  readonly growth: Growth;
  /** How a tree's structure is chosen by gradients other than those of its leaves; absent: it is not. */
  readonly draws?: DrawSettings;
}

export function growthSettings(
  parameters: BoostingParameters,
  monotone: Int8Array | null,
): GrowthSettings {
  return {
    growth: parameters.growth,
    maxLeaves: parameters.num_leaves,
    maxDepth: parameters.max_depth,
    minData: parameters.min_data_in_leaf,
    minHessian: parameters.min_child_weight,
    minGain: parameters.min_split_gain,
    l1: parameters.lambda_l1,
    l2: parameters.lambda_l2,
    catSmooth: parameters.cat_smooth,
    catL2: parameters.cat_l2,
    minGroup: parameters.min_data_per_group,
    maxCategories: parameters.max_cat_threshold,
    // Nodes of a level have no order of categories in common.
    oneVersusRest: parameters.growth === "symmetric" ? MAX_BINS + 1 : parameters.max_cat_to_onehot,
    randomThresholds: parameters.extra_trees,
    monotone,
  };
}

/** One sign a feature that trees are grown on. */
export function monotoneSigns(
  { data: { features }, monotone }: FitContext,
  sources: readonly DerivedFeature[] | null,
  derived: readonly DerivedColumn[],
): Int8Array | null {
  const own = features.length;
  const grown =
    sources?.map(({ feature }) =>
      features.at(feature < own ? feature : derived[feature - own].feature),
    ) ?? features;
  const signs = Int8Array.from(grown, (feature) =>
    feature?.kind === "numeric" ? (monotone[feature.name] ?? 0) : 0,
  );
  return signs.some((sign) => sign !== 0) ? signs : null;
}
