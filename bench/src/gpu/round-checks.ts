/**
 * A round of boosting by large trees, on a GPU and by two threads of the CPU: what a long fit takes longer than a short one,
 * so that nothing is in it that a fit costs once.
 */

import type { GpuDesk } from "../../../engine/src/compute/gpu/desk.ts";
import type { Lane } from "../../../engine/src/compute/gpu/lane.ts";
import type { FittedModel } from "../../../engine/src/families/family.ts";
import { gbdt } from "../../../engine/src/families/gbdt/family.ts";
import { createPool } from "../../../engine/src/worker/pool.ts";
import { helpedFit } from "../helped-fit.ts";
import { bytesOf, contextOf } from "./fitted-rows.ts";
import type { Check } from "./gpu.bench.ts";

const COLUMNS = 28;

export interface RoundSize {
  readonly rows: number;
  readonly leaves: number;
  /** Rounds of the short fit and of the long one. */
  readonly rounds: readonly [short: number, long: number];
}

/** Equal are the models of the long fits. */
export async function checkRound(
  desk: GpuDesk,
  { rows, leaves, rounds: [short, long] }: RoundSize,
): Promise<Check> {
  const context = contextOf(rows, COLUMNS);
  const parametersOf = (rounds: number) => ({
    ...{ n_estimators: rounds, num_leaves: leaves, early_stopping_rounds: 0 },
    ...{ bagging_fraction: 1, feature_fraction: 1 },
  });
  const lane = desk.open(context.data.arena, 2 ** 16);
  if (lane === null) throw new Error(`The GPU is gone: ${desk.gone}`);
  // Software as well: it is shown to be equal.
  const device: Lane = { ...lane, isSoftware: false, isAsked: true };
  const onDevice = (rounds: number): FittedModel =>
    gbdt.fit({ ...context, device }, parametersOf(rounds));
  // Of fits of a few milliseconds the long one may happen to be the quicker.
  const roundOf = (few: number, many: number): number =>
    Math.max(1e-6, many - few) / (long - short);
  const pool = createPool(1);
  try {
    const byThreads = (rounds: number): Promise<FittedModel> =>
      helpedFit({ pool, count: 1 }, context.data.arena, (crew) =>
        gbdt.fit({ ...context, crew }, parametersOf(rounds)),
      );
    // The first one compiles, and uploads.
    onDevice(short);
    const [, shortSeconds] = await timed(() => onDevice(short));
    const [model, longSeconds] = await timed(() => onDevice(long));
    const { answered, refused } = await desk.end(lane);
    // The first one starts the other thread.
    await byThreads(short);
    const [, shortCpu] = await timed(() => byThreads(short));
    const [expected, longCpu] = await timed(() => byThreads(long));
    return {
      name: `a round of gbdt, ${rows} × ${COLUMNS}, ${leaves} leaves (CPU: two threads)`,
      equal: answered > 0 && refused === 0 && bytesOf(model).equals(bytesOf(expected)),
      cpu_s: roundOf(shortCpu, longCpu),
      gpu_s: roundOf(shortSeconds, longSeconds),
    };
  } finally {
    await pool.close();
  }
}

async function timed<T>(action: () => T | Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  const made = await action();
  return [made, (performance.now() - begun) / 1000];
}
