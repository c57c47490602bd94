import { CounterRandom } from "../compute/random.ts";
import type { Sampler } from "./sampler.ts";
import { drawUntried } from "./tried-points.ts";

/** It learns nothing; but so few points are better spread evenly. */
const STARTUP_TRIALS = 10;

/**
 * Random search (Bergstra, Bengio, "Random search for hyper-parameter optimization", JMLR 13,
 * 2012): uniform draws, on the log scale where a parameter has one, and no point twice in a finite
 * space.
 */
export function randomSampler(): Sampler {
  return {
    kind: "random",
    startupTrials: STARTUP_TRIALS,
    suggest: (state, key) => drawUntried(state, new CounterRandom(key)),
  };
}
