/** A family of one transform of sequences, of some size, and a ridge regression of what it gives. */

import { z } from "zod";
import { extendKey, type RandomKey } from "../../compute/random.ts";
import type { SearchSpace } from "../../search/space.ts";
import { CHANNEL_SCALINGS, type ChannelScaling } from "../../sequences/channel-treatment.ts";
import type { SequenceTransform } from "../../sequences/feature-matrix.ts";
import type { SequenceSet } from "../../sequences/sequence-set.ts";
import type { DataShape, Family, FamilyLoader } from "../family.ts";
import { type PricedFeatures, ridgeFitSeconds } from "./fit-seconds.ts";
import {
  fitLengths,
  LENGTHS,
  lengthsSchema,
  lengthsSpace,
  pointsOfLengths,
  usualLengths,
} from "./lengths.ts";
import { fitRidgeModel, type ScaledTransform } from "./ridge-model.ts";

export interface TransformFamily {
  readonly loader: FamilyLoader;
  readonly title: string;
  /** Whether a default set includes it, and why. */
  readonly use: boolean;
  readonly reason: string;
  /** The parameter that says how many features there are. */
  readonly size: string;
  readonly sizes: Extract<SearchSpace[string], { type: "int" }>;
  /** Below, there is no such transform. */
  readonly least: number;
  readonly default: number;
  /** What a search tries first beside the defaults. */
  readonly others: readonly { readonly size?: number; readonly scaling?: ChannelScaling }[];
  /** What a sequence of so many steps becomes. */
  priced(size: number, steps: number): PricedFeatures;
  readonly scaler: ScaledTransform["scaler"];
  fit(
    set: SequenceSet,
    rows: Uint32Array,
    key: RandomKey,
    options: {
      readonly size: number;
      readonly scaling: ChannelScaling;
      /** Called now and then; what it throws ends the fit. */
      readonly between: () => void;
    },
  ): SequenceTransform;
}

const scalingSchema = z.enum(CHANNEL_SCALINGS);

export function transformFamily(of: TransformFamily): Family {
  const searched: SearchSpace = {
    [of.size]: of.sizes,
    scaling: { type: "categorical", choices: [...CHANNEL_SCALINGS] },
  };
  const space: SearchSpace = {
    ...searched,
    lengths: { type: "categorical", choices: [...LENGTHS] },
  };
  const sizeSchema = z.int().min(of.least);
  // A student is to predict fast, and its labels have little noise.
  const sizeOf = ({ student }: DataShape): number => (student ? of.sizes.low : of.default);
  const defaultsOf = (shape: DataShape) => ({
    [of.size]: sizeOf(shape),
    scaling: "channel",
    lengths: usualLengths(shape),
  });
  return {
    ...of.loader,
    title: of.title,
    losses: ["squared_error", "binary_log_loss", "multinomial_log_loss"],
    keepsMonotone: false,
    predictsFast: true,

    suits: () => ({ use: of.use, reason: of.reason }),

    fitSeconds: (shape) =>
      ridgeFitSeconds(shape, [of.priced(sizeOf(shape), shape.sequences?.steps ?? 1)]),
    searchSpace: (shape) => ({ ...searched, ...lengthsSpace(shape, LENGTHS) }),
    defaults: defaultsOf,
    portfolio: (shape) => [
      ...pointsOfLengths(shape, defaultsOf(shape)),
      ...of.others.map(({ size, scaling }) => ({
        ...defaultsOf(shape),
        ...(size !== undefined && !shape.student && { [of.size]: size }),
        ...(scaling && { scaling }),
      })),
    ],
    parameters: () => space,

    fit(context, given) {
      const size = sizeSchema.parse(given[of.size]);
      const scaling = scalingSchema.parse(given["scaling"]);
      const lengths = lengthsSchema.parse(given["lengths"]);
      const { trainRows, key, limits } = context;
      const own = extendKey(key, of.loader.id);
      const between = (): void => limits?.throwIfOver();
      return fitRidgeModel(context, (frame) =>
        fitLengths({ frame, rows: trainRows, lengths, scaler: of.scaler }, (set, rows, parts) =>
          of.fit(set, rows, own, {
            size: Math.max(of.least, Math.round(size / parts)),
            scaling,
            between,
          }),
        ),
      );
    },

    refitParameters: (parameters) => parameters,
  };
}
