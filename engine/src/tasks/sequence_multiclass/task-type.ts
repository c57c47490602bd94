/** One of several classes a sequence. */

import { readClasses } from "../labels/read-classes.ts";
import { multiclass } from "../multiclass/task-type.ts";
import { sequenceFields } from "../sequences/fields.ts";
import { FEW_SEQUENCES, sequenceFraming } from "../sequences/framing.ts";
import { KINDS_OF_SEQUENCES } from "../sequences/related-kinds.ts";
import type { TaskType } from "../task-type.ts";

export const sequenceMulticlass = {
  ...multiclass,
  kind: "sequence_multiclass",
  title: "Classification of sequences",
  readLabel: (column, written, rows) =>
    readClasses(column, written, rows, KINDS_OF_SEQUENCES, null),
  fields: sequenceFields,
  framing: sequenceFraming,
  familyShares: "likelihood",
  refitsUpTo: FEW_SEQUENCES,
  sections: ["sequences", ...multiclass.sections],
} as const satisfies TaskType;
