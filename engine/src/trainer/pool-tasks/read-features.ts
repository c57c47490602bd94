/** Which features the predictions of a fitted model may depend on: what is shuffled in others changes nothing. */

import type { Feature } from "../../data/encoded.ts";
import type { FittedModel } from "../../families/family.ts";
import type { AdditivePart, MemberFormula } from "../../families/formula.ts";

/** Sets the places of the features that a model reads, all of them where it does not say. */
export function markRead(
  model: Pick<FittedModel, "formula">,
  features: readonly Feature[],
  read: Uint8Array,
): void {
  const formula = model.formula?.(features);
  const places = formula && readPlaces(formula, features.length);
  if (places) for (const place of places) read[place] = 1;
  else read.fill(1);
}

/** Null: any. */
function readPlaces(formula: MemberFormula, features: number): Iterable<number> | null {
  switch (formula.kind) {
    case "trees": {
      const { trees, derived = [] } = formula;
      const split = new Set(trees.feature.filter((feature) => feature >= 0));
      return Array.from(split, (column) =>
        column < features ? column : derived[column - features].feature,
      );
    }
    case "additive":
      return formula.parts.filter(hasWeight).map(({ feature }) => feature);
    case "network":
    case "process":
      return null;
  }
}

function hasWeight({ weights }: AdditivePart): boolean {
  return weights.flat().some((weight) => weight !== 0);
}
