/** Tasks for pool threads: the same fit by one thread and by all that come. */

import { help as helpFit } from "../../../compute/crew.ts";
import { helpedSeconds } from "../../../compute/crew-desk.ts";
import { task } from "../../../compute/pool.ts";
import type { Parameters } from "../../../search/space.ts";
import type { FitContext } from "../../family.ts";
import { type BoostedTrees, type BoostingParameters, boost, type Sharing } from "../booster.ts";
import { gbdtDefaults, resolveParameters } from "../parameters.ts";

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
  return JSON.stringify({ trees, base, rounds, bestIteration, validationLoss, curve }, plain);
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

/** The fit by one thread, with the device that its context names. */
export const fitText = task(({ context, parameters }: Omit<SharedFit, "sharing">): string =>
  textOf(boost(context, parametersOf({ context, parameters }))),
);
