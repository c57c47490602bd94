/**
 * Which of two classes is the positive one, whose probability is predicted and which f1 and average
 * precision score. By default the second in the order of their names, as in scikit-learn.
 */

import { z } from "zod";
import { placeOfClass } from "../class-names.ts";
import type { ReadTarget } from "../task-type.ts";

export const positiveClassFields = {
  positiveClass: z
    .string()
    .min(1)
    .nullish()
    .describe(
      "For two classes: the one whose probability is predicted, and which f1 and average_precision score, as the label writes it. Default: the second by number or by name.",
    ),
};

/**
 * The same label, in which the class of this name is the second of the two.
 *
 * @param name as it was asked for; absent, or of no class: the label is left as it is
 */
export function withPositiveClass(label: ReadTarget, name: unknown): ReadTarget {
  const { classes, target, classCounts } = label;
  if (typeof name !== "string" || classes.length !== 2 || placeOfClass(classes, name) !== 0) {
    return label;
  }
  return {
    ...label,
    classes: classes.toReversed(),
    target: target.map((place) => 1 - place),
    classCounts: classCounts.toReversed(),
  };
}
