/** What MiniRocket and MultiRocket share: fitted kernels, and their outputs pooled. */

import { z } from "zod";
import { Arena, type ArenaHandle } from "../../compute/arena.ts";
import type { RandomKey } from "../../compute/random.ts";
import { withScratch } from "../../compute/scratch.ts";
import { ChannelTreatment, treatmentHeader } from "../channel-treatment.ts";
import { cellsOf, type FeatureMatrix, type SequenceTransform } from "../feature-matrix.ts";
import { readChannels } from "../read-channels.ts";
import type { SavedTransform } from "../saved-transform.ts";
import { checkSequenceSet, longestOf, type SequenceSet, sequencesOf } from "../sequence-set.ts";
import type { Representation } from "./padded-series.ts";
import { loadRocket, type RocketParameters, RocketRun, saveRocket } from "./rocket-kernels.ts";

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

  /** As fitted, or loaded. */
  constructor(
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
