/** What a run with a teacher is asked where its request is silent. */

import type { RunConfigInput } from "./config.ts";

/**
 * Who distills wants one small, fast model: so no ensemble, unless one is asked for. Which families
 * are searched is left to the plan, which leaves slow ones out (`matrix.ts`).
 */
export function studentConfig(config: RunConfigInput): RunConfigInput {
  return { ...config, ensemble: config.ensemble ?? false, distill: config.distill ?? {} };
}
