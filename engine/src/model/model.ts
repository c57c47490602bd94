/**
 * A trained model: one or more fitted members, each calibrated, combined by weight or by a layer, and
 * a threshold between two classes. It predicts as one and explains as one.
 */

import { Arena, ArenaFullError } from "../compute/arena.ts";
import { type Intervals, intervalsOf, type Sets, setsOf, tooFewRows } from "../conformal/index.ts";
import { encodeFeatures, freeEncoded } from "../data/encode.ts";
import type { EncodedData, Feature, FeatureBins } from "../data/encoded.ts";
import { DataError, type Table } from "../data/table.ts";
import type { Calibration } from "../ensemble/calibration/calibration.ts";
import { Combiner } from "../ensemble/combiner.ts";
import type { FittedModel } from "../families/family.ts";
import { outputCount, typeOf } from "../tasks/index.ts";
import { type BlendExplanation, type ExplainedMember, explainBlend } from "./blend-explanation.ts";
import { checkTable } from "./check-table.ts";
import { decide } from "./decide.ts";
import type { ModelDocument } from "./document.ts";
import { FoldAmbiguity } from "./fold-ambiguity.ts";

/** Rows encoded at a time, so that a large request needs bounded memory. */
const BATCH_ROWS = 65_536;

/** Members beyond stay out of the arena, which ends at 4 GiB. */
const RESIDENT_BYTES = 2 ** 31;

export interface LoadedMember {
  readonly weight: number;
  readonly calibration: Calibration | null;
  readonly encoder: number;
  /** The fold it was fitted on; null for a refit on all rows. */
  readonly fold: number | null;
  readonly model: FittedModel;
}

/** What a prediction may be asked beside its rows. */
export interface PredictOptions {
  /** The share of rows whose interval or set is to hold the truth; default what the run was asked. */
  readonly coverage?: number | undefined;
}

/** A model's predictions of some rows. */
export interface ModelPredictions {
  /** Row-major, rows × outputs: values, or probabilities (see `outputCount`). */
  readonly values: Float64Array;
  readonly outputs: number;
  /** Regression: around each value; null for classifiers, and models of before there were any. */
  readonly intervals: Intervals | null;
  /** Classifiers: the classes that may be true; null for regression and such models. */
  readonly sets: Sets | null;
  /** What was odd about the rows, e.g. a column that was absent. */
  readonly warnings: readonly string[];
}

/** A loaded model: predicts and explains tables with its columns. */
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

  /**
   * @throws {DataError} when a column cannot be read as the kind the model was trained on
   * @throws {RangeError} when the coverage is none that the model can answer for
   * @throws {TypeError} for what is no table
   */
  predict(table: Table, { coverage }: PredictOptions = {}): ModelPredictions {
    checkTable(table, "predict");
    const { task, layer, conformal } = this.document;
    const outputs = outputCount(task);
    const values = new Float64Array(table.rows * outputs);
    const folds = conformal?.kind === "interval" && conformal.narrowed ? this.#folds() : [];
    const ambiguity = folds.length > 1 ? new Float64Array(table.rows) : null;
    const warnings = this.#forBatches(table, (encoded, first) => {
      const rows = encoded[0].rows;
      const combiner = new Combiner(task, layer, rows);
      const spread = ambiguity && new FoldAmbiguity(task, layer, folds, rows);
      for (const { weight, calibration, encoder, fold, model } of this.#members) {
        const part = model.predict(encoded[encoder], null);
        combiner.add(weight, calibration, part);
        spread?.add(fold, weight, part);
      }
      const result = combiner.result();
      values.set(result, first * outputs);
      if (spread) ambiguity?.set(spread.result(result), first);
    });
    const uncertainty = this.#uncertainty(values, ambiguity, coverage);
    return { values, outputs, ...uncertainty, warnings: [...warnings, ...uncertainty.warnings] };
  }

  #folds(): number[] {
    return [...new Set(this.#members.flatMap(({ fold }) => (fold === null ? [] : [fold])))];
  }

  #uncertainty(
    values: Float64Array,
    ambiguity: Float64Array | null,
    coverage: number | undefined,
  ): Pick<ModelPredictions, "intervals" | "sets" | "warnings"> {
    const { task, conformal, threshold } = this.document;
    if (typeOf(task).conformal === null) {
      const warning =
        "Predictions of this kind come with no intervals or sets; `coverage` says nothing of them.";
      return { intervals: null, sets: null, warnings: coverage === undefined ? [] : [warning] };
    }
    if (conformal === null) {
      const warning = "This model is of before intervals and sets; its predictions have none.";
      return { intervals: null, sets: null, warnings: coverage === undefined ? [] : [warning] };
    }
    if (conformal.kind === "interval") {
      const intervals = intervalsOf(conformal, values, ambiguity, coverage);
      const warnings = intervals.bounds ? [] : [tooFewRows(conformal, intervals.level)];
      return { intervals, sets: null, warnings };
    }
    const labelling = { classes: task.classes, threshold };
    const sets = setsOf(conformal, values, outputCount(task), labelling, coverage);
    const warnings = sets.unlimited ? [tooFewRows(conformal, sets.level)] : [];
    return { intervals: null, sets, warnings };
  }

  /** The class that each row's probabilities say, as an index; for classifiers. */
  decide({ values, outputs }: ModelPredictions): Uint32Array {
    return decide(values, outputs, this.document.threshold);
  }

  /**
   * How each column moved each prediction away from the average one: every output, or the
   * one that stands for them.
   *
   * @throws {DataError} as `predict`, and where there are no rows
   * @throws {TypeError} for what is no table
   */
  explain(table: Table): BlendExplanation & { readonly warnings: readonly string[] } {
    checkTable(table, "explain");
    if (table.rows === 0) throw new DataError("There are no rows to explain.");
    const { task, layer } = this.document;
    const parts: BlendExplanation[] = [];
    const warnings = this.#forBatches(table, (encoded) => {
      const members = this.#explainedMembers(encoded);
      parts.push(explainBlend(task, this.#features, members, this.#members.length === 1, layer));
    });
    const central = typeOf(task).central(task);
    const joined = joinExplanations(parts);
    return { ...(central === null ? joined : outputOf(joined, central)), warnings };
  }

  *#explainedMembers(encoded: readonly EncodedData[]): Iterable<ExplainedMember> {
    for (const { weight, calibration, encoder, model } of this.#members) {
      yield { weight, calibration, explanation: model.explain(encoded[encoder], null) };
    }
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

/** Of several outputs that one alone. */
function outputOf(explanation: BlendExplanation, output: number): BlendExplanation {
  if (explanation.baseValues.length === 1) return explanation;
  return {
    ...explanation,
    baseValues: [explanation.baseValues[output]],
    predictions: explanation.predictions.map((outputs) => [outputs[output]]),
    contributions: explanation.contributions.map((outputs) => [outputs[output]]),
  };
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
