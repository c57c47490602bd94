/** How the model's predictions change with the columns that it relies on most, on some rows of the run. */

import { tableFromMatrix } from "../../data/records.ts";
import type { Model } from "../../model/model.ts";
import { hasClasses, outputCount, typeOf } from "../../tasks/index.ts";
import type { DependenceSection } from "../dependence-document.ts";
import {
  accumulatedEffects,
  type DependencePoint,
  type PredictWith,
  partialDependence,
} from "../figures/dependence.ts";
import { type AskedValues, askedValues, type Cell, type Sample } from "./asked-values.ts";
import { spread } from "./explanation.ts";
import { rounded } from "./shape-reading.ts";

type ColumnSection = DependenceSection["columns"][number];

const MOST_COLUMNS = 8;
const MOST_CLASSES = 6;
/** Rows that get every value of a column; and those that move within their intervals, which are cheaper. */
const ROWS = { most: 100, least: 30 };
const LOCAL_ROWS = { most: 600, least: 200 };
/** What is measured in little is a little wrong in large. */
const SAFETY = 1.3;

/** Kinds of which single values mean something by themselves. */
const DRAWN_KINDS: ReadonlySet<string> = new Set(["numeric", "categorical", "boolean"]);

const NO_TIME: DependenceSection = { rows: 0, localRows: 0, of: [], columns: [] };

/**
 * @param ranked columns that the model relies on, the first most
 * @param seconds within which rows and columns may be fewer; where they allow for none, the section has no columns
 * @returns null where there is no column whose single values mean something
 */
export function dependenceSection(
  model: Model,
  sample: Sample,
  ranked: readonly string[],
  seconds: number,
): DependenceSection | null {
  const kinds = new Map(model.inputs.columns.map(({ name, kind }) => [name, kind]));
  const asked = ranked
    .filter((name) => DRAWN_KINDS.has(kinds.get(name) ?? "") && sample.columns.includes(name))
    .flatMap((name) => askedValues(sample, name, kinds.get(name) === "numeric") ?? [])
    .slice(0, MOST_COLUMNS);
  if (asked.length === 0 || sample.data.length === 0) return null;
  if (seconds <= 0) return NO_TIME;
  const began = performance.now();
  const left = (): number => seconds - (performance.now() - began) / 1000;
  const rows = new ChangedRows(model, sample);
  const taken = rows.afforded(asked, left);
  const drawn: ColumnSection[] = [];
  for (const column of asked) {
    if (rows.secondsOf(column, taken) > left()) break;
    drawn.push(rows.column(column, taken));
  }
  if (drawn.length === 0) return NO_TIME;
  return { rows: taken.rows.length, localRows: taken.local.length, of: rows.of, columns: drawn };
}

/** Rows of the sample that are predicted. */
interface Taken {
  readonly rows: readonly number[];
  readonly local: readonly number[];
}

/** Rows of the sample, predicted with other cells in one column. */
class ChangedRows {
  /** Classes that the outputs are probabilities of. */
  readonly of: string[];
  readonly #model: Model;
  readonly #sample: Sample;
  /** Outputs that are shown. */
  readonly #shown: readonly number[];
  readonly #order: readonly number[];
  #rowSeconds = 0;

  constructor(model: Model, sample: Sample) {
    this.#model = model;
    this.#sample = sample;
    this.#order = spread(sample.data.length);
    const { task } = model.document;
    const count = outputCount(task);
    const central = typeOf(task).central(task);
    // The first call makes what later ones reuse.
    const all = this.#predict(this.#order.slice(0, ROWS.least).map((row) => sample.data[row]));
    this.#shown = central === null ? mostProbable(all, count) : [central];
    this.of = !hasClasses(task)
      ? []
      : count === 1
        ? [task.classes[1]]
        : this.#shown.map((output) => task.classes[output]);
  }

  /** As many rows as all of the columns can be drawn of, or the fewest. */
  afforded(asked: readonly AskedValues[], left: () => number): Taken {
    const probed = this.#order.slice(0, ROWS.most).map((row) => this.#sample.data[row]);
    const before = left();
    this.#predict(probed);
    this.#rowSeconds = (before - left()) / probed.length;
    const take = ({ most, least }: typeof ROWS, part: number): number[] =>
      this.#order.slice(0, Math.max(least, Math.min(most, Math.floor(part * most))));
    const takePart = (part: number): Taken => ({
      rows: take(ROWS, part),
      local: take(LOCAL_ROWS, part),
    });
    const all = takePart(1);
    const whole = asked.reduce((sum, column) => sum + this.secondsOf(column, all), 0);
    return whole > left() ? takePart(left() / whole) : all;
  }

