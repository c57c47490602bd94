/** Tasks for pool threads: the same fit by one thread and by all that come. */

import { Arena } from "../../../compute/arena.ts";
import { type HelpInput, help as helpFit } from "../../../compute/crew.ts";
import { enterDesk, helpedSeconds, isToLeave, leaveDesk } from "../../../compute/crew-desk.ts";
import { task } from "../../../compute/pool.ts";
import * as crewLayout from "../../../kernels/assembly/crew/crew-layout.ts";
import * as layout from "../../../kernels/assembly/growing/layout.ts";
import type { Parameters } from "../../../search/space.ts";
import type { FitContext } from "../../family.ts";
import { type BoostedTrees, boost } from "../booster.ts";
import type { BoostingParameters } from "../fit-growth.ts";
import { gbdtDefaults, resolveParameters } from "../parameters.ts";
import type { Sharing } from "../sharing.ts";

export interface SharedFit {
  readonly context: FitContext;
  readonly parameters: Parameters;
  readonly sharing: Sharing;
}

export interface SharedFitOutcome {
  /** All that was fitted, by one thread. */
  readonly alone: string;
  readonly shared: string;
  /** Seconds that others worked. */
  readonly helped: number;
}

/** All that was fitted. */
export function textOf({
  trees,
  derived,
  base,
  rounds,
  bestIteration,
  validationLoss,
  curve,
}: BoostedTrees): string {
  const plain = (_: string, value: unknown): unknown =>
    ArrayBuffer.isView(value)
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64")
      : value;
  return JSON.stringify(
    { trees, derived, base, rounds, bestIteration, validationLoss, curve },
    plain,
  );
}

export function parametersOf({ context, parameters }: Omit<SharedFit, "sharing">) {
  const { data, task: kind, trainRows } = context;
  const shape = { rows: trainRows.length, task: kind, features: data.features };
  const { growth, ...others } = parameters;
  const plain = resolveParameters({ ...gbdtDefaults(shape), ...others }, shape);
  const resolved: BoostingParameters =
    growth === "symmetric"
      ? {
          ...plain,
          growth,
          max_depth: plain.max_depth || 4,
          draws: { fraction: 0.7, strength: 1, learningRate: 0.1 },
        }
      : { ...plain, growth: growth === "depthwise" ? growth : "leafwise" };
  return resolved;
}

export const fitBoth = task(({ context, parameters, sharing }: SharedFit): SharedFitOutcome => {
  const { crew, ...lone } = context;
  const resolved = parametersOf({ context, parameters });
  const shared = textOf(boost(context, resolved, sharing));
  return {
    alone: textOf(boost(lone, resolved)),
    shared,
    helped: crew ? helpedSeconds(crew) : 0,
  };
});

export const help = task(helpFit);

/** A helper that begins a split ahead of its turn, and comes to harm. */
export const harm = task(({ arena, desk, place }: HelpInput) => {
  const shared = Arena.attach(arena);
  const block = enterDesk(desk, place);
  if (block === null) return;
  const words = shared.i32(block, crewLayout.BYTES / 4);
  Atomics.add(words, crewLayout.PRESENT / 4, 1);
  while (!isToLeave(desk, place)) {
    const grower = Atomics.load(words, crewLayout.AHEAD_GROWER / 4);
    if (grower === 0 || !beginsAhead(shared, grower)) continue;
    Atomics.sub(words, crewLayout.OFFERS / 4, 1);
    throw new RangeError("out of memory");
  }
  Atomics.sub(words, crewLayout.PRESENT / 4, 1);
  leaveDesk(desk, place, 0);
});

/** A helper that begins a tree of several that are grown side by side, and comes to harm. */
export const harmTree = task(({ arena, desk, place }: HelpInput) => {
  const block = enterDesk(desk, place);
  if (block === null) return;
  const words = Arena.attach(arena).i32(block, crewLayout.BYTES / 4);
  Atomics.add(words, crewLayout.PRESENT / 4, 1);
  while (!isToLeave(desk, place)) {
    const word = Atomics.load(words, crewLayout.TREE_CLAIM / 4);
    if ((word & 0xffff) >= word >> 16) continue;
    if (Atomics.compareExchange(words, crewLayout.TREE_CLAIM / 4, word, word + 1) === word) {
      throw new RangeError("out of memory");
    }
  }
  Atomics.sub(words, crewLayout.PRESENT / 4, 1);
  leaveDesk(desk, place, 0);
});

/** Whether a split was offered, which is begun then: see `kernels/assembly/growing/ahead.ts`. */
function beginsAhead(arena: Arena, grower: number): boolean {
  const words = arena.i32(grower, layout.BYTES / 4);
  const count = words[layout.AHEAD_COUNT / 4];
  const step = layout.AHEAD_BYTES / 4;
  const splits = arena.i32(words[layout.AHEAD / 4], count * step);
  for (let i = 0; i < count; i++) {
    if (Atomics.compareExchange(splits, i * step, 1, 2) === 1) return true;
  }
  return false;
}

/** The fit by one thread, with the device that its context names. */
export const fitText = task(({ context, parameters }: Omit<SharedFit, "sharing">): string =>
  textOf(boost(context, parametersOf({ context, parameters }))),
);
