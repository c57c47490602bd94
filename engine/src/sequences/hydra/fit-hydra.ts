/** Hydra's kernels as they are drawn (Dempster, Schmidt & Webb 2023, §3.1). */

import { CounterRandom, extendKey, type RandomKey } from "../../compute/random.ts";
import { type ChannelScaling, ChannelTreatment } from "../channel-treatment.ts";
import {
  checkSequenceSet,
  longestOf,
  ofOneLength,
  type SequenceSet,
  sequencesOf,
} from "../sequence-set.ts";
import { Hydra, type HydraHeader, KERNELS, WEIGHTS } from "./hydra.ts";

export interface HydraOptions {
  /** Groups at each dilation, an even number: half of them for the differences. Default 64. */
  readonly groups?: number;
  /** Channels that a group adds up at most. Default 8. */
  readonly mostChannels?: number;
  /** Default `channel`. */
  readonly scaling?: ChannelScaling;
}

/**
 * @param rows the training sequences; null = all
 * @throws RangeError where groups are not an even number
 */
export function fitHydra(
  set: SequenceSet,
  rows: Uint32Array | null,
  key: RandomKey,
  options: HydraOptions = {},
): Hydra {
  checkSequenceSet(set);
  const { groups = 64, mostChannels = 8, scaling = "channel" } = options;
  if (groups < 2 || groups % 2 !== 0) {
    throw new RangeError(`Hydra needs an even number of groups, not ${groups}.`);
  }
  const train = sequencesOf(set, rows);
  const treatment = ChannelTreatment.fit(set, train, scaling);
  const longest = longestOf(set, train);
  const dilations = dilationsOf(longest);
  const random = new CounterRandom(extendKey(key, "hydra"));
  const weights = new Float32Array(dilations * groups * KERNELS * WEIGHTS);
  for (let at = 0; at < weights.length; at += WEIGHTS) {
    weights.set(drawKernel(random), at);
  }
  const several = set.channels > 1;
  const channelsOfGroup = several
    ? Math.min(Math.max(Math.floor(set.channels / 2), 2), mostChannels)
    : 1;
  const members = Int32Array.from(
    { length: several ? dilations * groups * channelsOfGroup : 0 },
    () => random.nextInteger(set.channels),
  );
  const header: HydraHeader = {
    transform: "hydra",
    version: 1,
    treatment: { scaling },
    groups: groups / 2,
    dilations,
    channelsOfGroup,
    steps: ofOneLength(set, train) ? null : longest,
  };
  return new Hydra(header, treatment, weights, members);
}

/** The even number of groups that is nearest, at least 2. */
export function evenGroups(groups: number): number {
  return 2 * Math.max(1, Math.round(groups / 2));
}

/** Doubled for as long as a kernel fits into the longest sequence. */
function dilationsOf(longest: number): number {
  return 1 + Math.max(0, Math.trunc(Math.log2((longest - 1) / (WEIGHTS - 1))));
}

/** How many features `groups` give where the longest sequence has so many steps. */
export function hydraFeatures(groups: number, longest: number): number {
  return dilationsOf(longest) * groups * KERNELS * 2;
}

/** Normal weights, centred, and divided by the sum of their sizes. */
function drawKernel(random: CounterRandom): Float64Array {
  const weights = Float64Array.from({ length: WEIGHTS }, () => random.nextGaussian());
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / WEIGHTS;
  const size = weights.reduce((sum, weight) => sum + Math.abs(weight - mean), 0);
  return weights.map((weight) => (weight - mean) / size);
}
