/**
 * Whether a label that is a number is the sum or the product of a few columns, to the last digits: a total and its
 * parts, an amount and a price. No column of them need explain much of it by itself.
 *
 * The columns are found by orthogonal matching pursuit (Pati, Rezaiifar & Krishnaprasad, "Orthogonal matching pursuit:
 * recursive function approximation with applications to wavelet decomposition", Asilomar 1993), of products by that of
 * their logarithms, and those that turn out to have no part in it are left out again.
 */

import { factorRidged, solveCholesky } from "../../../compute/cholesky.ts";
import { valuesAt } from "../../../compute/row-lists.ts";
import type { Column } from "../../../data/table.ts";
import { evenlySpaced } from "../data-profile.ts";

const SAMPLED_ROWS = 1000;
/** Rows for each column of a formula, and in all, for it to be no chance. */
const ROWS_OF_COLUMN = 10;
const LEAST_ROWS = 30;
/** Values that the label must have. */
const LEAST_VALUES = 10;
/** That are looked at together. */
const MOST_COLUMNS = 12;
/** Of a table: of wider ones the first are looked at. */
const MOST_CANDIDATES = 1000;
/** Of the label's largest deviation: what sums of doubles may differ by. */
const ROUNDING = 1e-9;
/** Of a column's squares, below which the others say all of it. */
const COLLINEAR = 1e-10;
/** Of the label's size: what a column that has a part in it adds at least. */
const PART = 1e-6;

export interface Formula {
  readonly kind: "sum" | "product";
  /** Of a sum, factors; of a product, powers. */
  readonly terms: readonly { readonly column: string; readonly coefficient: number }[];
  /** What a sum begins with, or a product is multiplied by. */
  readonly constant: number;
  readonly rows: number;
  /** Whether empty cells count as 0. */
  readonly fillsGaps: boolean;
}

interface Candidate {
  readonly column: string;
  readonly values: Float64Array;
  readonly hasGaps: boolean;
}

/** Collects the columns one by one: of a large table each may be read anew once another was looked at. */
export class FormulaSearch {
  readonly #rows: Uint32Array;
  readonly #target: Float64Array;
  readonly #candidates: Candidate[] = [];

  /**
   * @param rows of the table, by the order of `target`; null = all
   * @param weights by the order of `target`; null = all 1. Rows of weight 0 are not looked at
   */
  constructor(rows: Uint32Array | null, target: Float64Array, weights: Float64Array | null) {
    const chosen = evenlySpaced(target.length, SAMPLED_ROWS).filter(
      (at) => weights === null || weights[at] > 0,
    );
    this.#rows = chosen.map((at) => rows?.[at] ?? at);
    this.#target = valuesAt(target, chosen);
  }

  add(column: Column): void {
    if (column.kind !== "numeric" && column.kind !== "boolean") return;
    if (this.#candidates.length === MOST_CANDIDATES) return;
    const values = Float64Array.from(this.#rows, (row) => {
      const value = column.values[row];
      return column.kind === "boolean" && value === 255 ? Number.NaN : value;
    });
    const gaps = values.filter(Number.isNaN).length;
    if (gaps > values.length / 2) return;
    const filled = values.map((value) => (Number.isNaN(value) ? 0 : value));
    if (!filled.every(Number.isFinite) || filled.every((value) => value === filled[0])) return;
    this.#candidates.push({ column: column.name, values: filled, hasGaps: gaps > 0 });
  }

