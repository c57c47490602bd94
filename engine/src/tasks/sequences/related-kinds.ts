/** The kinds of sequences, for messages that point from one to another. */

import type { RelatedKinds } from "../labels/label-rows.ts";

export const KINDS_OF_SEQUENCES: RelatedKinds = {
  values: "sequence_regression",
  two: "sequence_binclass",
  several: "sequence_multiclass",
};
