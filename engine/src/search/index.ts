/** Search spaces and the strategies that search them. */

import { randomSampler } from "./random-sampler.ts";
import type { Sampler } from "./sampler.ts";
import { SearchSpaceError } from "./space.ts";
import { tpeSampler } from "./tpe/tpe-sampler.ts";

const SAMPLERS: Readonly<Record<string, () => Sampler>> = Object.freeze({
  random: randomSampler,
  tpe: tpeSampler,
});

/** The strategies there are, by name. */
export const SAMPLER_NAMES: readonly string[] = Object.freeze(Object.keys(SAMPLERS));

/** @throws SearchSpaceError listing the strategies there are */
export function samplerByName(name: string): Sampler {
  if (!Object.hasOwn(SAMPLERS, name)) {
    throw new SearchSpaceError(
      `Unknown search strategy "${name}". Known strategies: ${SAMPLER_NAMES.join(", ")}.`,
    );
  }
  return SAMPLERS[name]();
}

export { pointCount } from "./domain.ts";
export { fitIntoSpace } from "./fit-into-space.ts";
export { overrideSpace, type SpaceOverride } from "./override-space.ts";
export { parameterSchema } from "./parameter-schema.ts";
export { parameterValueSchema } from "./parameter-value.ts";
export { SearchSpaceError } from "./space.ts";
export { distinctPoints, START_UPS, type StartUpKind, suggestNext } from "./start-up.ts";
export { tpeSampler } from "./tpe/tpe-sampler.ts";
