/** A trained model: one or more fitted members over one encoder, blended by weight. */

import { Arena, ArenaFullError } from "../compute/arena.ts";
import { encodeFeatures, freeEncoded } from "../data/encode.ts";
import type { EncodedData, Feature, FeatureBins } from "../data/encoded.ts";
import type { Table } from "../data/table.ts";
import type { FittedModel } from "../families/family.ts";
import { outputCount } from "../tasks/task.ts";
import { type BlendExplanation, explainBlend } from "./blend-explanation.ts";
import type { ModelDocument } from "./document.ts";

/** Rows encoded at a time, so that a large request needs bounded memory. */
const BATCH_ROWS = 65_536;

/** Members beyond stay out of the arena, which ends at 4 GiB. */
const RESIDENT_BYTES = 2 ** 31;

export interface LoadedMember {
  readonly weight: number;
  readonly encoder: number;
  readonly model: FittedModel;
}

export interface ModelPredictions {
  /** Row-major, rows × outputs: values, or probabilities (see `outputCount`). */
  readonly values: Float64Array;
  readonly outputs: number;
  /** What was odd about the rows, e.g. a column that was absent. */
  readonly warnings: readonly string[];
}

export class Model {
  readonly document: ModelDocument;
  readonly #features: readonly Feature[];
  readonly #members: readonly LoadedMember[];
  readonly #encoders: readonly (readonly FeatureBins[])[];
  readonly #readsValues: boolean;
  readonly #readsBins: boolean;
  readonly #arena = Arena.create();

  constructor(
    document: ModelDocument,
    features: readonly Feature[],
    members: readonly LoadedMember[],
    encoders: readonly (readonly FeatureBins[])[],
    reads: { readonly values: boolean; readonly bins: boolean },
  ) {
    this.document = document;
    this.#features = features;
    this.#members = members;
    this.#encoders = encoders;
    this.#readsValues = reads.values;
    this.#readsBins = reads.bins;
    this.#settle();
  }

  /** Gives each member its place in the arena, while there is enough left for the rows to come. */
  #settle(): void {
    try {
      for (const { model, encoder } of this.#members) {
        if (this.#arena.liveBytes > RESIDENT_BYTES) return;
        model.reside?.(this.#arena.handle(), this.#readsBins ? this.#encoders[encoder] : null);
      }
    } catch (fault) {
      // Members without a place bring their trees along with each call.
      if (!(fault instanceof ArenaFullError)) throw fault;
    }
  }

  /** @throws {DataError} when a column cannot be read as the kind the model was trained on */
  predict(table: Table): ModelPredictions {
    const outputs = outputCount(this.document.task);
    const values = new Float64Array(table.rows * outputs);
    const warnings = this.#forBatches(table, (encoded, first) => {
      for (const member of this.#members) {
        const part = member.model.predict(encoded[member.encoder], null);
        const offset = first * outputs;
        for (let i = 0; i < part.length; i++) values[offset + i] += member.weight * part[i];
      }
    });
    return { values, outputs, warnings };
  }

  /** How each column moved each prediction away from the average one. */
  explain(table: Table): BlendExplanation & { readonly warnings: readonly string[] } {
    const parts: BlendExplanation[] = [];
    const warnings = this.#forBatches(table, (encoded) => {
      parts.push(
        explainBlend(
          this.document.task,
          this.#features,
          this.#members.map(({ weight, encoder, model }) => ({
            weight,
            explanation: model.explain(encoded[encoder], null),
          })),
        ),
      );
    });
    return { ...joinExplanations(parts), warnings };
  }

  #forBatches(table: Table, action: (encoded: EncodedData[], first: number) => void): string[] {
    const warnings = new Set<string>();
    for (let first = 0; first < table.rows; first += BATCH_ROWS) {
      const count = Math.min(BATCH_ROWS, table.rows - first);
      const rows = Uint32Array.from({ length: count }, (_, index) => first + index);
      const encoded: EncodedData[] = [];
      try {
        for (const bins of this.#encoders) {
          const data = encodeFeatures(this.document.schema, table, this.#arena, {
            bins: this.#readsBins ? bins : null,
            values: this.#readsValues,
            rows,
            onWarning: ({ message }) => warnings.add(message),
          });
          encoded.push(data);
        }
        action(encoded, first);
      } finally {
        for (const data of encoded) freeEncoded(data);
      }
    }
    return [...warnings];
  }
}

function joinExplanations(parts: readonly BlendExplanation[]): BlendExplanation {
  const [first] = parts;
  if (parts.length === 1) return first;
  return {
    ...first,
    predictions: parts.flatMap((part) => part.predictions),
    contributions: parts.flatMap((part) => part.contributions),
  };
}
