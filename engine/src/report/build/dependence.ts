/** How the model's predictions change with the columns that it relies on most, on some rows of the run. */

import { tableFromMatrix } from "../../data/records.ts";
import type { Model } from "../../model/model.ts";
import { hasClasses, outputCount, typeOf } from "../../tasks/index.ts";
import type { DataProfile } from "../../trainer/plan/data-profile.ts";
import type { DependenceSection } from "../dependence-document.ts";
import {
  accumulatedEffects,
  type DependencePoint,
  type PredictWith,
  partialDependence,
} from "../figures/dependence.ts";
import { nearestPlace } from "../figures/tenths.ts";
import { spread } from "./explanation.ts";
import { rounded } from "./shape-reading.ts";

type Sample = DataProfile["sample"];
type Cell = Sample["data"][number][number];
type ColumnSection = DependenceSection["columns"][number];

const MOST_COLUMNS = 8;
const MOST_CLASSES = 6;
const MOST_LEVELS = 12;
/** Of numbers, between their values. */
const MOST_INTERVALS = 20;
/** Rows that get every value of a column; and those that move within their intervals. */
const ROWS = { most: 100, least: 30 };
const LOCAL_ROWS = { most: 300, least: 60 };
/** What is measured in little is a little wrong in large. */
const SAFETY = 1.3;

/** Kinds of which single values mean something by themselves. */
const DRAWN_KINDS: ReadonlySet<string> = new Set(["numeric", "categorical", "boolean"]);

/**
 * @param ranked columns that the model relies on, the first most
 * @param seconds within which rows and columns may be fewer; 0: there is no section
 */
export function dependenceSection(
  model: Model,
  sample: Sample,
  ranked: readonly string[],
  seconds: number,
): DependenceSection | null {
  const kinds = new Map(model.inputs.columns.map(({ name, kind }) => [name, kind]));
  const columns = ranked
    .filter((name) => DRAWN_KINDS.has(kinds.get(name) ?? "") && sample.columns.includes(name))
    .slice(0, MOST_COLUMNS);
  if (columns.length === 0 || sample.data.length === 0 || seconds <= 0) return null;
  const began = performance.now();
  const left = (): number => seconds - (performance.now() - began) / 1000;
  const rows = new ChangedRows(model, sample);
  const taken = rows.afforded(columns.length, left);
  if (taken === null) return null;
  const drawn: ColumnSection[] = [];
  for (const column of columns) {
    if (drawn.length > 0 && left() < rows.secondsOfColumn(taken)) break;
    const of = rows.column(column, kinds.get(column) === "numeric", taken);
    if (of !== null) drawn.push(of);
  }
  if (drawn.length === 0) return null;
  return { rows: taken.rows.length, localRows: taken.local.length, of: rows.of, columns: drawn };
}

/** Rows of the sample that are predicted. */
interface Taken {
  readonly rows: readonly number[];
  readonly local: readonly number[];
}

