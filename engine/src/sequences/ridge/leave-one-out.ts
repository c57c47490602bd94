/**
 * Ridge regression at one λ, with what it would predict for each row had that row been left out
 * (Allen 1974; Golub, Heath & Wahba 1979, §1): the residual over 1 - hᵢᵢ, H the matrix that maps
 * targets to fitted values. Rows are centred and multiplied by √w, so that the intercept is one more
 * column u = √w / ‖√w‖ without penalty.
 *
 * With fewer rows than columns, K = XXᵀ: I - H = λ (K + λI)⁻¹ - uuᵀ, coefficients = Xᵀ(K + λI)⁻¹y.
 * There Ku = 0, so that for small λ two numbers near 1 / n are subtracted. K + cuuᵀ in place of K, c
 * the mean of the diagonal, changes nothing but the last term, to uuᵀ λ / (λ + c), and loses nothing.
 * Else, G = XᵀX: hᵢᵢ = ‖L⁻¹xᵢ‖² + uᵢ², LLᵀ = G + λI, coefficients = (G + λI)⁻¹Xᵀy.
 * A Cholesky factor a λ serves both (two thirds n³ operations with all hᵢᵢ, as against several n³ of
 * an eigendecomposition).
 */

import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import type { Scratch } from "../../compute/scratch.ts";
import type { ScaledRows } from "./scaled-rows.ts";
import { factorCholesky, gramOf, placeOf, type TiledMatrix, tiledMatrix } from "./tiled-matrix.ts";

/** Rows that are solved for at once. */
const CHUNK = 256;
/** Below it a row determines its own fitted value, and nothing is known of it without it. */
const LEAST_FREEDOM = 1e-12;

export interface RidgeAtLambda {
  /** Weighted mean of the squares of `residuals` of the rows that tell anything, over outputs, too. */
  readonly loss: number;
  /** Row-major, rows × outputs: target minus what the fit without the row predicts. */
  readonly residuals: Float64Array;
  /** (K + λI)⁻¹y, rows × outputs; or the coefficients, columns × outputs. */
  readonly solution: Float64Array;
}

export class RidgeSystem {
  readonly dual: boolean;
  readonly #data: ScaledRows;
  readonly #outputs: number;
  /** Centred and times √w; row-major, rows × outputs. */
  readonly #targets: Float64Array;
  readonly #unit: Float64Array;
  readonly #gram: TiledMatrix;
  /** c; 0 by columns. */
  readonly #raised: number;
  readonly #work: TiledMatrix;
  readonly #right: TiledMatrix;
  readonly #known: Float64Array;
  readonly #chunk: TiledMatrix;
  readonly #kernels: Kernels;
  readonly #squares: Float64Array;
  readonly #squaresAt: number;
  readonly #between: () => void;

  /** @param targets row-major, rows × outputs, centred by their weighted means */
  constructor(
    scratch: Scratch,
    data: ScaledRows,
    targets: Float64Array,
    outputs: number,
    between: () => void = () => {},
  ) {
    this.#between = between;
    const rows = data.rows.length;
    this.#data = data;
    this.#outputs = outputs;
    this.#kernels = kernelsOf(scratch.arena.handle());
    this.dual = rows <= data.columns;
    const norm = Math.sqrt(data.roots.reduce((sum, root) => sum + root * root, 0));
    this.#unit = data.roots.map((root) => root / norm);
    this.#targets = targets.map((target, i) => target * data.roots[Math.floor(i / outputs)]);
    this.#gram = gramOf(scratch, data, this.dual ? "rows" : "columns", between);
    this.#raised = this.dual ? raiseAlong(this.#gram, this.#unit) : 0;
    const size = this.#gram.rows;
    this.#work = tiledMatrix(scratch, size, size);
    this.#right = tiledMatrix(scratch, 4 * Math.ceil(outputs / 4), size);
    this.#chunk = tiledMatrix(scratch, CHUNK, size);
    this.#squaresAt = scratch.allocate(8 * CHUNK);
    this.#squares = scratch.arena.f64(this.#squaresAt, CHUNK);
    this.#known = this.#rightSide();
  }

