/** One of two classes a sequence. */

import { binclass } from "../binclass/task-type.ts";
import { positiveClassFields } from "../labels/positive-class.ts";
import { readClasses } from "../labels/read-classes.ts";
import { sequenceFields } from "../sequences/fields.ts";
import { FEW_SEQUENCES, sequenceFraming } from "../sequences/framing.ts";
import { KINDS_OF_SEQUENCES } from "../sequences/related-kinds.ts";
import type { TaskType } from "../task-type.ts";

export const sequenceBinclass = {
  ...binclass,
  kind: "sequence_binclass",
  title: "Classification of sequences into two classes",
  readLabel: (column, written, rows) => readClasses(column, written, rows, KINDS_OF_SEQUENCES, 2),
  fields: { ...sequenceFields, ...positiveClassFields },
  framing: sequenceFraming,
  familyShares: "likelihood",
  refitsUpTo: FEW_SEQUENCES,
  sections: ["sequences", ...binclass.sections],
} as const satisfies TaskType;
