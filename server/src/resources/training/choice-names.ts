/**
 * The names of metrics and families in a request: canonical ones and their aliases, answered in the
 * canonical name; of what is none of them, a message that says what there is.
 */

import {
  FAMILIES,
  familyById,
  familyForLibrary,
  familyIdOf,
  METRICS,
  metricNameOf,
  PLANNED_FAMILIES,
} from "@distillery/engine";
import { z } from "zod";

const METRIC_NAMES = METRICS.map(({ name }) => name);
const FAMILY_IDS = FAMILIES.map(({ id }) => id);

export const metricName = z
  .string()
  .transform((given, context) => {
    const name = metricNameOf(given);
    if (METRIC_NAMES.includes(name)) return name;
    context.addIssue({
      code: "custom",
      message: `'${given}' is not a metric; the known ones are ${METRIC_NAMES.join(", ")}`,
    });
    return z.NEVER;
  })
  .meta({
    override: {
      type: "string",
      enum: METRIC_NAMES,
      description:
        "A metric, by its name here; in any case, and by the names of scikit-learn's scorers and other libraries (auc, neg_mean_squared_error, binary_logloss), it is understood and answered in this name.",
    },
  });

export const familyName = z
  .string()
  .transform((given, context) => {
    const id = familyIdOf(given);
    if (familyById(id) !== undefined) return id;
    const ours = familyForLibrary(given);
    const known = FAMILY_IDS.join(", ");
    context.addIssue({
      code: "custom",
      message:
        ours !== null
          ? `'${given}' is a library whose models are not trained here: use '${ours}', the family of the same kind; the known ones are ${known}`
          : PLANNED_FAMILIES.includes(id)
            ? `'${given}' is not available yet; the known ones are ${known}`
            : `'${given}' is not a model family; the known ones are ${known}`,
    });
    return z.NEVER;
  })
  .meta({
    override: {
      type: "string",
      enum: FAMILY_IDS,
      description:
        "A model family, by its id here; common other names (rf, gbm, logistic_regression) are understood in any case and answered in this one.",
    },
  });

/** Names in a list of which each stands once, aliases included. */
export const distinct = (what: string) => (names: readonly string[], context: z.RefinementCtx) => {
  for (const [index, name] of names.entries()) {
    const first = names.indexOf(name);
    if (first === index) continue;
    context.addIssue({
      code: "custom",
      path: [index],
      message: `the ${what} '${name}' is named twice, first as item ${first}`,
    });
  }
};
