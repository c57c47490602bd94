/**
 * A fitted linear model. Every prediction is a sum of contributions, one a feature:
 *
 *     margin = base + Σ contribution,   contribution = Σ coefficient × (column - training mean)
 *
 * over the columns of the feature's terms. With features taken as independent these are its exact
 * SHAP values (Lundberg & Lee, NIPS 2017, corollary 1), and base is the mean training margin. Where a prediction is held
 * in a range, all contributions are smaller by one factor.
 */

import type { EncodedData, Feature } from "../../data/encoded.ts";
import { valueColumns } from "../../data/value-columns.ts";
import { outputCount, type Task, typeOf } from "../../tasks/index.ts";
import { arrangedExplanation } from "../arranged-explanation.ts";
import type { Explanation, FittedModel, SavedModel } from "../family.ts";
import type { AdditiveFormula } from "../formula.ts";
import { additiveFormula } from "./formula.ts";
import { LinearRows } from "./many-rows.ts";
import { heldIn } from "./numeric-transform.ts";
import { sigmoid } from "./solvers/losses.ts";
import { codeOf, isDense, type LinearState, type Term, termColumns, writeDense } from "./terms.ts";

export const LINEAR_FORMAT = 1;

/** Fewer rows are added up term by term. */
const MANY_ROWS = 16;

/** First column of each term. */
export function termStarts(terms: readonly Term[]): { starts: number[]; columns: number } {
  const starts = new Array<number>(terms.length).fill(0);
  let columns = 0;
  for (const dense of [true, false]) {
    terms.forEach((term, t) => {
      if (isDense(term) !== dense) return;
      starts[t] = columns;
      columns += termColumns(term);
    });
  }
  return { starts, columns };
}

export class LinearModel implements FittedModel {
  readonly facts: Readonly<Record<string, number | string>>;
  readonly #task: Task;
  readonly #outputs: number;
  readonly #state: LinearState;
  readonly #starts: readonly number[];
  readonly #columns: number;
  /** Terms of each feature, by their indices. */
  readonly #termsOf: readonly (readonly number[])[];
  #manyRows: LinearRows | null = null;

  constructor(task: Task, features: number, state: LinearState) {
    this.#task = task;
    this.#outputs = outputCount(task);
    this.#state = state;
    this.facts = state.facts;
    const { starts, columns } = termStarts(state.terms);
    this.#starts = starts;
    this.#columns = columns;
    const termsOf = Array.from({ length: features }, (): number[] => []);
    state.terms.forEach((term, t) => {
      termsOf[term.feature].push(t);
    });
    this.#termsOf = termsOf;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const count = rows?.length ?? data.rows;
    const margins = count < MANY_ROWS ? this.#fewRows(data, rows) : this.#many(data, rows);
    this.#toPredictions(margins);
    return typeOf(this.#task).arrange(margins, this.#outputs);
  }

  #many(data: EncodedData, rows: Uint32Array | null): Float64Array {
    this.#manyRows ??= new LinearRows(this.#state, this.#starts, this.#columns, this.#termsOf);
    return this.#manyRows.margins(data, rows);
  }

