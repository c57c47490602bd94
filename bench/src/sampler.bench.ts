/** What one suggestion costs at 1,000 past trials and 10 parameters, for one objective and three. */

import { Bench } from "tinybench";
import { CounterRandom, deriveKey } from "../../engine/src/compute/random.ts";
import { drawPoint } from "../../engine/src/search/domain.ts";
import { SAMPLER_NAMES, samplerByName } from "../../engine/src/search/index.ts";
import type { Observation } from "../../engine/src/search/sampler.ts";
import type { SearchSpace } from "../../engine/src/search/space.ts";

/** Ten parameters of all kinds, as gradient boosting searches them. */
export const BENCH_SPACE: SearchSpace = {
  learning_rate: { type: "float", low: 5e-3, high: 0.1, log: true },
  leaves: { type: "int", low: 2, high: 200, log: true },
  min_data_in_leaf: { type: "int", low: 1, high: 64 },
  feature_fraction: { type: "float", low: 0.4, high: 1 },
  bagging_fraction: { type: "float", low: 0.7, high: 1 },
  l1: { type: "float", low: 1e-4, high: 1, log: true },
  l2: { type: "float", low: 1e-4, high: 2, log: true },
  extra_trees: { type: "categorical", choices: [true, false] },
  cat_smoothing: { type: "float", low: 1e-3, high: 100, log: true },
  growth: { type: "categorical", choices: ["leaf", "depth", "oblivious"] },
};

export const BENCH_TRIALS = 1000;

/** Losses of a past trial; a front of three objectives may be short or hold every trial. */
const LOSSES: Readonly<Record<string, (random: CounterRandom) => readonly number[]>> = {
  "one objective": (random) => [random.nextFloat()],
  "three objectives": (random) => [random.nextFloat(), random.nextFloat(), random.nextFloat()],
  "three objectives, all trials on the front": (random) => {
    const direction = [random.nextGaussian(), random.nextGaussian(), random.nextGaussian()];
    const length = Math.hypot(...direction);
    return direction.map((each) => -Math.abs(each) / length);
  },
};

function randomHistory(losses: (random: CounterRandom) => readonly number[]): Observation[] {
  const random = new CounterRandom(deriveKey(0, "history"));
  return Array.from({ length: BENCH_TRIALS }, () => ({
    parameters: drawPoint(BENCH_SPACE, random),
    losses: losses(random),
  }));
}

/** One task a search strategy; latencies are of one suggestion. */
export async function benchSamplers(): Promise<Bench> {
  const bench = new Bench({ name: "sampler", time: 1000, warmupTime: 500 });
  for (const [about, losses] of Object.entries(LOSSES)) {
    const history = randomHistory(losses);
    for (const name of SAMPLER_NAMES) {
      const sampler = samplerByName(name);
      let suggestion = 0;
      bench.add(`${name}, ${about}`, () => {
        sampler.suggest(
          { space: BENCH_SPACE, history, pending: [] },
          deriveKey(0, "suggest", suggestion++),
        );
      });
    }
  }
  await bench.run();
  return bench;
}
