/**
 * A trained model: one or more fitted members, each calibrated, combined by weight or by a layer, and
 * a threshold between two classes. It predicts as one and explains as one.
 */

import { Arena, ArenaFullError } from "../compute/arena.ts";
import {
  type ConformalPart,
  forecastIntervals,
  forecastQuantiles,
  type Intervals,
  intervalsOf,
  type Sets,
  setsOf,
  tooFewRows,
} from "../conformal/index.ts";
import { encodeFeatures, freeEncoded } from "../data/encode.ts";
import {
  type EncodedData,
  type Feature,
  type FeatureBins,
  frameFeatures,
} from "../data/encoded.ts";
import type { FeatureSchema } from "../data/feature-schema.ts";
import { type Frame, takeSequences } from "../data/frame.ts";
import { forecastBlocks, historyBefore, scaleOf, stepsOf } from "../data/series-history.ts";
import { DataError, type Table } from "../data/table.ts";
import type { Calibration } from "../ensemble/calibration/calibration.ts";
import { Combiner } from "../ensemble/combiner.ts";
import type { FittedModel } from "../families/family.ts";
import type { AnswerKey, ReadOptions, SavedFrame } from "../tasks/framing.ts";
import { outputCount, type Task, typeOf } from "../tasks/index.ts";
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
export interface PredictOptions extends ReadOptions {
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
  /** Forecasts: row-major, rows × the task's levels; null: too few rows to have any. */
  readonly quantiles?: Float64Array | null;
  /** Which each is of, where the rows of the table are not predicted one by one; else null. */
  readonly keys: readonly AnswerKey[] | null;
  /** What was odd about the rows, e.g. a column that was absent. */
  readonly warnings: readonly string[];
}

type Uncertainty = Pick<ModelPredictions, "intervals" | "quantiles" | "sets" | "warnings">;

/** A table's rows, or what framing made of them. */
interface GivenRows {
  readonly table: Table;
  /** Predictions. */
  readonly count: number;
  readonly frame: Frame | null;
  /** Rows of the table that are predicted; null = all. */
  readonly rows: Uint32Array | null;
  /** Of the predictions, those that are answered; null = all. */
  readonly answered: Uint32Array | null;
  readonly keys: readonly AnswerKey[] | null;
  readonly warnings: readonly string[];
}

interface Batch {
  /** Rows of one part of the table, by each encoder. */
  readonly encoded: readonly EncodedData[];
  /** Of them, those to predict; null = all. */
  readonly rows: Uint32Array | null;
  /** Place of their first prediction among all. */
  readonly first: number;
  /** Predictions. */
  readonly count: number;
}

/** How the rows of a table become what the members read. */
export interface ModelEncoding {
  /** Of each encoder. */
  readonly bins: readonly (readonly FeatureBins[])[];
  readonly reads: { readonly values: boolean; readonly bins: boolean };
  /** Of kinds whose rows are made of several of a table's; else null. */
  readonly frame: SavedFrame | null;
}

/** A loaded model: predicts and explains tables with its columns. */
export class Model {
  readonly document: ModelDocument;
  readonly #features: readonly Feature[];
  readonly #members: readonly LoadedMember[];
  readonly #encoding: ModelEncoding;
  readonly #arena = Arena.create();

  constructor(
    document: ModelDocument,
    features: readonly Feature[],
    members: readonly LoadedMember[],
    encoding: ModelEncoding,
  ) {
    this.document = document;
    this.#features = features;
    this.#members = members;
    this.#encoding = encoding;
    this.#settle();
  }

