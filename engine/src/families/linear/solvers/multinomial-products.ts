/**
 * The products of a multinomial problem by kernels (`kernels/assembly/linear/multinomial.ts`), in the arena: a
 * row's classes lie side by side, and columns with few different numbers are tables.
 */

import { inverseColumns } from "../../../compute/cholesky.ts";
import { kernelsOf } from "../../../compute/kernels.ts";
import type { Scratch } from "../../../compute/scratch.ts";
import { arrangeColumns } from "./coded-columns.ts";
import { typicalHessian } from "./preconditioner.ts";
import type { Problem } from "./problem.ts";
import { columnMeans, type Products } from "./products.ts";

const padded = (count: number): number => Math.ceil(count / 4) * 4;

/** Labels of rows: a class each, or row-major a share of each class. */
export interface MultinomialLabels {
  readonly target: Float64Array;
  readonly soft: boolean;
}

export function multinomialProducts(
  scratch: Scratch,
  problem: Problem,
  { target, soft }: MultinomialLabels,
): Products {
  const { matrix, shares, loss } = problem;
  const { rows, columns } = matrix;
  const { outputs: classes, typicalCurvature } = loss;
  const block = columns + 1;
  const lanes = padded(classes);
  const allRows = padded(rows);
  const { arena } = scratch;
  const kernels = kernelsOf(arena);
  const means = columnMeans(problem);
  const { coded, dense } = arrangeColumns(matrix);

  const starts: number[] = [];
  let lines = 0;
  for (const { levels } of coded) {
    starts.push(lines);
    lines += levels;
  }
  const zeroed = (numbers: number): number => {
    const pointer = scratch.allocate(numbers * 8);
    arena.f64(pointer, numbers).fill(0);
    return pointer;
  };
  const cells = zeroed(allRows * dense.length);
  const codes = scratch.allocate(allRows * coded.length * 4);
  const tables = zeroed(lines * lanes);
  const weights = zeroed(dense.length * lanes);
  const base = zeroed(lanes);
  const spare = zeroed(lanes);
  const ownShares = scratch.f64(shares);
  const labels = zeroed(soft ? rows * lanes : rows);
  const first = zeroed(padded(columns) * lanes);
  const second = zeroed(padded(columns) * lanes);

  const cellsView = arena.f64(cells, allRows * dense.length);
  dense.forEach((column, place) => {
    const from = matrix.dense.cellsOf(column);
    for (let i = 0; i < rows; i++) cellsView[i * dense.length + place] = from[i];
  });
  const codesView = arena.u32(codes, allRows * coded.length).fill(0);
  coded.forEach((source, s) => {
    for (let i = 0; i < rows; i++) codesView[i * coded.length + s] = starts[s] + source.codes[i];
  });
  const labelsView = arena.f64(labels, soft ? rows * lanes : rows);
  if (soft) {
    for (let i = 0; i < rows; i++) {
      labelsView.set(target.subarray(i * classes, (i + 1) * classes), i * lanes);
    }
  } else labelsView.set(target);
  let hessian: { inverse: Inverse | null; diagonal: Float64Array | null } | null = null;
  /** Solvers that have a metric of their own ask for none. */
  const typicalInverse = () => {
    const { factor, diagonal } = typicalHessian(problem, means);
    return { inverse: factor && inverseBlocks(scratch, factor, columns), diagonal };
  };

  const tablesView = arena.f64(tables, lines * lanes);
  const weightsView = arena.f64(weights, dense.length * lanes);
  const baseView = arena.f64(base, lanes);
  /** A line a parameter, its classes side by side. */
  const lined = arena.f64(first, padded(columns) * lanes);
  const pointers = new Map<Float64Array, number>();
  const pointerOf = (margins: Float64Array): number => {
    const pointer = pointers.get(margins);
    if (pointer === undefined) throw new TypeError("Margins are room of these products.");
    return pointer;
  };
  return {
    means,
    room() {
      const pointer = zeroed(allRows * lanes);
      const view = arena.f64(pointer, allRows * lanes);
      pointers.set(view, pointer);
      return view;
    },
    toMargins(parameters, out) {
      baseView.fill(Number.NEGATIVE_INFINITY, classes);
      for (let k = 0; k < classes; k++) {
        let offset = parameters[k * block + columns];
        for (let j = 0; j < columns; j++) {
          const value = parameters[k * block + j];
          lined[j * lanes + k] = value;
          offset -= means[j] * value;
        }
        baseView[k] = offset;
      }
      dense.forEach((column, place) => {
        weightsView.set(lined.subarray(column * lanes, (column + 1) * lanes), place * lanes);
      });
      tablesView.fill(0);
      coded.forEach(({ levels, ones, columns: told }, s) => {
        for (let level = 0; level < levels; level++) {
          const line = (starts[s] + level) * lanes;
          if (ones !== null && level < ones.count) {
            const from = (ones.first + level) * lanes;
            for (let k = 0; k < lanes; k++) tablesView[line + k] = lined[from + k];
          }
          for (const { column, values } of told) {
            const value = values[level];
            for (let k = 0; k < lanes; k++) {
              tablesView[line + k] += value * lined[column * lanes + k];
            }
          }
        }
      });
      kernels.multinomialMargins(
        allRows,
        lanes,
        dense.length,
        cells,
        weights,
        coded.length,
        codes,
        tables,
        base,
        pointerOf(out),
      );
    },
    evaluate(margins, slopes) {
      return kernels.multinomialLoss(
        rows,
        lanes,
        classes,
        pointerOf(margins),
        ownShares,
        labels,
        soft ? 1 : 0,
        slopes === null ? 0 : pointerOf(slopes),
        spare,
      );
    },
    toGradient(slopes, out) {
      tablesView.fill(0);
      weightsView.fill(0);
      baseView.fill(0);
      kernels.multinomialSums(
        allRows,
        lanes,
        dense.length,
        cells,
        weights,
        coded.length,
        codes,
        tables,
        base,
        pointerOf(slopes),
      );
      dense.forEach((column, place) => {
        for (let k = 0; k < classes; k++) {
          out[k * block + column] = weightsView[place * lanes + k];
        }
      });
      coded.forEach(({ levels, ones, columns: told }, s) => {
        for (let k = 0; k < classes; k++) {
          for (const { column, values } of told) {
            let sum = 0;
            for (let level = 0; level < levels; level++) {
              sum += values[level] * tablesView[(starts[s] + level) * lanes + k];
            }
            out[k * block + column] = sum;
          }
          for (let level = 0; ones !== null && level < ones.count; level++) {
            out[k * block + ones.first + level] = tablesView[(starts[s] + level) * lanes + k];
          }
        }
      });
      for (let k = 0; k < classes; k++) {
        out[k * block + columns] = baseView[k];
        for (let j = 0; j < columns; j++) out[k * block + j] -= means[j] * baseView[k];
      }
    },
    applyInverse(vector) {
      for (let k = 0; k < classes; k++) vector[k * block + columns] /= typicalCurvature;
      hessian ??= typicalInverse();
      const { inverse, diagonal } = hessian;
      if (inverse === null) {
        for (let k = 0; k < classes; k++) {
          for (let j = 0; j < columns; j++) vector[k * block + j] /= diagonal?.[j] ?? 1;
        }
        return;
      }
      for (let k = 0; k < classes; k++) {
        for (let j = 0; j < columns; j++) lined[j * lanes + k] = vector[k * block + j];
      }
      baseView.fill(0);
      const multiply = (blocks: readonly TriangleBlock[], from: number, to: number): void => {
        for (const { at, row, rows: height, column, depth } of blocks) {
          const [given, made] = [from + column * lanes * 8, to + row * lanes * 8];
          kernels.multinomialMargins(height, lanes, depth, at, given, 0, codes, tables, base, made);
        }
      };
      multiply(inverse.lower, first, second);
      multiply(inverse.upper, second, first);
      for (let k = 0; k < classes; k++) {
        for (let j = 0; j < columns; j++) vector[k * block + j] = lined[j * lanes + k];
      }
    },
  };
}

