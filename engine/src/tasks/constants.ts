/** Answers that look at no column: what a model of each kind is held against. */

import { quantile } from "../data/quantile.ts";
import { shown } from "../data/shown.ts";
import type { ConstantAnswer, ConstantRows, TaskForm } from "./task-type.ts";

const weightOf = ({ weights }: ConstantRows, row: number): number =>
  weights === null ? 1 : weights[row];

export function meanOf(rows: ConstantRows): ConstantAnswer {
  return {
    nameFor: () => "the mean",
    of(train) {
      let sum = 0;
      let weight = 0;
      for (const row of train) {
        sum += weightOf(rows, row) * rows.target[row];
        weight += weightOf(rows, row);
      }
      return Float64Array.of(sum / weight);
    },
  };
}

/** Of rows that weigh alike. */
export function medianOf({ target }: ConstantRows): ConstantAnswer {
  return {
    nameFor: () => "the median",
    of: (train) =>
      Float64Array.of(quantile(Float64Array.from(train, (row) => target[row]).sort(), 0.5)),
  };
}

/** One share a class, or of two classes the second's. */
export function classSharesOf(
  { classes }: TaskForm,
  outputs: number,
  rows: ConstantRows,
): ConstantAnswer {
  return {
    nameFor: ({ needs }) => (needs === "label" ? "the most frequent class" : "the classes' shares"),
    of(train) {
      const shares = new Float64Array(classes.length);
      let total = 0;
      for (const row of train) {
        shares[rows.target[row]] += weightOf(rows, row);
        total += weightOf(rows, row);
      }
      const probabilities = shares.map((share) => share / total);
      return outputs === 1 ? probabilities.slice(1, 2) : probabilities;
    },
  };
}

/**
 * Every row is of the second of two classes, whatever the fold: the best constant by metrics of that class
 * alone, and, since all rows rank alike, chance by those of an order. Shares that differ from fold to
 * fold order the rows of all folds, and worse than by chance: where a class is rarer in what was learned it
 * is more frequent in what was held out.
 */
export function positiveAlone({ classes }: TaskForm): ConstantAnswer {
  return {
    nameFor: ({ needs }) =>
      needs === "label" ? `the class ${shown(classes[1])}` : "one answer for all rows",
    of: () => Float64Array.of(1),
  };
}

/** Of several classes the same one for all folds, likewise. */
export function equalShares({ classes }: TaskForm): ConstantAnswer {
  return {
    nameFor: ({ needs }) =>
      needs === "label" ? `the class ${shown(classes[0])}` : "one answer for all rows",
    of: () => new Float64Array(classes.length).fill(1 / classes.length),
  };
}
