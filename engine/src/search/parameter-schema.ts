/** Search spaces as they arrive in a request: the shape alone; ranges are for `validateSpace`. */

import { z } from "zod";
import { parameterValueSchema } from "./parameter-value.ts";

const conditionSchema = z.strictObject({
  parameter: z.string().min(1),
  values: z.array(parameterValueSchema).min(1),
});

/** What a hyper-parameter may be: a range or a list of choices. */
export const parameterSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("float"),
    low: z.number(),
    high: z.number(),
    log: z.boolean().exactOptional(),
    step: z.number().positive().exactOptional(),
    when: conditionSchema.exactOptional(),
  }),
  z.strictObject({
    type: z.literal("int"),
    low: z.int(),
    high: z.int(),
    log: z.boolean().exactOptional(),
    step: z.int().positive().exactOptional(),
    when: conditionSchema.exactOptional(),
  }),
  z.strictObject({
    type: z.literal("categorical"),
    choices: z.array(parameterValueSchema).min(1),
    when: conditionSchema.exactOptional(),
  }),
]);

/** @internal */
export const searchSpaceSchema = z.record(z.string().min(1), parameterSchema);
