/** Matrices in the tiles of kernels/assembly/linear/symmetric.ts, and the Gram matrix of scaled rows. */

import type { Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import type { Scratch } from "../../compute/scratch.ts";
import type { ScaledRows } from "./scaled-rows.ts";

/** Columns of a panel: gathered in f32, then added in f64. */
const DEPTH = 128;

export interface TiledMatrix {
  readonly pointer: Pointer;
  /** A multiple of 4 (of 8 where it is square). */
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

export function tiledMatrix(scratch: Scratch, rows: number, columns: number): TiledMatrix {
  const pointer = scratch.allocate(8 * rows * columns);
  const values = scratch.arena.f64(pointer, rows * columns).fill(0);
  return { pointer, rows, columns, values };
}

/** Columns that one step of a factorisation takes: a multiple of 4. */
const PANEL = 128;

/**
 * The Cholesky factor of a square matrix, in place in its lower triangle; what is above is spoilt.
 *
 * @param between called between panels; what it throws ends the factorisation
 * @returns false where the matrix is not positive definite to working precision
 */
export function factorCholesky(
  kernels: Kernels,
  { pointer, columns: size }: TiledMatrix,
  between: () => void = () => {},
): boolean {
  for (let start = 0; start < size; start += PANEL) {
    between();
    if (kernels.choleskyPanel(pointer, size, start, PANEL) !== 0) return false;
  }
  return true;
}

/** Where entry (i, k) lies in `values`. */
export function placeOf(columns: number, i: number, k: number): number {
  return ((i >> 2) * columns + k) * 4 + (i & 3);
}

/**
 * X Xᵀ (by rows) or XᵀX (by columns), its lower triangle; rows and columns beyond the data are zero.
 */
export function gramOf(
  scratch: Scratch,
  data: ScaledRows,
  by: "rows" | "columns",
  between: () => void = () => {},
): TiledMatrix {
  const count = data.rows.length;
  const sides = by === "rows" ? count : data.columns;
  const eights = Math.ceil(sides / 8);
  const matrix = tiledMatrix(scratch, 8 * eights, 8 * eights);
  const kernels = kernelsOf(scratch.arena.handle());
  const line = new Float64Array(data.columns);
  if (by === "columns") {
    const pointer = scratch.allocate(4 * 8 * eights * DEPTH);
    const panel = scratch.arena.f32(pointer, 8 * eights * DEPTH);
    for (let start = 0; start < count; start += DEPTH) {
      between();
      panel.fill(0);
      for (let k = 0; k < Math.min(DEPTH, count - start); k++) {
        data.read(start + k, line);
        for (let c = 0; c < line.length; c++) panel[panelPlace(DEPTH, c, k)] = line[c];
      }
      kernels.addGram(pointer, eights, DEPTH, matrix.pointer);
    }
    return matrix;
  }
  // Rows are scaled once and kept as f32, panel by panel.
  const panels = Math.ceil(data.columns / DEPTH);
  const words = 8 * eights * DEPTH;
  const most = Math.max(1, Math.floor(2 ** 28 / (4 * words)));
  const pointer = scratch.allocate(4 * words * Math.min(most, panels));
  const all = scratch.arena.f32(pointer, words * Math.min(most, panels));
  for (let first = 0; first < panels; first += most) {
    const last = Math.min(panels, first + most);
    all.fill(0);
    for (let i = 0; i < count; i++) {
      data.read(i, line);
      for (let c = first * DEPTH; c < Math.min(last * DEPTH, line.length); c++) {
        const panel = Math.floor(c / DEPTH);
        all[(panel - first) * words + panelPlace(DEPTH, i, c % DEPTH)] = line[c];
      }
    }
    for (let panel = first; panel < last; panel++) {
      between();
      kernels.addGram(pointer + 4 * words * (panel - first), eights, DEPTH, matrix.pointer);
    }
  }
  return matrix;
}

function panelPlace(depth: number, i: number, k: number): number {
  return ((i >> 3) * depth + k) * 8 + (i & 7);
}
