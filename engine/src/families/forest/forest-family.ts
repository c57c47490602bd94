/** A family of forests: what random forests and extremely randomised trees share. */

import { isShared } from "../../trees/forest/fit-forest.ts";
import type { Family, FamilyLoader } from "../family.ts";
import { portfolioOf, portfolioSchema } from "../portfolio.ts";
import { fitForestFamily, withLearnedShrinkage } from "./fit.ts";
import {
  type ForestVariant,
  forestDefaults,
  forestParameters,
  forestSearchSpace,
} from "./parameters.ts";

export interface ForestFamily extends Omit<ForestVariant, "id"> {
  readonly loader: FamilyLoader;
  readonly title: string;
  /** Why a default set includes it. */
  readonly reason: string;
  /** Beyond, boosting gives more for the same time. */
  readonly mostRows: number;
  /** As `portfolio.json` has it. */
  readonly portfolio: unknown;
}

export function forestFamily({
  loader,
  title,
  reason,
  mostRows,
  portfolio,
  randomCuts,
}: ForestFamily): Family {
  const variant: ForestVariant = { id: loader.id, randomCuts };
  const points = portfolioSchema.parse(portfolio);
  return {
    ...loader,
    title,
    losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
    keepsMonotone: false,
    predictsFast: false,
    sharesWork: isShared,
    growsOnDevice: true,

    suits({ rows }) {
      return rows <= mostRows
        ? { use: true, reason }
        : {
            use: false,
            reason: `At ${rows.toLocaleString("en")} rows deep trees cost much and boosting gives more.`,
          };
    },

    searchSpace: (shape) => forestSearchSpace(shape, variant),
    defaults: (shape) => forestDefaults(shape, variant),
    portfolio: (shape) =>
      portfolioOf(points, shape, forestDefaults(shape, variant), forestParameters()),
    parameters: forestParameters,
    fit: (context, parameters) => fitForestFamily(context, parameters, variant),

    refitParameters: withLearnedShrinkage,
  };
}
