/** A number a sequence. */

import { readValues } from "../labels/read-values.ts";
import { regression } from "../regression/task-type.ts";
import { sequenceFields } from "../sequences/fields.ts";
import { FEW_SEQUENCES, sequenceFraming } from "../sequences/framing.ts";
import { KINDS_OF_SEQUENCES } from "../sequences/related-kinds.ts";
import type { TaskType } from "../task-type.ts";

export const sequenceRegression = {
  ...regression,
  kind: "sequence_regression",
  title: "Regression over sequences",
  readLabel: (column, _written, rows) => readValues(column, rows, KINDS_OF_SEQUENCES),
  fields: sequenceFields,
  framing: sequenceFraming,
  familyShares: "likelihood",
  refitsUpTo: FEW_SEQUENCES,
  sections: ["sequences", ...regression.sections],
} as const satisfies TaskType;
