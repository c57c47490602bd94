/** Reads models of the theta method back; series that were not there in training are fitted when they are asked for. */

import { z } from "zod";
import type { Parameters } from "../../search/space.ts";
import { fitTheta, loadTheta, THETA_FORMS } from "../../series/theta/theta-model.ts";
import type { FamilyLoader } from "../family.ts";
import {
  allOfSeveral,
  LOCAL_SEASONS,
  type LocalMethod,
  localMembers,
  seasonalMethod,
} from "../local_forecast/local-model.ts";

export const DECOMPOSITIONS = ["multiplicative", "additive"] as const;

const parametersSchema = z.object({
  form: z.enum(THETA_FORMS),
  decomposition: z.enum(DECOMPOSITIONS),
  season: z.enum(LOCAL_SEASONS),
});

const savedSchema = z.object({
  form: z.enum(THETA_FORMS),
  season: z.object({ form: z.enum(DECOMPOSITIONS), indices: z.array(z.number()) }).nullable(),
  alpha: z.number(),
  omega: z.number(),
});

export const DEFAULTS = {
  form: "dynamic_optimised",
  decomposition: "multiplicative",
  season: "shortest",
} as const;

export function thetaMethod(parameters: Parameters): LocalMethod<unknown> {
  const { form, decomposition, season } = parametersSchema.parse(parameters);
  return seasonalMethod(season, {
    fit: (history, seasonLength) => fitTheta(history, { form, decomposition, seasonLength }),
    load: (saved) => loadTheta(savedSchema.parse(saved)),
  });
}

export const thetaDefaults = (seasons: readonly number[]): Parameters =>
  allOfSeveral(DEFAULTS, seasons);

export const thetaMembers = localMembers(thetaMethod, DEFAULTS);

export const thetaLoader: FamilyLoader = { id: "theta", reads: "series", load: thetaMembers.load };