  /** That a column is expected to take. */
  secondsOf({ values, missing, isAxis }: AskedValues, { rows, local }: Taken): number {
    const predictions =
      (values.length + (missing > 0 ? 1 : 0)) * rows.length + (isAxis ? 2 * local.length : 0);
    return SAFETY * this.#rowSeconds * predictions;
  }

  column(asked: AskedValues, { rows, local }: Taken): ColumnSection {
    const { values, counts, missing, cells, isAxis } = asked;
    const options = { outputs: this.#shown.length, predict: this.#predictWith(asked.place) };
    const weights = [...counts, ...(missing > 0 ? [missing] : [])];
    const all: Cell[] = [...values, ...(missing > 0 ? [null] : [])];
    const points = partialDependence<Cell>(rows, all, { ...options, weights });
    const said = points.map((point, i) => this.#saidOf(point, weights[i] / cells.length));
    const facts = {
      column: asked.column,
      levelsLeftOut: asked.leftOut,
      missing: missing > 0 ? said[said.length - 1] : null,
    };
    if (!isAxis) {
      return { ...facts, levels: values.map((cell, i) => ({ name: String(cell), ...said[i] })) };
    }
    const edges = values.filter((value) => typeof value === "number");
    const moved = local.flatMap((row) => {
      const value = cells[row];
      return typeof value === "number" ? [{ row, value }] : [];
    });
    const { effects, errors } = accumulatedEffects(moved, edges, options);
    // Without the missing ones, which have no place among the others.
    const middle = meansOf(points.slice(0, edges.length), counts);
    const at = (of: Float64Array, i: number, k: number): number => of[i * options.outputs + k];
    return {
      ...facts,
      points: edges.map((value, i) => ({
        value,
        ...said[i],
        local: middle.map((mean, k) => rounded(mean + at(effects, i, k))),
        localError: middle.map((_, k) => rounded(at(errors, i, k))),
      })),
    };
  }

  #saidOf({ mean, low, high, error }: DependencePoint, share: number) {
    // What rows change by, about the mean of all, may lie beyond what probabilities can be.
    const within = (value: number): number =>
      rounded(this.of.length > 0 ? Math.min(1, Math.max(0, value)) : value);
    return {
      share: rounded(share),
      mean: mean.map(rounded),
      low: low.map(within),
      high: high.map(within),
      error: error.map(rounded),
    };
  }

  #predictWith(place: number): PredictWith<Cell> {
    const outputs = outputCount(this.#model.document.task);
    const shown = this.#shown;
    return (rows, values) => {
      const all = this.#predict(
        rows.map((row, i) => this.#sample.data[row].with(place, values[i])),
      );
      if (shown.length === outputs) return all;
      return Float64Array.from(
        { length: rows.length * shown.length },
        (_, i) => all[Math.floor(i / shown.length) * outputs + shown[i % shown.length]],
      );
    };
  }

  #predict(rows: readonly (readonly Cell[])[]): Float64Array {
    const { table } = tableFromMatrix(this.#sample.columns, rows, this.#model.document.schema);
    return this.#model.predict(table).values;
  }
}

/** The most probable classes of some rows, in their order. */
function mostProbable(predicted: Float64Array, outputs: number): number[] {
  const sums = new Float64Array(outputs);
  for (const [at, probability] of predicted.entries()) sums[at % outputs] += probability;
  const places = [...sums.keys()].sort((a, b) => sums[b] - sums[a] || a - b);
  return places.slice(0, MOST_CLASSES).sort((a, b) => a - b);
}

function meansOf(points: readonly DependencePoint[], weights: readonly number[]): number[] {
  const total = points.reduce((sum, _, i) => sum + weights[i], 0) || 1;
  return points[0].mean.map((_, k) =>
    points.reduce((sum, { mean }, i) => sum + (weights[i] / total) * mean[k], 0),
  );
}
