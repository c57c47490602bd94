/** Search spaces and the strategies that search them. */

import { UnknownSamplerError } from "./errors.ts";
import { randomSampler } from "./random-sampler.ts";
import type { Sampler } from "./sampler.ts";
import { tpeSampler } from "./tpe/tpe-sampler.ts";

const SAMPLERS: Readonly<Record<string, () => Sampler>> = Object.freeze({
  random: randomSampler,
  tpe: tpeSampler,
});

/** The strategies there are, by name. */
export const SAMPLER_NAMES: readonly string[] = Object.freeze(Object.keys(SAMPLERS));

/** @throws UnknownSamplerError */
export function samplerByName(name: string): Sampler {
  if (!Object.hasOwn(SAMPLERS, name)) throw new UnknownSamplerError(name, SAMPLER_NAMES);
  return SAMPLERS[name]();
}

export { SearchSpaceError } from "./errors.ts";
export { fitIntoSpace } from "./fit-into-space.ts";
export { overrideSpace, type SpaceOverride } from "./override-space.ts";
export { parameterSchema, parameterValueSchema } from "./parameter-schema.ts";
export { distinctPoints, START_UPS, type StartUpKind, suggestFrom } from "./start-up.ts";
export { tpeSampler } from "./tpe/tpe-sampler.ts";
