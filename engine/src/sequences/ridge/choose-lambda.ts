/** λ by the least leave-one-out error. */

import type { Arena } from "../../compute/arena.ts";
import { withScratch } from "../../compute/scratch.ts";
import { type RidgeAtLambda, RidgeSystem } from "./leave-one-out.ts";
import type { ScaledRows } from "./scaled-rows.ts";

/** Half decades from 10⁻³ to 10⁶: features are scaled to deviation 1. */
const LAMBDAS: readonly number[] = Array.from({ length: 19 }, (_, i) => 10 ** (i / 2 - 3));

/** Operations up to which every λ is tried at once. */
const SMALL = 3e8;
/** Rows that a first choice is made on where there is more to do. */
const SAMPLE = 400;

export interface ChosenRidge extends RidgeAtLambda {
  readonly lambda: number;
  readonly dual: boolean;
}

/**
 * Tries every λ where that is quick. Else the best of a sample of evenly spaced rows, and from there
 * downhill, one λ after another, until both neighbours are worse.
 *
 * @param targets row-major, rows × outputs, centred
 * @param between called now and then; what it throws ends the choice
 * @throws RangeError where no λ gives a finite solution
 */
export function chooseLambda(
  arena: Arena,
  data: ScaledRows,
  targets: Float64Array,
  outputs: number,
  lambdas: readonly number[] = LAMBDAS,
  between: () => void = () => {},
): ChosenRidge {
  const rows = data.rows.length;
  const smaller = Math.min(rows, data.columns);
  const start =
    rows * smaller * smaller <= SMALL || rows <= 2 * SAMPLE
      ? null
      : bestOfSample(arena, data, targets, outputs, lambdas);
  return withScratch(arena, (scratch) => {
    const system = new RidgeSystem(scratch, data, targets, outputs, between);
    const tried = new Map<number, RidgeAtLambda | null>();
    const lossAt = (index: number): number => {
      if (index < 0 || index >= lambdas.length) return Infinity;
      if (!tried.has(index)) tried.set(index, system.at(lambdas[index]));
      return tried.get(index)?.loss ?? Infinity;
    };
    let best = start ?? 0;
    if (start === null) {
      for (let i = 1; i < lambdas.length; i++) if (lossAt(i) < lossAt(best)) best = i;
    } else {
      for (;;) {
        const next = lossAt(best + 1) < lossAt(best) ? best + 1 : best - 1;
        if (!(lossAt(next) < lossAt(best))) break;
        best = next;
      }
    }
    lossAt(best);
    const chosen = tried.get(best);
    if (!chosen)
      throw new RangeError("The features contain numbers too large for a ridge regression.");
    return { ...chosen, lambda: lambdas[best], dual: system.dual };
  });
}

function bestOfSample(
  arena: Arena,
  data: ScaledRows,
  targets: Float64Array,
  outputs: number,
  lambdas: readonly number[],
): number {
  const { rows, places } = data.thinned(SAMPLE);
  const some = new Float64Array(places.length * outputs);
  for (const [i, place] of places.entries()) {
    some.set(targets.subarray(place * outputs, (place + 1) * outputs), i * outputs);
  }
  const { lambda } = chooseLambda(
    arena,
    rows,
    centred(some, rows.roots, outputs).targets,
    outputs,
    lambdas,
  );
  return lambdas.indexOf(lambda);
}

/** Targets less their weighted means, one an output. */
export function centred(
  targets: Float64Array,
  roots: Float64Array,
  outputs: number,
): { targets: Float64Array; means: Float64Array } {
  const means = new Float64Array(outputs);
  const total = roots.reduce((sum, root) => sum + root * root, 0);
  for (let i = 0; i < targets.length; i++) {
    means[i % outputs] += (targets[i] * roots[Math.floor(i / outputs)] ** 2) / total;
  }
  return { targets: targets.map((target, i) => target - means[i % outputs]), means };
}