/** Rows of a triangle without most of what is zero: f64, row-major, `rows` × `depth`. */
interface TriangleBlock {
  readonly at: number;
  readonly row: number;
  /** A multiple of four; rows behind the last are zeros. */
  readonly rows: number;
  /** The column that the first number of a row stands in. */
  readonly column: number;
  readonly depth: number;
}

interface Inverse {
  readonly lower: readonly TriangleBlock[];
  readonly upper: readonly TriangleBlock[];
}

const BLOCK_ROWS = 32;

/** The inverse of a Cholesky factor L of (L Lᵀ)⁻¹ = upper · lower. */
function inverseBlocks(scratch: Scratch, factor: Float64Array, size: number): Inverse {
  const inverse = new Float64Array(size * size);
  const places = Uint32Array.from({ length: size }, (_, place) => place);
  inverseColumns(factor, size, places, (column, place) => {
    for (let i = place; i < size; i++) inverse[i * size + place] = column[i];
  });
  const blockOf = (row: number, column: number, depth: number, isUpper: boolean): TriangleBlock => {
    const count = Math.min(BLOCK_ROWS, size - row);
    const rows = padded(count);
    const at = scratch.allocate(rows * depth * 8);
    const view = scratch.arena.f64(at, rows * depth).fill(0);
    for (let i = row; i < row + count; i++) {
      for (let j = column; j < column + depth; j++) {
        view[(i - row) * depth + j - column] = inverse[isUpper ? j * size + i : i * size + j];
      }
    }
    return { at, row, rows, column, depth };
  };
  const starts = Array.from(
    { length: Math.ceil(size / BLOCK_ROWS) },
    (_, place) => place * BLOCK_ROWS,
  );
  return {
    lower: starts.map((row) => blockOf(row, 0, Math.min(size, row + BLOCK_ROWS), false)),
    upper: starts.map((row) => blockOf(row, row, size - row, true)),
  };
}