/** Rows of the sample, predicted with other cells in one column. */
class ChangedRows {
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
    const all = this.#predict(this.#order.slice(0, ROWS.least).map((row) => sample.data[row]));
    this.#shown = central === null ? mostProbable(all, count) : [central];
    this.of = !hasClasses(task)
      ? []
      : count === 1
        ? [task.classes[1]]
        : this.#shown.map((output) => task.classes[output]);
  }

  /** As many rows as so many columns can be drawn of; null where there is no time for one of the fewest rows. */
  afforded(columns: number, left: () => number): Taken | null {
    const probed = this.#order.slice(0, ROWS.most).map((row) => this.#sample.data[row]);
    const before = left();
    this.#predict(probed);
    this.#rowSeconds = (before - left()) / probed.length;
    const whole = predictionsOf(ROWS.most, LOCAL_ROWS.most);
    const part = left() / (SAFETY * this.#rowSeconds * whole * columns || Number.MIN_VALUE);
    const take = ({ most, least }: typeof ROWS): number[] =>
      this.#order.slice(0, Math.max(least, Math.min(most, Math.floor(part * most))));
    const taken = { rows: take(ROWS), local: take(LOCAL_ROWS) };
    return this.secondsOfColumn(taken) < left() ? taken : null;
  }

  /** That a column is expected to take at most. */
  secondsOfColumn({ rows, local }: Taken): number {
    return SAFETY * this.#rowSeconds * predictionsOf(rows.length, local.length);
  }

  column(column: string, isNumeric: boolean, { rows, local }: Taken): ColumnSection | null {
    const place = this.#sample.columns.indexOf(column);
    const cells = this.#sample.data.map((row) => row[place]);
    const known = cells.filter((cell) => cell !== null);
    const missing = cells.length - known.length;
    const options = { outputs: this.#shown.length, predict: this.#predictWith(place) };
    const numbers = isNumeric ? known.filter((cell) => typeof cell === "number") : [];
    const edges = isNumeric ? edgesOf(numbers) : [];
    const levels = isNumeric ? [] : levelsOf(known);
    const values: Cell[] = isNumeric ? edges : levels.map(({ cell }) => cell);
    if (values.length + (missing > 0 ? 1 : 0) < 2) return null;
    const counts = isNumeric ? countsOf(numbers, edges) : levels.map(({ count }) => count);
    const shown = values.slice(0, isNumeric ? values.length : MOST_LEVELS);
    const weights = [...counts.slice(0, shown.length), ...(missing > 0 ? [missing] : [])];
    const asked: Cell[] = [...shown, ...(missing > 0 ? [null] : [])];
    const points = partialDependence<Cell>(rows, asked, { ...options, weights });
    const said = points.map((point, i) => saidOf(point, weights[i] / cells.length));
    const facts = {
      column,
      levelsLeftOut: isNumeric ? 0 : values.length - shown.length,
      missing: missing > 0 ? said[said.length - 1] : null,
    };
    if (!isNumeric) {
      return { ...facts, levels: shown.map((cell, i) => ({ name: String(cell), ...said[i] })) };
    }
    const moved = local.flatMap((row) => {
      const value = cells[row];
      return typeof value === "number" ? [{ row, value }] : [];
    });
    const effects =
      edges.length > 1
        ? accumulatedEffects(moved, edges, options)
        : new Float64Array(options.outputs);
    // Without the missing ones, which have no place among the others.
    const middle = meansOf(points.slice(0, edges.length), weights);
    return {
      ...facts,
      points: edges.map((value, i) => ({
        value,
        ...said[i],
        local: middle.map((mean, k) => rounded(mean + effects[i * options.outputs + k])),
      })),
    };
  }

  #predictWith(place: number): PredictWith<Cell> {
    const outputs = outputCount(this.#model.document.task);
    return (rows, values) => {
      const all = this.#predict(
        rows.map((row, i) => this.#sample.data[row].with(place, values[i])),
      );
      if (this.#shown.length === outputs) return all;
      return Float64Array.from(
        { length: rows.length * this.#shown.length },
        (_, i) =>
          all[Math.floor(i / this.#shown.length) * outputs + this.#shown[i % this.#shown.length]],
      );
    };
  }

  #predict(rows: readonly (readonly Cell[])[]): Float64Array {
    const { table } = tableFromMatrix(this.#sample.columns, rows, this.#model.document.schema);
    return this.#model.predict(table).values;
  }
}

/** Of a column of numbers that has as many values as are drawn, and a missing one. */
const predictionsOf = (rows: number, local: number): number =>
  (MOST_INTERVALS + 2) * rows + 2 * local;

/** The most probable classes of some rows, in their order. */
function mostProbable(predicted: Float64Array, outputs: number): number[] {
  const sums = new Float64Array(outputs);
  for (const [at, probability] of predicted.entries()) sums[at % outputs] += probability;
  const places = [...sums.keys()].sort((a, b) => sums[b] - sums[a] || a - b);
  return places.slice(0, MOST_CLASSES).sort((a, b) => a - b);
}

/** Distinct numbers at evenly spaced ranks, the least and the greatest among them; all of few. */
function edgesOf(numbers: readonly number[]): number[] {
  const sorted = [...numbers].sort((a, b) => a - b);
  const distinct = [...new Set(sorted)];
  if (distinct.length <= MOST_INTERVALS + 1) return distinct;
  const ranks = Array.from({ length: MOST_INTERVALS + 1 }, (_, k) =>
    Math.round((k * (sorted.length - 1)) / MOST_INTERVALS),
  );
  return [...new Set(ranks.map((rank) => sorted[rank]))];
}

/** How many numbers each edge is nearest to. */
function countsOf(numbers: readonly number[], edges: readonly number[]): number[] {
  const counts = edges.map(() => 0);
  for (const value of numbers) counts[nearestPlace(edges, value)]++;
  return counts;
}

/** The most frequent first. */
function levelsOf(known: readonly Cell[]): { readonly cell: Cell; readonly count: number }[] {
  const counts = new Map<Cell, number>();
  for (const cell of known) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  return [...counts].map(([cell, count]) => ({ cell, count })).sort((a, b) => b.count - a.count);
}

function meansOf(points: readonly DependencePoint[], weights: readonly number[]): number[] {
  const total = points.reduce((sum, _, i) => sum + weights[i], 0) || 1;
  return points[0].mean.map((_, k) =>
    points.reduce((sum, { mean }, i) => sum + (weights[i] / total) * mean[k], 0),
  );
}

function saidOf({ mean, low, high }: DependencePoint, share: number) {
  return {
    share: rounded(share),
    mean: mean.map(rounded),
    low: low.map(rounded),
    high: high.map(rounded),
  };
}
