/** Signatures of the kernels of linear models: `kernels/assembly/linear`. */

import type { Pointer } from "./arena.ts";

export interface LinearKernels {
  addLinearTerm(
    kind: number,
    cells: Pointer,
    finite: number,
    count: number,
    block: Pointer,
    columns: number,
    knotCount: number,
    outputs: number,
    design: Pointer,
    sums: Pointer,
    stride: number,
  ): void;
  addColumns(from: Pointer, to: Pointer, bytes: number): void;
  writeTransformed(
    kind: number,
    cells: Pointer,
    count: number,
    knots: Pointer,
    knotCount: number,
    out: Pointer,
    stride: number,
  ): void;
  columnMoments(
    cells: Pointer,
    column: Pointer,
    shares: Pointer,
    count: number,
    out: Pointer,
  ): void;
  writeStandardised(
    cells: Pointer,
    column: Pointer,
    count: number,
    mean: number,
    deviation: number,
    out: Pointer,
    single: number,
  ): void;
  designMargins(
    rows: number,
    single: number,
    count: number,
    columns: Pointer,
    coefficients: Pointer,
    out: Pointer,
  ): void;
  designSums(
    rows: number,
    single: number,
    count: number,
    columns: Pointer,
    slopes: Pointer,
    sums: Pointer,
  ): void;
  columnSquares(rows: number, single: number, column: Pointer, shares: Pointer): number;
  packDesign(
    rows: number,
    single: number,
    count: number,
    columns: Pointer,
    skipped: number,
    roots: Pointer,
    panel: Pointer,
  ): void;
  logisticSlopes(
    count: number,
    margins: Pointer,
    shares: Pointer,
    targets: Pointer,
    slopes: Pointer,
  ): number;
  multinomialMargins(
    rows: number,
    lanes: number,
    depth: number,
    dense: Pointer,
    weights: Pointer,
    sources: number,
    codes: Pointer,
    tables: Pointer,
    base: Pointer,
    out: Pointer,
  ): void;
  multinomialSums(
    rows: number,
    lanes: number,
    depth: number,
    dense: Pointer,
    weights: Pointer,
    sources: number,
    codes: Pointer,
    tables: Pointer,
    base: Pointer,
    slopes: Pointer,
  ): void;
  multinomialLoss(
    rows: number,
    lanes: number,
    classes: number,
    margins: Pointer,
    shares: Pointer,
    labels: Pointer,
    soft: number,
    slopes: Pointer,
    scratch: Pointer,
  ): number;
  choleskyPanel(matrix: Pointer, size: number, start: number, width: number): number;
  solveRows(x: Pointer, groups: number, factor: Pointer, size: number, unit: number): void;
  solveRowsBack(x: Pointer, groups: number, factor: Pointer, size: number): void;
  rowSquares(x: Pointer, groups: number, columns: number, out: Pointer): void;
  subtractGram(panel: Pointer, groups: number, depth: number, matrix: Pointer): void;
  addGram(panel: Pointer, eights: number, depth: number, matrix: Pointer): void;
}
