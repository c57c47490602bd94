/** What MiniRocket and MultiRocket share: kernels fitted to sequences, and their outputs pooled. */

import { z } from "zod";
import { Arena, type ArenaHandle } from "../../compute/arena.ts";
import type { RandomKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import { type ChannelScaling, ChannelTreatment, treatmentHeader } from "../channel-treatment.ts";
import { cellsOf, type FeatureMatrix, type SequenceTransform } from "../feature-matrix.ts";
import { readChannels } from "../read-channels.ts";
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

/** One of the two transforms. */
export interface RocketKind {
  /** As it is saved. */
  readonly transform: "minirocket" | "multirocket";
  readonly representations: readonly Representation[];
  /** Features for each bias: the share above it alone, or MultiRocket's four. */
  readonly operators: 1 | 4;
  keyOf(key: RandomKey, representation: Representation): RandomKey;
  /** Of the names of a representation's arrays. */
  prefixOf(representation: Representation): string;
}

export interface RocketOptions {
  /** Default 32. */
  readonly mostDilations?: number;
  /** Default `channel`. */
  readonly scaling?: ChannelScaling;
  /** Called now and then; what it throws ends the fit. */
  readonly between?: () => void;
}

const headerOf = (kind: RocketKind) =>
  z.strictObject({
    transform: z.literal(kind.transform),
    version: z.literal(1),
    treatment: treatmentHeader,
    alternate: z.boolean(),
  });

export class RocketTransform implements SequenceTransform {
  readonly #kind: RocketKind;
  readonly #treatment: ChannelTreatment;
  /** One for each representation. */
  readonly #parameters: readonly RocketParameters[];
  readonly #alternate: boolean;

  private constructor(
    kind: RocketKind,
    treatment: ChannelTreatment,
    parameters: readonly RocketParameters[],
    alternate: boolean,
  ) {
    this.#kind = kind;
    this.#treatment = treatment;
    this.#parameters = parameters;
    this.#alternate = alternate;
  }

  /**
   * @param rows the training sequences; null = all
   * @param biases of each representation, in all; 84 × ⌊biases / 84⌋ come out
   */
  static fit(
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

  get features(): number {
    return this.#parameters.reduce(
      (sum, { biases }) => sum + this.#kind.operators * biases.length,
      0,
    );
  }

  get reads(): ReadonlySet<number> {
    const { channels } = this.#treatment;
    return new Set(
      this.#parameters.flatMap(({ combinationChannels }) => [
        ...readChannels(combinationChannels, channels).channels,
      ]),
    );
  }

  /** By representation, operator, dilation, kernel and bias. */
  transform(
    set: SequenceSet,
    rows: Uint32Array | null,
    arena?: ArenaHandle,
    out?: Float32Array,
  ): FeatureMatrix {
    checkSequenceSet(set, this.#treatment.channels);
    const chosen = sequencesOf(set, rows);
    const columns = this.features;
    const values = cellsOf(chosen.length * columns, out);
    withScratch(arena ? Arena.attach(arena) : Arena.create(), (scratch) => {
      let first = 0;
      for (const [i, representation] of this.#kind.representations.entries()) {
        const run = new RocketRun(scratch, this.#parameters[i], this.#treatment, {
          representation,
          longest: longestOf(set, chosen),
          operators: this.#kind.operators,
          alternate: this.#alternate,
        });
        for (const [at, row] of chosen.entries()) run.write(set, row, values, at * columns + first);
        first += run.features;
      }
    });
    return { rows: chosen.length, columns, values };
  }

  save(): SavedTransform {
    const { transform, representations, prefixOf } = this.#kind;
    const treatment = this.#treatment.save();
    const header: z.infer<ReturnType<typeof headerOf>> = {
      transform,
      version: 1,
      treatment: treatment.header,
      alternate: this.#alternate,
    };
    const arrays = representations.map((representation, i) =>
      saveRocket(this.#parameters[i], prefixOf(representation)),
    );
    return { header, tensors: Object.assign({}, treatment.tensors, ...arrays) };
  }

  /** @throws Error where the header or an array is damaged or missing */
  static load(kind: RocketKind, saved: SavedTransform): RocketTransform {
    const header = headerOf(kind).parse(saved.header);
    const treatment = ChannelTreatment.load(header.treatment, saved);
    return new RocketTransform(
      kind,
      treatment,
      kind.representations.map((representation) =>
        loadRocket(saved, kind.prefixOf(representation), treatment.channels),
      ),
      header.alternate,
    );
  }
}
