/** Tunes something that is no family of the engine: the samplers suggest, the program evaluates. */

import { Study, studyImportance } from "@distillery/engine";

const study = new Study({
  space: {
    cooling: { type: "float", low: 0.8, high: 0.999 },
    start: { type: "float", low: 0.1, high: 100, log: true },
    moves: { type: "categorical", choices: ["swap", "reverse"] },
    window: {
      type: "int",
      low: 2,
      high: 20,
      when: { parameter: "moves", values: ["reverse"] },
    },
  },
  seed: 1,
  // Tours that are longer than most were at the same part of their cooling are given up.
  pruner: { kind: "median", warmupSteps: 5 },
});

const COLD = 0.01;

/**
 * Length of a tour through 30 towns, after annealing it with these settings.
 *
 * @param isGivenUp hears at each tenth of its cooling how long it is
 */
function tourLength(
  cooling: number,
  start: number,
  window: number | null,
  isGivenUp: (tenth: number, length: number) => boolean,
): number {
  const towns = Array.from({ length: 30 }, (_, i) => [(i * 17) % 31, (i * 29) % 37]);
  const tour = towns.map((_, i) => i);
  const length = (): number =>
    tour.reduce((sum, town, i) => {
      const next = tour[(i + 1) % tour.length];
      return sum + Math.hypot(towns[town][0] - towns[next][0], towns[town][1] - towns[next][1]);
    }, 0);
  let state = 12345;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  let now = length();
  let told = 0;
  for (let heat = start; heat > COLD; heat *= cooling) {
    const before = [...tour];
    const from = Math.floor(random() * tour.length);
    const to = Math.floor(random() * tour.length);
    if (window === null) [tour[from], tour[to]] = [tour[to], tour[from]];
    else tour.splice(from, window, ...tour.slice(from, from + window).reverse());
    const changed = length();
    if (changed < now || random() < Math.exp((now - changed) / heat)) now = changed;
    else tour.splice(0, tour.length, ...before);
    const tenth = Math.floor((10 * Math.log(start / heat)) / Math.log(start / COLD));
    if (tenth > told && isGivenUp(tenth, now)) break;
    told = Math.max(told, tenth);
  }
  return now;
}

const best = await study.optimize(
  ({ cooling, start, window }, trial) =>
    tourLength(
      Number(cooling),
      Number(start),
      typeof window === "number" ? window : null,
      trial.report,
    ),
  { trials: 60 },
);
const pruned = study.trials.filter(({ prunedAt }) => prunedAt !== undefined).length;
console.log(`A tour of ${best?.values?.[0].toFixed(0)} by`, best?.parameters);
console.log(`${pruned} of ${study.trials.length} trials were given up on their way.`);
const mattered = studyImportance(study)?.parameters[0];
if (mattered) console.log(`What mattered most was ${mattered.name}.`);
