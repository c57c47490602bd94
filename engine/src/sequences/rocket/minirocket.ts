/**
 * MiniRocket: the share of steps at which each of 84 kernels, at dilations up to the length of a
 * sequence, lies above each of its biases (Dempster, Schmidt & Webb 2021, "MINIROCKET: a very fast
 * (almost) deterministic transform for time series classification", KDD, §3).
 */

import { z } from "zod";
import { Arena, type ArenaHandle } from "../../compute/arena.ts";
import { extendKey, type RandomKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import { type ChannelScaling, ChannelTreatment, treatmentHeader } from "../channel-treatment.ts";
import type { FeatureMatrix, SequenceTransform } from "../feature-matrix.ts";
import type { SavedTransform } from "../saved-transform.ts";
import {
  checkSequenceSet,
  longestOf,
  ofOneLength,
  type SequenceSet,
  sequencesOf,
} from "../sequence-set.ts";
import {
  fitRocket,
  loadRocket,
  type RocketParameters,
  RocketRun,
  saveRocket,
} from "./rocket-kernels.ts";

export interface MiniRocketOptions {
  /** In all; 84 × ⌊features / 84⌋ come out. Default 10,000: 9,996. */
  readonly features?: number;
  /** Default 32. */
  readonly mostDilations?: number;
  /** Default `channel`; one channel's shares are the same, but for the ends, as with `none`. */
  readonly scaling?: ChannelScaling;
  /** Called now and then; what it throws ends the fit. */
  readonly between?: () => void;
}

const headerSchema = z.strictObject({
  transform: z.literal("minirocket"),
  version: z.literal(1),
  treatment: treatmentHeader,
  alternate: z.boolean(),
});

export class MiniRocket implements SequenceTransform {
  readonly #treatment: ChannelTreatment;
  readonly #parameters: RocketParameters;
  readonly #alternate: boolean;

  private constructor(
    treatment: ChannelTreatment,
    parameters: RocketParameters,
    alternate: boolean,
  ) {
    this.#treatment = treatment;
    this.#parameters = parameters;
    this.#alternate = alternate;
  }

  /** @param rows the training sequences; null = all */
  static fit(
    set: SequenceSet,
    rows: Uint32Array | null,
    key: RandomKey,
    options: MiniRocketOptions = {},
  ): MiniRocket {
    checkSequenceSet(set);
    const train = sequencesOf(set, rows);
    const treatment = ChannelTreatment.fit(set, train, options.scaling ?? "channel");
    const parameters = fitRocket({
      set,
      rows: train,
      treatment,
      representation: "values",
      features: options.features ?? 10_000,
      mostDilations: options.mostDilations ?? 32,
      key: extendKey(key, "minirocket"),
      ...(options.between && { between: options.between }),
    });
    return new MiniRocket(treatment, parameters, ofOneLength(set, train));
  }

  get features(): number {
    return this.#parameters.biases.length;
  }

  transform(set: SequenceSet, rows: Uint32Array | null, arena?: ArenaHandle): FeatureMatrix {
    checkSequenceSet(set, this.#treatment.channels);
    const chosen = sequencesOf(set, rows);
    const columns = this.features;
    const values = new Float32Array(chosen.length * columns);
    withScratch(arena ? Arena.attach(arena) : Arena.create(), (scratch) => {
      const run = new RocketRun(scratch, this.#parameters, this.#treatment, {
        representation: "values",
        longest: longestOf(set, chosen),
        operators: 1,
        alternate: this.#alternate,
      });
      for (const [i, row] of chosen.entries()) run.write(set, row, values, i * columns);
    });
    return { rows: chosen.length, columns, values };
  }

  save(): SavedTransform {
    const treatment = this.#treatment.save();
    const header: z.infer<typeof headerSchema> = {
      transform: "minirocket",
      version: 1,
      treatment: treatment.header,
      alternate: this.#alternate,
    };
    return { header, tensors: { ...treatment.tensors, ...saveRocket(this.#parameters, "") } };
  }

  /** @throws Error where the header or an array is damaged or missing */
  static load(saved: SavedTransform): MiniRocket {
    const header = headerSchema.parse(saved.header);
    const treatment = ChannelTreatment.load(header.treatment, saved);
    return new MiniRocket(treatment, loadRocket(saved, ""), header.alternate);
  }
}