  #fewRows(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const margins = new Float64Array((rows?.length ?? data.rows) * this.#outputs);
    this.#startAtBase(margins);
    this.#forEachFeature(data, rows, (_feature, contributions) => {
      for (let i = 0; i < margins.length; i++) margins[i] += contributions[i];
    });
    return margins;
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const count = rows?.length ?? data.rows;
    const outputs = this.#outputs;
    const features = this.#termsOf.length;
    const margins = new Float64Array(count * outputs);
    const all = new Float64Array(count * features * outputs);
    this.#startAtBase(margins);
    this.#forEachFeature(data, rows, (feature, contributions) => {
      for (let i = 0; i < count; i++) {
        for (let k = 0; k < outputs; k++) {
          const contribution = contributions[i * outputs + k];
          margins[i * outputs + k] += contribution;
          all[(i * features + feature) * outputs + k] = contribution;
        }
      }
    });
    const { baseValues, range } = this.#state;
    for (let i = 0; range !== null && i < count; i++) {
      const held = heldIn(range, margins[i]);
      if (held === margins[i]) continue;
      const share = (held - baseValues[0]) / (margins[i] - baseValues[0]);
      for (let at = i * features; at < (i + 1) * features; at++) all[at] *= share;
      margins[i] = held;
    }
    return arrangedExplanation(this.#task, {
      space: typeOf(this.#task).link,
      baseValues: baseValues.slice(),
      contributions: all,
      margins,
    });
  }

  formula(features: readonly Feature[]): AdditiveFormula {
    return additiveFormula(this.#state, this.#starts, this.#columns, features);
  }

  /** Share of each feature in the mean size of contributions over the training rows. */
  importance(): Float64Array {
    return this.#state.importance.slice();
  }

  /** Weighted sums of |contribution| over rows and outputs, one a feature. */
  contributionSizes(data: EncodedData, rows: Uint32Array, weights: Float64Array): Float64Array {
    const sizes = new Float64Array(this.#termsOf.length);
    const outputs = this.#outputs;
    this.#forEachFeature(data, rows, (feature, contributions) => {
      let sum = 0;
      for (let i = 0; i < contributions.length; i++) {
        sum += weights[Math.floor(i / outputs)] * Math.abs(contributions[i]);
      }
      sizes[feature] = sum;
    });
    return sizes;
  }

  save(): SavedModel {
    const { terms, coefficients, columnMeans, baseValues, importance, facts, range } = this.#state;
    return {
      header: { format: LINEAR_FORMAT, terms, facts, ...(range && { range }) },
      tensors: { coefficients, columnMeans, baseValues, importance },
    };
  }

  #startAtBase(margins: Float64Array): void {
    for (let at = 0; at < margins.length; at += this.#outputs) {
      margins.set(this.#state.baseValues, at);
    }
  }

  /** `contributions` is rows × outputs and only valid during the call; zero ones are skipped. */
  #forEachFeature(
    data: EncodedData,
    rows: Uint32Array | null,
    visit: (feature: number, contributions: Float64Array) => void,
  ): void {
    const columnOf = valueColumns(data);
    const contributions = new Float64Array((rows?.length ?? data.rows) * this.#outputs);
    this.#termsOf.forEach((terms, feature) => {
      if (terms.length === 0) return;
      contributions.fill(0);
      const cells = columnOf(feature);
      for (const t of terms) this.#addTerm(t, cells, rows, contributions);
      visit(feature, contributions);
    });
  }

  #addTerm(t: number, cells: Float64Array, rows: Uint32Array | null, out: Float64Array): void {
    const outputs = this.#outputs;
    const { coefficients, columnMeans, terms } = this.#state;
    const term = terms[t];
    const start = this.#starts[t];
    const width = termColumns(term);
    const count = out.length / outputs;
    if (isDense(term)) {
      const row = new Float64Array(width);
      for (let i = 0; i < count; i++) {
        writeDense(term, cells[rows ? rows[i] : i], row, 0);
        for (let k = 0; k < outputs; k++) {
          const from = k * this.#columns + start;
          let sum = 0;
          for (let c = 0; c < width; c++) {
            sum += coefficients[from + c] * (row[c] - columnMeans[start + c]);
          }
          out[i * outputs + k] += sum;
        }
      }
      return;
    }
    for (let k = 0; k < outputs; k++) {
      const from = k * this.#columns + start;
      let mean = 0;
      for (let c = 0; c < width; c++) mean += coefficients[from + c] * columnMeans[start + c];
      for (let i = 0; i < count; i++) {
        const code = codeOf(term, cells[rows ? rows[i] : i]);
        out[i * outputs + k] += (code < 0 ? 0 : coefficients[from + code]) - mean;
      }
    }
  }

  /** Margins become predictions in place. */
  #toPredictions(margins: Float64Array): void {
    const { link } = typeOf(this.#task);
    if (link === "identity") {
      const { range } = this.#state;
      if (range) for (let i = 0; i < margins.length; i++) margins[i] = heldIn(range, margins[i]);
      return;
    }
    if (link === "logit") {
      for (let i = 0; i < margins.length; i++) margins[i] = sigmoid(margins[i]);
      return;
    }
    const outputs = this.#outputs;
    for (let at = 0; at < margins.length; at += outputs) {
      let largest = margins[at];
      for (let k = 1; k < outputs; k++) largest = Math.max(largest, margins[at + k]);
      let sum = 0;
      for (let k = 0; k < outputs; k++) {
        margins[at + k] = Math.exp(margins[at + k] - largest);
        sum += margins[at + k];
      }
      for (let k = 0; k < outputs; k++) margins[at + k] /= sum;
    }
  }
}