  /** Null where K + λI or G + λI is singular to working precision. */
  at(lambda: number): RidgeAtLambda | null {
    const size = this.#gram.rows;
    this.#work.values.set(this.#gram.values);
    for (let i = 0; i < size; i++) this.#work.values[placeOf(size, i, i)] += lambda;
    if (!factorCholesky(this.#kernels, this.#work, this.#between)) return null;
    this.#right.values.set(this.#known);
    const groups = this.#right.rows / 4;
    this.#kernels.solveRows(this.#right.pointer, groups, this.#work.pointer, size, -1);
    this.#kernels.solveRowsBack(this.#right.pointer, groups, this.#work.pointer, size);
    const sides = this.dual ? this.#data.rows.length : this.#data.columns;
    const solution = new Float64Array(sides * this.#outputs);
    for (let i = 0; i < sides; i++) {
      for (let o = 0; o < this.#outputs; o++) {
        solution[i * this.#outputs + o] = this.#right.values[placeOf(size, o, i)];
      }
    }
    const residuals = this.dual
      ? this.#dualResiduals(lambda, solution)
      : this.#primalResiduals(solution);
    const { roots, tells } = this.#data;
    let [loss, total] = [0, 0];
    for (const [i, residual] of residuals.entries()) {
      const row = Math.floor(i / this.#outputs);
      if (tells !== null && !tells[row]) continue;
      loss += residual * residual;
      total += roots[row] ** 2;
    }
    for (let i = 0; i < residuals.length; i++) residuals[i] /= roots[Math.floor(i / this.#outputs)];
    return { loss: loss / total, residuals, solution };
  }

  /** Targets by rows, or Xᵀ times them. */
  #rightSide(): Float64Array {
    const outputs = this.#outputs;
    const { rows, columns } = this.#data;
    const size = this.#gram.rows;
    const known = new Float64Array(this.#right.values.length);
    if (this.dual) {
      for (let i = 0; i < this.#targets.length; i++) {
        known[placeOf(size, i % outputs, Math.floor(i / outputs))] = this.#targets[i];
      }
      return known;
    }
    const line = new Float64Array(columns);
    for (let i = 0; i < rows.length; i++) {
      this.#data.read(i, line);
      for (let o = 0; o < outputs; o++) {
        const target = this.#targets[i * outputs + o];
        for (let c = 0; c < columns; c++) known[placeOf(size, o, c)] += target * line[c];
      }
    }
    return known;
  }

  #dualResiduals(lambda: number, solution: Float64Array): Float64Array {
    const residuals = new Float64Array(solution.length);
    const size = this.#gram.rows;
    const { values } = this.#chunk;
    for (let start = 0; start < this.#data.rows.length; start += CHUNK) {
      values.fill(0);
      const count = Math.min(CHUNK, size - start);
      for (let i = 0; i < count; i++) values[placeOf(size, i, start + i)] = 1;
      this.#solveChunk(count, start);
      this.#residualsOf(
        start,
        (i, o) => ({
          residual: lambda * solution[i * this.#outputs + o],
          freedom:
            lambda * (this.#squares[i - start] - this.#unit[i] ** 2 / (lambda + this.#raised)),
        }),
        residuals,
      );
    }
    return residuals;
  }

  #primalResiduals(solution: Float64Array): Float64Array {
    const outputs = this.#outputs;
    const { rows, columns } = this.#data;
    const residuals = new Float64Array(rows.length * outputs);
    const size = this.#gram.rows;
    const line = new Float64Array(columns);
    const fitted = new Float64Array(CHUNK * outputs);
    const { values } = this.#chunk;
    for (let start = 0; start < rows.length; start += CHUNK) {
      values.fill(0);
      fitted.fill(0);
      const count = Math.min(CHUNK, rows.length - start);
      for (let i = 0; i < count; i++) {
        this.#data.read(start + i, line);
        for (let c = 0; c < columns; c++) {
          values[placeOf(size, i, c)] = line[c];
          for (let o = 0; o < outputs; o++) {
            fitted[i * outputs + o] += line[c] * solution[c * outputs + o];
          }
        }
      }
      this.#solveChunk(count, -1);
      this.#residualsOf(
        start,
        (i, o) => ({
          residual: this.#targets[i * outputs + o] - fitted[(i - start) * outputs + o],
          freedom: 1 - this.#squares[i - start] - this.#unit[i] ** 2,
        }),
        residuals,
      );
    }
    return residuals;
  }

  /** The squared lengths of L⁻¹ times the chunk's rows. */
  #solveChunk(count: number, unit: number): void {
    const groups = Math.ceil(count / 4);
    const size = this.#gram.rows;
    const { pointer } = this.#chunk;
    this.#between();
    this.#kernels.solveRows(pointer, groups, this.#work.pointer, size, unit);
    this.#kernels.rowSquares(pointer, groups, size, this.#squaresAt);
  }

  #residualsOf(
    start: number,
    of: (i: number, o: number) => { residual: number; freedom: number },
    out: Float64Array,
  ): void {
    const end = Math.min(start + CHUNK, this.#data.rows.length);
    for (let i = start; i < end; i++) {
      for (let o = 0; o < this.#outputs; o++) {
        const { residual, freedom } = of(i, o);
        // Without the row there is nothing but the mean of the others, which is near 0.
        const at = i * this.#outputs + o;
        out[at] = freedom > LEAST_FREEDOM ? residual / freedom : this.#targets[at];
      }
    }
  }
}

/** Lower triangle: rounding's share of u in K is taken out, and c uuᵀ added; c is given. */
function raiseAlong(gram: TiledMatrix, unit: Float64Array): number {
  const { columns, values } = gram;
  const product = new Float64Array(unit.length);
  let diagonal = 0;
  for (let i = 0; i < unit.length; i++) {
    for (let k = 0; k <= i; k++) {
      const value = values[placeOf(columns, i, k)];
      product[i] += value * unit[k];
      if (k < i) product[k] += value * unit[i];
      else diagonal += value;
    }
  }
  const raised = diagonal / unit.length || 1;
  const own = product.reduce((sum, value, i) => sum + value * unit[i], 0);
  for (let i = 0; i < unit.length; i++) {
    for (let k = 0; k <= i; k++) {
      values[placeOf(columns, i, k)] +=
        (own + raised) * unit[i] * unit[k] - unit[i] * product[k] - product[i] * unit[k];
    }
  }
  return raised;
}
