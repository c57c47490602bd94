/** What a hyper-parameter is set to, apart from the spaces that it is drawn from: models are read without those. */

import { z } from "zod";

/** A value of a hyper-parameter. */
export const parameterValueSchema = z.union([z.string(), z.number(), z.boolean(), z.null()]);
