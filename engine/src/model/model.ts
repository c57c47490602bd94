/**
 * A trained model: one or more fitted members, each calibrated, combined by weight or by a layer, and
 * a threshold between two classes. It predicts as one and explains as one.
 */

import type { Arena } from "../compute/arena.ts";
import { type EncodedData, type Feature, frameFeatures } from "../data/encoded.ts";
import type { FeatureSchema } from "../data/feature-schema.ts";
import type { Frame, SeriesFrame } from "../data/frame.ts";
import type { DataWarning } from "../data/readers/reading.ts";
import { holdWithin } from "../data/series-history.ts";
import { DataError, type Table } from "../data/table.ts";
import type { DriftReference } from "../drift/reference.ts";
import type { Calibration } from "../ensemble/calibration/calibration.ts";
import { Combiner } from "../ensemble/combiner.ts";
import { weightsOfRows } from "../ensemble/row-weights.ts";
import type { FittedModel } from "../families/family.ts";
import type { ReadOptions } from "../tasks/framing.ts";
import { outputCount, typeOf } from "../tasks/index.ts";
import { type BlendExplanation, type ExplainedMember, explainBlend } from "./blend-explanation.ts";
import type { ModelDocument } from "./document.ts";
import { forBatches, type GivenRows, type ModelEncoding, withEncoded } from "./encoded-rows.ts";
import { farPredictions } from "./far-predictions.ts";
import { FoldAmbiguity } from "./fold-ambiguity.ts";
import { type ModelRows, tableOf } from "./given-rows.ts";
import { explainedOf, joinExplanations, outputOf } from "./joined-explanations.ts";
import type { ModelParts } from "./parts.ts";
import { answersOf, decide, type ModelPredictions } from "./predictions.ts";
import { explainSegments, type SegmentExplanation } from "./segment-explanation.ts";
import { uncertaintyOf } from "./uncertainty.ts";

export interface LoadedMember {
  readonly weight: number;
  /** For each series of the training data; null: `weight` for all. */
  readonly bySeries: Float64Array | null;
  readonly calibration: Calibration | null;
  readonly encoder: number;
  /** The fold it was fitted on; null for a refit on all rows. */
  readonly fold: number | null;
  readonly model: FittedModel;
}

/** What a prediction may be asked beside its rows. */
export interface PredictOptions extends ReadOptions {
  /** The share of rows whose interval or set should contain the truth; default that of the run. */
  readonly coverage?: number | undefined;
  /** Told how many predictions are made; of those that only some members made, their share counts. */
  readonly onPredicted?: ((count: number) => void) | undefined;
}

/** What a model holds until it is disposed of. */
export interface Held {
  readonly features: readonly Feature[];
  readonly members: readonly LoadedMember[];
  readonly encoding: ModelEncoding;
  readonly reference: DriftReference | null;
  /** Holds what the members keep, and the rows while they are predicted. */
  readonly arena: Arena;
}

/** A loaded model: predicts and explains tables with its columns. */
export class Model {
  readonly document: ModelDocument;
  /** Null once it is disposed of. */
  #held: Held | null;
  /** Made once: each request asks for it. */
  #rowSchema: FeatureSchema | null = null;

  constructor(document: ModelDocument, held: Held) {
    this.document = document;
    this.#held = held;
  }

  /** How its columns and predictions were distributed; null where nobody has looked, or it was disposed of. */
  get reference(): DriftReference | null {
    return this.#held?.reference ?? null;
  }

