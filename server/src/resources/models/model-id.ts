/** Ids of models: UUIDs, or for a document schema what a caller chose. */

import { z } from "zod";

/** @throws 422 `string_pattern_mismatch` */
export const modelIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/)
  .describe("Letters, digits, `.`, `_` and `-`; the first is a letter or a digit.");
