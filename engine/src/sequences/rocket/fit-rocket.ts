/**
 * The kernels of MiniRocket fitted to a set of sequences (Dempster, Schmidt & Webb 2021, §3.1-3.2; several
 * channels and unequal lengths as in the authors' code): biases are quantiles of a kernel's outputs on a
 * training sequence drawn for it. Where the training sequences differ in length, no kernel leaves out the
 * steps near the ends, and dilations are those for the longest.
 */

import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { CounterRandom, type RandomKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import { type ChannelScaling, ChannelTreatment } from "../channel-treatment.ts";
import {
  checkSequenceSet,
  longestOf,
  ofOneLength,
  type SequenceSet,
  sequencesOf,
} from "../sequence-set.ts";
import { fitDilations, goldenQuantiles, KERNEL_PLACES, KERNELS, quantileOf } from "./kernel-set.ts";
import { PaddedSeries, type Representation, roundUp } from "./padded-series.ts";
import type { RocketParameters } from "./rocket-kernels.ts";
import { type RocketKind, RocketTransform } from "./rocket-transform.ts";

/** The channels of a set of one. */
const ONLY = Int32Array.of(0);

export interface RocketOptions {
  /** Default 32. */
  readonly mostDilations?: number;
  /** Default `channel`. */
  readonly scaling?: ChannelScaling;
  /** Called now and then; what it throws ends the fit. */
  readonly between?: () => void;
}

/**
 * @param rows the training sequences; null = all
 * @param biases of each representation, in all; 84 × ⌊biases / 84⌋ come out
 */
export function fitRocketTransform(
  kind: RocketKind,
  set: SequenceSet,
  rows: Uint32Array | null,
  key: RandomKey,
  { biases, mostDilations, scaling, between }: RocketOptions & { readonly biases: number },
): RocketTransform {
  checkSequenceSet(set);
  const train = sequencesOf(set, rows);
  const treatment = ChannelTreatment.fit(set, train, scaling ?? "channel");
  const parameters = kind.representations.map((representation) =>
    fitRocket({
      set,
      rows: train,
      treatment,
      representation,
      features: biases,
      mostDilations: mostDilations ?? 32,
      key: kind.keyOf(key, representation),
      ...(between && { between }),
    }),
  );
  return new RocketTransform(kind, treatment, parameters, ofOneLength(set, train));
}

interface RocketRequest {
  readonly set: SequenceSet;
  /** The training sequences. */
  readonly rows: Uint32Array;
  readonly treatment: ChannelTreatment;
  readonly representation: Representation;
  readonly features: number;
  readonly mostDilations: number;
  readonly key: RandomKey;
  /** Called now and then; what it throws ends the fit. */
  readonly between?: () => void;
}

function fitRocket(request: RocketRequest): RocketParameters {
  const { set, rows, treatment, representation } = request;
  const random = new CounterRandom(request.key);
  const longest = longestOf(set, rows);
  const length = representation === "values" ? longest : Math.max(1, longest - 1);
  const { dilations, perDilation } = fitDilations(length, request.features, request.mostDilations);
  const { sizes, channels } = drawCombinations(set.channels, dilations.length * KERNELS, random);
  const perKernel = perDilation.reduce((sum, count) => sum + count, 0);
  const quantiles = goldenQuantiles(KERNELS * perKernel);
  const biases = new Float32Array(quantiles.length);
  withScratch(Arena.create(), (scratch) => {
    const reach = 4 * dilations[dilations.length - 1];
    const most = set.channels === 1 ? 1 : sizes.reduce((largest, size) => Math.max(largest, size));
    const series = new PaddedSeries(scratch, treatment, representation, reach, longest, most);
    const whole = roundUp(longest);
    const memory = scratch.allocate(4 * whole * most);
    const out = scratch.allocate(4 * whole);
    const members = scratch.i32(Int32Array.from({ length: most }, (_, place) => place));
    const kernels = kernelsOf(scratch.arena.handle());
    let member = 0;
    let feature = 0;
    for (const [index, dilation] of dilations.entries()) {
      for (const [kernel, [a, b, c]] of KERNEL_PLACES.entries()) {
        request.between?.();
        const size = set.channels === 1 ? 1 : sizes[index * KERNELS + kernel];
        const read = set.channels === 1 ? ONLY : channels.subarray(member, member + size);
        series.write(set, rows[random.nextInteger(rows.length)], read);
        const { steps } = series;
        kernels.rocketOutputs(
          series.series,
          series.tripled,
          series.stride,
          series.pad,
          steps,
          dilation,
          a,
          b,
          c,
          members,
          size,
          memory,
          out,
        );
        member += size;
        const outputs = scratch.arena.f32(out, steps).slice().sort();
        for (let i = 0; i < perDilation[index]; i++, feature++) {
          biases[feature] = quantileOf(outputs, quantiles[feature]);
        }
      }
    }
  });
  return {
    dilations,
    perDilation,
    combinationSizes: sizes,
    combinationChannels: channels,
    biases,
  };
}

/** Each kernel at each dilation reads 1 to min(channels, 9) channels, fewer more often. */
function drawCombinations(
  channels: number,
  combinations: number,
  random: CounterRandom,
): { sizes: Int32Array; channels: Int32Array } {
  if (channels === 1) return { sizes: new Int32Array(0), channels: new Int32Array(0) };
  const widest = Math.log2(Math.min(channels, 9) + 1);
  const sizes = new Int32Array(combinations);
  const drawn: number[] = [];
  for (let i = 0; i < combinations; i++) {
    sizes[i] = Math.trunc(2 ** (random.nextFloat() * widest));
    const all = random.shuffle(Array.from({ length: channels }, (_, channel) => channel));
    drawn.push(...all.slice(0, sizes[i]));
  }
  return { sizes, channels: Int32Array.from(drawn) };
}
