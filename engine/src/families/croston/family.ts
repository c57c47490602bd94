/** Demand that comes now and then: sizes and intervals smoothed apart (Croston 1972 and after). */

import { z } from "zod";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import {
  CROSTON_METHODS,
  fitCroston,
  loadCroston,
  type SavedCroston,
} from "../../series/croston/croston.ts";
import type { Family } from "../family.ts";
import { type LocalMethod, localMembers } from "../local_forecast/local-model.ts";

const parametersSchema = z.object({ method: z.enum(CROSTON_METHODS) });

const savedSchema = z.object({
  method: z.enum(CROSTON_METHODS),
  alpha: z.number(),
  beta: z.number(),
  sums: z.array(z.object({ length: z.int(), alpha: z.number() })),
});

const SPACE: SearchSpace = {
  method: { type: "categorical", choices: [...CROSTON_METHODS] },
};

const DEFAULTS = { method: "sba" } as const;
/** Of the steps of all series that are 0, from which on demand is intermittent. */
const INTERMITTENT_SHARE = 0.2;

function methodOf(parameters: Parameters): LocalMethod<SavedCroston> {
  const { method } = parametersSchema.parse(parameters);
  return {
    fit: (history) => fitCroston(history, { method }),
    load: (saved) => loadCroston(savedSchema.parse(saved)),
  };
}

export const croston: Family = {
  id: "croston",
  title: "Croston's method",
  ...localMembers(methodOf, DEFAULTS),

  suits: ({ series }) =>
    series && series.zeros >= INTERMITTENT_SHARE
      ? { use: true, reason: "Many steps are 0: sizes and intervals are forecast separately." }
      : { use: false, reason: "Few steps are 0; it is made for intermittent demand." },

  searchSpace: () => SPACE,
  defaults: () => DEFAULTS,
  portfolio: () =>
    CROSTON_METHODS.toSorted((a, b) => Number(b === "sba") - Number(a === "sba")).map((method) => ({
      method,
    })),
  parameters: () => SPACE,
};
