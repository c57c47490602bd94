/** The feature schema as it stands in `model.json`. */

import { z } from "zod";
import { TEXT_PARTS } from "../data/expansion/text.ts";
import { TIMESTAMP_PARTS } from "../data/expansion/timestamp.ts";
import { SLASHED_ORDERS } from "../data/readers/timestamp-text.ts";
import { COLUMN_KINDS } from "../data/table.ts";

const sourceColumnSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["numeric", "boolean"]), name: z.string() }),
  z.object({
    kind: z.literal("categorical"),
    name: z.string(),
    categories: z.array(z.string()).readonly(),
    omitted: z.int(),
  }),
  z.object({
    kind: z.literal("timestamp"),
    name: z.string(),
    origin: z.number(),
    parts: z.array(z.enum(TIMESTAMP_PARTS)).readonly(),
    slashed: z.enum(SLASHED_ORDERS).optional(),
  }),
  z.object({
    kind: z.literal("text"),
    name: z.string(),
    parts: z.array(z.enum(TEXT_PARTS)).readonly(),
    tokens: z.array(z.string()).readonly(),
    literalTexts: z.array(z.string()).readonly().optional(),
  }),
]);

export const featureSchemaDocument = z.object({
  columns: z.array(sourceColumnSchema).readonly(),
  dropped: z
    .array(
      z.object({
        name: z.string(),
        kind: z.enum(COLUMN_KINDS),
        reason: z.enum(["excluded", "empty", "constant"]),
      }),
    )
    .readonly(),
  notes: z.array(z.string()).readonly(),
});