  /**
   * Bytes of memory that the model holds: its files', and what is made of them to predict and, after the
   * first explanation, to explain. 0 once it is disposed of.
   */
  get bytes(): number {
    if (this.#held === null) return 0;
    const ofFiles = this.document.files.reduce((total, { bytes }) => total + bytes, 0);
    return ofFiles + this.#held.arena.liveBytes;
  }

  /**
   * Lets go of all that the model holds but its document, so that the memory is free for others even where
   * something still refers to the model. Whatever is asked of it afterwards throws. Without this the
   * memory is given back once nothing refers to the model.
   */
  dispose(): void {
    this.#held = null;
    this.#rowSchema = null;
  }

  /** For `export/`. @internal */
  parts(): ModelParts {
    const { document } = this;
    const members = this.#loaded.members.map((member, index) => ({
      ...member,
      family: document.members[index].family,
    }));
    return { document, features: this.#loaded.features, bins: this.#loaded.encoding.bins, members };
  }

  /**
   * @throws {DataError} when a column cannot be read as the kind the model was trained on
   * @throws {RangeError} when the coverage is none that the model can answer for
   * @throws {TypeError} for what is no rows
   */
  predict(
    asked: ModelRows,
    { coverage, onPredicted, ...options }: PredictOptions = {},
  ): ModelPredictions {
    const { table, warnings: ofRows } = tableOf(asked, this.rowSchema, "predict");
    const { schema, task, layer, conformal } = this.document;
    const given = this.#rowsOf(table, options);
    const outputs = outputCount(task);
    const values = new Float64Array(given.count * outputs);
    const folds = conformal?.kind === "interval" && conformal.narrowed ? this.#folds() : [];
    const ambiguity = folds.length > 1 ? new Float64Array(given.count) : null;
    const { frame, rows } = given;
    const warnings = forBatches(schema, this.#loaded, given, false, (encoded, first, count) => {
      const combiner = new Combiner(task, layer, count);
      const spread = ambiguity && new FoldAmbiguity(task, layer, folds, count);
      const { members } = this.#loaded;
      for (const [m, member] of members.entries()) {
        const { weight, calibration, encoder, fold, model } = member;
        const part = model.predict(encoded[encoder], rows);
        combiner.add(ownWeights(member, frame, rows) ?? weight, calibration, part);
        spread?.add(fold, weight, part);
        onPredicted?.(first + Math.floor((count * (m + 1)) / members.length));
      }
      const result = combiner.result();
      values.set(result, first * outputs);
      if (spread) ambiguity?.set(spread.result(result), first);
    });
    if (frame?.kind === "series" && rows) holdWithin(frame, rows, values);
    given.reconcile?.(values);
    const far = farPredictions({ task, values, frame }, this.reference);
    const uncertainty = uncertaintyOf(this.document, { values, ambiguity, frame, rows }, coverage);
    return {
      outputs,
      ...answersOf({ values, ...uncertainty }, given.answered),
      keys: given.keys,
      warnings: [
        ...messages(ofRows),
        ...given.warnings,
        ...warnings,
        ...far,
        ...uncertainty.warnings,
      ],
    };
  }

  /** Whether some of its members are trees. */
  get hasTrees(): boolean {
    return this.#loaded.encoding.reads.bins;
  }

  /**
   * Columns that `predict` and `explain` read, as a request's rows are read: those of the features, and
   * what else tells sequences or series apart.
   */
  get inputs(): FeatureSchema {
    const { schema, task } = this.document;
    const { frame } = this.#loaded.encoding;
    const beside = frame ? (typeOf(task).framing?.inputs(frame) ?? []) : [];
    // A name is read as text, whatever the encoding takes it for: one that is new is a name too.
    const asText = new Set(beside.flatMap(({ kind, name }) => (kind === "text" ? [name] : [])));
    const ofFeatures = schema.columns.filter(
      ({ kind, name }) => kind !== "categorical" || !asText.has(name),
    );
    const taken = new Set(ofFeatures.map(({ name }) => name));
    return {
      ...schema,
      columns: [...ofFeatures, ...beside.filter(({ name }) => !taken.has(name))],
    };
  }

  /** How rows are read: `inputs`, and columns that no member reads, so that what is new in them can be told. */
  get rowSchema(): FeatureSchema {
    this.#rowSchema ??= this.#schemaOfRows();
    return this.#rowSchema;
  }

  #schemaOfRows(): FeatureSchema {
    const { inputs } = this;
    const { frame } = this.#loaded.encoding;
    const unread = frame ? (typeOf(this.document.task).framing?.unread?.(frame) ?? []) : [];
    return unread.length === 0 ? inputs : { ...inputs, columns: [...inputs.columns, ...unread] };
  }

  #rowsOf(table: Table, options: ReadOptions): GivenRows {
    const { framing } = typeOf(this.document.task);
    const { frame } = this.#loaded.encoding;
    if (framing === null || frame === null) {
      const none = { frame: null, rows: null, answered: null, keys: null, warnings: [] };
      return { table, count: table.rows, ...none };
    }
    const { members } = this.#loaded;
    const readsPast = members.some(({ model }) => model.readsPast === true);
    const readsKnownPast = members.some(({ model }) => model.readsKnownPast === true);
    const dropped = this.document.schema.dropped.map(({ name }) => name);
    const framed = framing.read(table, frame, { ...options, readsPast, readsKnownPast, dropped });
    return { ...framed, count: framed.rows?.length ?? framed.table.rows };
  }

  get #loaded(): Held {
    if (this.#held) return this.#held;
    throw new Error("The model was disposed of: load it again.");
  }

  #folds(): number[] {
    return [...new Set(this.#loaded.members.flatMap(({ fold }) => (fold === null ? [] : [fold])))];
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
   * @throws {TypeError} for what is no rows
   */
  explain(
    rows: ModelRows,
    options: ReadOptions = {},
  ): BlendExplanation & Pick<ModelPredictions, "keys"> & { readonly warnings: readonly string[] } {
    const { table, warnings: ofRows } = tableOf(rows, this.rowSchema, "explain");
    const { schema, task, layer } = this.document;
    const parts: BlendExplanation[] = [];
    const given = this.#rowsOf(table, options);
    if (given.count === 0) throw new DataError("There are no rows to explain.");
    const features = [...this.#loaded.features, ...frameFeatures(given.frame ?? undefined)];
    const warnings = forBatches(schema, this.#loaded, given, true, (encoded) => {
      const members = this.#explainedMembers(encoded, given.rows);
      const alone = this.#loaded.members.length === 1;
      const explained = explainBlend(task, features, members, alone, layer);
      const { frame, rows } = given;
      const isHeld = frame?.kind === "series" && rows;
      parts.push(isHeld ? heldExplanation(explained, frame, rows) : explained);
    });
    const central = typeOf(task).central(task);
    const joined = joinExplanations(parts);
    return {
      ...explainedOf(central === null ? joined : outputOf(joined, central), given.answered),
      keys: given.keys,
      warnings: [
        ...messages(ofRows),
        ...given.warnings,
        ...warnings,
        ...(given.reconcile
          ? [
              "Explained are the forecasts of each series by itself, before they are made to sum up.",
            ]
          : []),
      ],
    };
  }

  /**
   * What stretches of one sequence's channels add to its prediction, beside what is missing from it:
   * see `segment-explanation.ts`.
   *
   * @param segments that each channel is cut into
   * @throws {DataError} as `predict`, for rows that are not those of one sequence, and for too many
   *   segments
   * @throws {TypeError} for what is no rows
   */
  explainOverTime(
    rows: ModelRows,
    segments: number,
  ): SegmentExplanation & Pick<ModelPredictions, "keys" | "warnings"> {
    const { table, warnings: ofRows } = tableOf(rows, this.rowSchema, "explain");
    const given = this.#rowsOf(table, {});
    const { frame, keys } = given;
    if (frame?.kind !== "sequences") {
      throw new DataError("Only predictions of sequences are explained over time.");
    }
    if (frame.count !== 1) {
      throw new DataError(
        `One sequence is explained over time at once; these rows are of ${frame.count}.`,
      );
    }
    const warnings = new Set([...messages(ofRows), ...given.warnings]);
    const explained = explainSegments({
      frame,
      segments,
      predict: (masked) => {
        const rows = new Uint32Array(masked.count);
        const { schema } = this.document;
        return withEncoded(schema, this.#loaded, given.table, rows, true, warnings, (encoded) =>
          this.predictEncoded(
            encoded.map((data) => ({ ...data, frame: masked })),
            null,
          ),
        );
      },
    });
    return { ...explained, keys, warnings: [...warnings] };
  }

  /**
   * Of rows that are encoded already: row-major, rows × outputs, as in `ModelPredictions.values`.
   *
   * @param encoded one a file of bins of the model
   * @param rows of them; null = all
   */
  predictEncoded(encoded: readonly EncodedData[], rows: Uint32Array | null): Float64Array {
    const { task, layer } = this.document;
    const combiner = new Combiner(task, layer, rows?.length ?? encoded[0].rows);
    for (const { weight, calibration, encoder, model } of this.#loaded.members) {
      combiner.add(weight, calibration, model.predict(encoded[encoder], rows));
    }
    return combiner.result();
  }

  *#explainedMembers(
    encoded: readonly EncodedData[],
    rows: Uint32Array | null,
  ): Iterable<ExplainedMember> {
    for (const member of this.#loaded.members) {
      const { weight, calibration, encoder, model } = member;
      const data = encoded[encoder];
      const rowWeights = ownWeights(member, data.frame ?? null, rows);
      yield { weight, rowWeights, calibration, explanation: model.explain(data, rows) };
    }
  }
}

/** One a row that is predicted; null where the member has the same weight for all. */
function ownWeights(
  { weight, bySeries }: LoadedMember,
  frame: Frame | null,
  rows: Uint32Array | null,
): Float64Array | null {
  return bySeries && frame?.kind === "series" ? weightsOfRows(bySeries, weight, frame, rows) : null;
}

/** What a bound adds is of the series' own past, which tells the bound: the last column. In place. */
function heldExplanation(
  explained: BlendExplanation,
  frame: SeriesFrame,
  rows: Uint32Array,
): BlendExplanation {
  const { predictions, contributions } = explained;
  const held = Float64Array.from(predictions, ([value]) => value);
  holdWithin(frame, rows, held);
  for (const [i, value] of held.entries()) {
    const [own] = contributions[i];
    own[own.length - 1] += value - predictions[i][0];
  }
  return { ...explained, predictions: Array.from(held, (value) => [value]) };
}

const messages = (warnings: readonly DataWarning[]): string[] =>
  warnings.map(({ message }) => message);
