/**
 * MultiRocket: the kernels of MiniRocket on sequences and on their first differences, each output
 * pooled by four operators: the share of steps above the bias, the longest stretch of them, the mean
 * over them and the mean of their indices (Tan, Dempster, Bergmeir & Webb 2022, "MultiRocket: multiple
 * pooling operators and transformations for fast and effective time series classification", Data
 * Mining and Knowledge Discovery 36, §3; operators as its authors' code computes them, differences
 * by the definition: the code takes them to be as long as the sequence, which moves four of the nine
 * weights by a step).
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
import type { Representation } from "./padded-series.ts";
import {
  fitRocket,
  loadRocket,
  type RocketParameters,
  RocketRun,
  saveRocket,
} from "./rocket-kernels.ts";

export interface MultiRocketOptions {
  /** Biases of a representation; eight features each. Default 6,250: 49,728 features. */
  readonly kernels?: number;
  /** Default 32. */
  readonly mostDilations?: number;
  /** Default `channel`. */
  readonly scaling?: ChannelScaling;
  /** Called now and then; what it throws ends the fit. */
  readonly between?: () => void;
}

const REPRESENTATIONS: readonly Representation[] = ["values", "differences"];

const headerSchema = z.strictObject({
  transform: z.literal("multirocket"),
  version: z.literal(1),
  treatment: treatmentHeader,
  alternate: z.boolean(),
});

export class MultiRocket implements SequenceTransform {
  readonly #treatment: ChannelTreatment;
  /** One a representation. */
  readonly #parameters: readonly RocketParameters[];
  readonly #alternate: boolean;

  private constructor(
    treatment: ChannelTreatment,
    parameters: readonly RocketParameters[],
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
    options: MultiRocketOptions = {},
  ): MultiRocket {
    checkSequenceSet(set);
    const train = sequencesOf(set, rows);
    const treatment = ChannelTreatment.fit(set, train, options.scaling ?? "channel");
    const parameters = REPRESENTATIONS.map((representation) =>
      fitRocket({
        set,
        rows: train,
        treatment,
        representation,
        features: options.kernels ?? 6250,
        mostDilations: options.mostDilations ?? 32,
        key: extendKey(key, "multirocket", representation),
        ...(options.between && { between: options.between }),
      }),
    );
    return new MultiRocket(treatment, parameters, ofOneLength(set, train));
  }

  get features(): number {
    return this.#parameters.reduce((sum, { biases }) => sum + 4 * biases.length, 0);
  }

  /** By representation, operator, dilation, kernel and bias. */
  transform(set: SequenceSet, rows: Uint32Array | null, arena?: ArenaHandle): FeatureMatrix {
    checkSequenceSet(set, this.#treatment.channels);
    const chosen = sequencesOf(set, rows);
    const columns = this.features;
    const values = new Float32Array(chosen.length * columns);
    withScratch(arena ? Arena.attach(arena) : Arena.create(), (scratch) => {
      let first = 0;
      for (const [i, representation] of REPRESENTATIONS.entries()) {
        const run = new RocketRun(scratch, this.#parameters[i], this.#treatment, {
          representation,
          longest: longestOf(set, chosen),
          operators: 4,
          alternate: this.#alternate,
        });
        for (const [at, row] of chosen.entries()) run.write(set, row, values, at * columns + first);
        first += run.features;
      }
    });
    return { rows: chosen.length, columns, values };
  }

  save(): SavedTransform {
    const treatment = this.#treatment.save();
    const header: z.infer<typeof headerSchema> = {
      transform: "multirocket",
      version: 1,
      treatment: treatment.header,
      alternate: this.#alternate,
    };
    const [values, differences] = this.#parameters;
    return {
      header,
      tensors: {
        ...treatment.tensors,
        ...saveRocket(values, "values_"),
        ...saveRocket(differences, "differences_"),
      },
    };
  }

  /** @throws Error where the header or an array is damaged or missing */
  static load(saved: SavedTransform): MultiRocket {
    const header = headerSchema.parse(saved.header);
    return new MultiRocket(
      ChannelTreatment.load(header.treatment, saved),
      REPRESENTATIONS.map((representation) => loadRocket(saved, `${representation}_`)),
      header.alternate,
    );
  }
}