  /** Null where there is none, or one column alone says it. */
  found(): Formula | null {
    const target = this.#target;
    if (target.length < LEAST_ROWS || new Set(target).size < LEAST_VALUES) return null;
    const sum = exactSum(target, this.#candidates);
    if (sum !== null) return formulaOf("sum", sum, target.length);
    const isPositive = (values: Float64Array): boolean => values.every((value) => value > 0);
    if (!isPositive(target)) return null;
    const positive = this.#candidates
      .filter(({ values }) => isPositive(values))
      .map((each) => ({ ...each, values: each.values.map(Math.log) }));
    const product = exactSum(target.map(Math.log), positive);
    return product && formulaOf("product", product, target.length);
  }
}

interface ExactSum {
  readonly terms: readonly { readonly candidate: Candidate; readonly coefficient: number }[];
  readonly constant: number;
}

function formulaOf(kind: Formula["kind"], { terms, constant }: ExactSum, rows: number): Formula {
  return {
    kind,
    terms: terms.map(({ candidate: { column }, coefficient }) => ({ column, coefficient })),
    constant: kind === "sum" ? constant : Number(Math.exp(constant).toPrecision(9)),
    rows,
    fillsGaps: terms.some(({ candidate }) => candidate.hasGaps),
  };
}

/** Null where there is none of at least two columns. */
function exactSum(target: Float64Array, candidates: readonly Candidate[]): ExactSum | null {
  const mean = meanOf(target);
  const deviations = target.map((y) => y - mean);
  const allowed = ROUNDING * largest(deviations);
  const most = Math.min(MOST_COLUMNS, candidates.length, target.length / ROWS_OF_COLUMN);
  const rest = deviations.slice();
  const columns = candidates.map((candidate) => {
    const centre = meanOf(candidate.values);
    const own = candidate.values.map((value) => value - centre);
    return { candidate, own, left: own.slice(), squares: inner(own, own) };
  });
  const chosen: (typeof columns)[number][] = [];
  while (chosen.length + 1 <= most && largest(rest) > allowed) {
    let best: { column: (typeof columns)[number]; explained: number; square: number } | null = null;
    for (const column of columns) {
      const square = inner(column.left, column.left);
      if (!(square > COLLINEAR * column.squares)) continue;
      const explained = inner(column.left, rest) ** 2 / square;
      if (best === null || explained > best.explained) best = { column, explained, square };
    }
    if (best === null) return null;
    const { column, square } = best;
    chosen.push(column);
    const direction = column.left.slice();
    takeOff(rest, direction, square);
    for (const { left } of columns) takeOff(left, direction, square);
  }
  if (largest(rest) > allowed) return null;
  const size = Math.sqrt(inner(deviations, deviations));
  const coefficients = coefficientsOf(chosen, deviations);
  const terms = chosen.flatMap(({ candidate, squares }, k) =>
    Math.abs(coefficients[k]) * Math.sqrt(squares) < PART * size
      ? []
      : [{ candidate, coefficient: Number(coefficients[k].toPrecision(9)) }],
  );
  if (terms.length < 2) return null;
  const fitted = target.map((_, i) =>
    terms.reduce((sum, { candidate, coefficient }) => sum + coefficient * candidate.values[i], 0),
  );
  const constant = mean - meanOf(fitted);
  // What is told is what was looked at: with the digits that are shown.
  if (largest(target.map((y, i) => y - fitted[i] - constant)) > 100 * allowed) return null;
  const scale = Math.max(largest(fitted), largest(target));
  return {
    terms: terms.sort((a, b) => candidates.indexOf(a.candidate) - candidates.indexOf(b.candidate)),
    constant: Math.abs(constant) < ROUNDING * scale ? 0 : Number(constant.toPrecision(9)),
  };
}

/** By the normal equations of columns of unit length. */
function coefficientsOf(
  chosen: readonly { readonly own: Float64Array; readonly squares: number }[],
  target: Float64Array,
): readonly number[] {
  const lengths = chosen.map(({ squares }) => Math.sqrt(squares));
  const gram = Float64Array.from(
    chosen.flatMap(({ own }, i) =>
      chosen.map((other, j) => inner(own, other.own) / (lengths[i] * lengths[j])),
    ),
  );
  const factor = factorRidged(gram, chosen.length, 0);
  const found = Float64Array.from(chosen, ({ own }, i) => inner(own, target) / lengths[i]);
  solveCholesky(factor, chosen.length, found);
  return lengths.map((length, i) => found[i] / length);
}

/** values ← values less their part along `direction`, whose square is given. */
function takeOff(values: Float64Array, direction: Float64Array, square: number): void {
  const part = inner(values, direction) / square;
  for (let i = 0; i < values.length; i++) values[i] -= part * direction[i];
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