  /** Gives each member its place in the arena, while there is enough left for the rows to come. */
  #settle(): void {
    try {
      for (const { model, encoder } of this.#members) {
        if (this.#arena.liveBytes > RESIDENT_BYTES) return;
        model.reside?.(
          this.#arena.handle(),
          this.#encoding.reads.bins ? this.#encoding.bins[encoder] : null,
        );
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
  predict(table: Table, { coverage, ...options }: PredictOptions = {}): ModelPredictions {
    checkTable(table, "predict");
    const { task, layer, conformal } = this.document;
    const given = this.#rowsOf(table, options);
    const outputs = outputCount(task);
    const values = new Float64Array(given.count * outputs);
    const folds = conformal?.kind === "interval" && conformal.narrowed ? this.#folds() : [];
    const ambiguity = folds.length > 1 ? new Float64Array(given.count) : null;
    const warnings = this.#forBatches(given, ({ encoded, rows, first, count }) => {
      const combiner = new Combiner(task, layer, count);
      const spread = ambiguity && new FoldAmbiguity(task, layer, folds, count);
      for (const { weight, calibration, encoder, fold, model } of this.#members) {
        const part = model.predict(encoded[encoder], rows);
        combiner.add(weight, calibration, part);
        spread?.add(fold, weight, part);
      }
      const result = combiner.result();
      values.set(result, first * outputs);
      if (spread) ambiguity?.set(spread.result(result), first);
    });
    const uncertainty =
      conformal?.kind === "forecast"
        ? forecastUncertainty(task, conformal, values, given, coverage)
        : this.#uncertainty(values, ambiguity, coverage);
    return {
      outputs,
      ...answersOf({ values, ...uncertainty }, given.answered),
      keys: given.keys,
      warnings: [...given.warnings, ...warnings, ...uncertainty.warnings],
    };
  }

  /**
   * Columns that `predict` and `explain` read, as a request's rows are read: those of the features, and
   * what else tells sequences or series apart.
   */
  get inputs(): FeatureSchema {
    const { schema, task } = this.document;
    const { frame } = this.#encoding;
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

  #rowsOf(table: Table, options: ReadOptions): GivenRows {
    const { framing } = typeOf(this.document.task);
    const { frame } = this.#encoding;
    if (framing === null || frame === null) {
      const none = { frame: null, rows: null, answered: null, keys: null, warnings: [] };
      return { table, count: table.rows, ...none };
    }
    const framed = framing.read(table, frame, options);
    return { ...framed, count: framed.rows?.length ?? framed.table.rows };
  }

  #folds(): number[] {
    return [...new Set(this.#members.flatMap(({ fold }) => (fold === null ? [] : [fold])))];
  }

  #uncertainty(
    values: Float64Array,
    ambiguity: Float64Array | null,
    coverage: number | undefined,
  ): Uncertainty {
    const { task, conformal, threshold } = this.document;
    if (typeOf(task).conformal === null) {
      const warning =
        "Predictions of this kind have no intervals or sets; `coverage` does not apply to them.";
      return { intervals: null, sets: null, warnings: coverage === undefined ? [] : [warning] };
    }
    if (conformal === null) {
      const warning =
        "This model was trained by a version without intervals and sets; its predictions have none.";
      return { intervals: null, sets: null, warnings: coverage === undefined ? [] : [warning] };
    }
    if (conformal.kind === "forecast") throw new RangeError("Forecasts have steps.");
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
  explain(
    table: Table,
    options: ReadOptions = {},
  ): BlendExplanation & Pick<ModelPredictions, "keys"> & { readonly warnings: readonly string[] } {
    checkTable(table, "explain");
    const { task, layer } = this.document;
    const parts: BlendExplanation[] = [];
    const given = this.#rowsOf(table, options);
    if (given.count === 0) throw new DataError("There are no rows to explain.");
    const features = [...this.#features, ...frameFeatures(given.frame ?? undefined)];
    const warnings = this.#forBatches(given, (batch) => {
      const members = this.#explainedMembers(batch);
      parts.push(explainBlend(task, features, members, this.#members.length === 1, layer));
    });
    const central = typeOf(task).central(task);
    const joined = joinExplanations(parts);
    return {
      ...explainedOf(central === null ? joined : outputOf(joined, central), given.answered),
      keys: given.keys,
      warnings: [...given.warnings, ...warnings],
    };
  }

  *#explainedMembers({ encoded, rows }: Batch): Iterable<ExplainedMember> {
    for (const { weight, calibration, encoder, model } of this.#members) {
      yield { weight, calibration, explanation: model.explain(encoded[encoder], rows) };
    }
  }

  #forBatches(given: GivenRows, action: (batch: Batch) => void): string[] {
    const warnings = new Set<string>();
    const { table, frame } = given;
    const { bins: encoders, reads } = this.#encoding;
    // What is forecast of a series is read beside all of its past.
    const size = frame?.kind === "series" ? table.rows : BATCH_ROWS;
    for (let first = 0; first < table.rows; first += size) {
      const count = Math.min(size, table.rows - first);
      const places = Uint32Array.from({ length: count }, (_, index) => first + index);
      const encoded: EncodedData[] = [];
      try {
        for (const bins of encoders) {
          const data = encodeFeatures(this.document.schema, table, this.#arena, {
            bins: reads.bins ? bins : null,
            values: reads.values,
            rows: places,
            onWarning: ({ message }) => warnings.add(message),
          });
          encoded.push(frame ? { ...data, frame: partOf(frame, places) } : data);
        }
        const { rows } = given;
        action({ encoded, rows, first, count: rows?.length ?? count });
      } finally {
        for (const data of encoded) freeEncoded(data);
      }
    }
    return [...warnings];
  }
}

