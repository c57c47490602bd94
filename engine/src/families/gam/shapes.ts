/** Shape functions: what each term of an additive model says of each of its cells. */

import { Arena } from "../../compute/arena.ts";
import type { BinnedData, EncodedData } from "../../data/encoded.ts";
import { asShares } from "../importance-shares.ts";
import type { ShapeFunction, ShapeTerm } from "../shape-function.ts";

export type Term = ShapeTerm;
export type Shape = ShapeFunction;

export const cellsOf = ({ height, width }: Term): number => height * width;

/** The cell of each row. @param rows of the data; null = all */
export function termCells(
  data: EncodedData,
  binned: BinnedData,
  { features, lines, width }: Term,
  rows: Uint32Array | null,
): Uint16Array {
  const arena = Arena.attach(data.arena);
  const count = rows?.length ?? data.rows;
  const cells = new Uint16Array(count);
  const [first, second] = features.map((feature) =>
    arena.u8(binned.columnMajor + feature * binned.columnStride, data.rows),
  );
  if (second === undefined) {
    for (let i = 0; i < count; i++) cells[i] = first[rows ? rows[i] : i];
    return cells;
  }
  const [down, across] = lines;
  for (let i = 0; i < count; i++) {
    const row = rows ? rows[i] : i;
    cells[i] = down[first[row]] * width + across[second[row]];
  }
  return cells;
}

/** Rounds in which means are moved out of pairs; each leaves a small part of what was there. */
const MOST_ROUNDS = 60;
const SMALL = 1e-10;

/**
 * Moves what the pairs say of one of their features alone into that feature's own shape, until a pair's means along
 * both are 0 over the learned rows, and what shapes say of all rows into the base: predictions stay, and terms mean
 * what they seem to (Lengerich, Tan, Chang, Hooker & Caruana, "Purifying interaction effects with the functional
 * ANOVA", AISTATS 2020). Changes the shapes' values and the base.
 *
 * @param shapes those of single features by `mains`, which has one for every feature of a pair
 */
export function purify(
  mains: ReadonlyMap<number, Shape>,
  pairs: readonly Shape[],
  base: Float64Array,
): void {
  for (const pair of pairs) {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const moved = Math.max(moveMeans(pair, 0, mains), moveMeans(pair, 1, mains));
      if (moved < SMALL) break;
    }
  }
  for (const shape of [...mains.values(), ...pairs]) centre(shape, base);
}

/** @returns the largest mean that was moved */
function moveMeans(pair: Shape, side: 0 | 1, mains: ReadonlyMap<number, Shape>): number {
  const main = mains.get(pair.features[side]);
  if (main === undefined) throw new Error("A pair reads a feature that has no shape of its own.");
  const { height, width, values, covers } = pair;
  const outputs = values.length / covers.length;
  const count = side === 0 ? height : width;
  const along = side === 0 ? width : height;
  const lines = pair.lines[side];
  let largest = 0;
  for (let line = 0; line < count; line++) {
    const cellAt = (i: number): number => (side === 0 ? line * width + i : i * width + line);
    let total = 0;
    for (let i = 0; i < along; i++) total += covers[cellAt(i)];
    if (!(total > 0)) continue;
    for (let k = 0; k < outputs; k++) {
      let mean = 0;
      for (let i = 0; i < along; i++) {
        mean += covers[cellAt(i)] * values[cellAt(i) * outputs + k];
      }
      mean /= total;
      largest = Math.max(largest, Math.abs(mean));
      for (let i = 0; i < along; i++) values[cellAt(i) * outputs + k] -= mean;
      for (const [bin, own] of lines.entries()) {
        if (own === line) main.values[bin * outputs + k] += mean;
      }
    }
  }
  return largest;
}

function centre({ values, covers }: Shape, base: Float64Array): void {
  const outputs = base.length;
  let total = 0;
  for (const cover of covers) total += cover;
  if (!(total > 0)) return;
  for (let k = 0; k < outputs; k++) {
    let mean = 0;
    for (const [cell, cover] of covers.entries()) mean += cover * values[cell * outputs + k];
    mean /= total;
    for (let at = k; at < values.length; at += outputs) values[at] -= mean;
    base[k] += mean;
  }
}

/** How much each feature's terms move the margins: mean sizes over the learned rows, a pair's by halves. */
export function shapeImportance(shapes: readonly Shape[], features: number): Float64Array {
  const sizes = new Float64Array(features);
  for (const shape of shapes) {
    for (const feature of shape.features) sizes[feature] += sizeOf(shape) / shape.features.length;
  }
  return asShares(sizes);
}

/** Mean absolute value over the learned rows and the outputs. */
export function sizeOf({ values, covers }: Shape): number {
  const outputs = values.length / covers.length;
  let sum = 0;
  let total = 0;
  for (const [cell, cover] of covers.entries()) {
    total += cover;
    for (let k = 0; k < outputs; k++) sum += cover * Math.abs(values[cell * outputs + k]);
  }
  return total > 0 ? sum / (total * outputs) : 0;
}
