/** A linear model's state as a sum of parts: what its columns' means take away is in the base. */

import type { Feature } from "../../data/encoded.ts";
import type { AdditiveFormula, AdditivePart } from "../formula.ts";
import { codeOf, type Term, termColumns, writeDense } from "./terms.ts";

interface State {
  readonly terms: readonly Term[];
  /** Output-major, outputs × columns. */
  readonly coefficients: Float64Array;
  readonly columnMeans: Float64Array;
  readonly baseValues: Float64Array;
  readonly range: readonly [number, number] | null;
}

/** @param starts first column of each term */
export function additiveFormula(
  state: State,
  starts: readonly number[],
  columns: number,
  features: readonly Feature[],
): AdditiveFormula {
  const { terms, coefficients, columnMeans, baseValues, range } = state;
  const outputs = Array.from(baseValues.keys());
  const base = outputs.map((k) => {
    let sum = baseValues[k];
    for (let c = 0; c < columns; c++) sum -= coefficients[k * columns + c] * columnMeans[c];
    return sum;
  });
  const parts = terms.map((term, t): AdditivePart => {
    const all = Array.from({ length: termColumns(term) }, (_, column) =>
      outputs.map((k) => coefficients[k * columns + starts[t] + column]),
    );
    return partOf(term, all, outputs, features[term.feature]);
  });
  return { kind: "additive", parts, base, ...(range && { range }) };
}

/** @param weights columns of the term × outputs */
function partOf(
  term: Term,
  weights: readonly (readonly number[])[],
  outputs: readonly number[],
  of: Feature,
): AdditivePart {
  const { feature } = term;
  switch (term.kind) {
    case "numeric": {
      const { transform, means, deviations } = term;
      return { kind: "numeric", feature, transform, means, deviations, weights };
    }
    case "missing":
      return { kind: "missing", feature, weights: weights[0] };
    case "levels":
      return { kind: "levels", feature, values: term.values, weights };
    case "categories":
    case "target":
      return {
        kind: "categories",
        feature,
        weights: cellsOf(of).map((cell) => weightsAt(term, cell, weights, outputs)),
      };
  }
}

/** Every cell that a categorical feature can hold: its codes, and NaN. */
function cellsOf(feature: Feature): number[] {
  const count = feature.kind === "categorical" ? feature.categories.length : 0;
  return [...Array.from({ length: count }, (_, code) => code), Number.NaN];
}

function weightsAt(
  term: Extract<Term, { kind: "categories" | "target" }>,
  cell: number,
  weights: readonly (readonly number[])[],
  outputs: readonly number[],
): number[] {
  if (term.kind === "categories") {
    const code = codeOf(term, cell);
    return code < 0 ? outputs.map(() => 0) : [...weights[code]];
  }
  const row = new Float64Array(term.means.length);
  writeDense(term, cell, row, 0);
  return outputs.map((k) => row.reduce((sum, value, c) => sum + value * weights[c][k], 0));
}