type Predicted = Pick<ModelPredictions, "values"> & Uncertainty;

/** Of predictions of one output those that were asked for. */
function answersOf(all: Predicted, places: Uint32Array | null): Predicted {
  if (places === null) return all;
  const { values, intervals, quantiles } = all;
  const taken = (list: Float64Array): Float64Array => Float64Array.from(places, (at) => list[at]);
  const bounds = intervals?.bounds;
  const levels = (quantiles?.length ?? 0) / values.length;
  return {
    ...all,
    values: taken(values),
    intervals: intervals && {
      ...intervals,
      bounds: bounds ? { lower: taken(bounds.lower), upper: taken(bounds.upper) } : null,
    },
    ...(quantiles && {
      quantiles: Float64Array.from(
        { length: places.length * levels },
        (_, i) => quantiles[places[Math.floor(i / levels)] * levels + (i % levels)],
      ),
    }),
  };
}

function explainedOf(all: BlendExplanation, places: Uint32Array | null): BlendExplanation {
  if (places === null) return all;
  return {
    ...all,
    predictions: Array.from(places, (at) => all.predictions[at]),
    contributions: Array.from(places, (at) => all.contributions[at]),
  };
}

/** In the scale that the past of each series has now. */
function forecastUncertainty(
  task: Task,
  part: Extract<ConformalPart, { kind: "forecast" }>,
  values: Float64Array,
  { frame, rows }: GivenRows,
  coverage: number | undefined,
): Uncertainty {
  if (frame?.kind !== "series" || rows === null) throw new RangeError("Forecasts are of series.");
  const places = {
    scale: new Float64Array(rows.length),
    step: stepsOf(frame, rows),
  };
  for (const { series, from, to, origin } of forecastBlocks(frame, rows)) {
    const history = historyBefore(frame, series, origin);
    places.scale.fill(scaleOf(history, frame.seasons[0] ?? 1).absolute, from, to);
  }
  const intervals = forecastIntervals(part, values, places, coverage);
  return {
    intervals,
    quantiles: forecastQuantiles(part, values, places, task.quantiles ?? []),
    sets: null,
    warnings: intervals.bounds ? [] : [tooFewRows(part, intervals.level)],
  };
}

function partOf(frame: Frame, rows: Uint32Array): Frame {
  const isAll = frame.kind === "series" || rows.length === frame.count;
  return isAll ? frame : takeSequences(frame, rows);
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
