/**
 * Log density of a Parzen estimator at a point: a log-sum-exp over kernels, which is where a
 * suggestion spends its time.
 *
 * With the normalising constants taken out, each dimension can only lower a kernel's term. So the
 * sum goes dimension by dimension over the kernels that still matter, and drops those that are
 * negligible beside the full term of the kernel that looks best so far. Most are gone after two
 * dimensions. What is dropped lies below the rounding error of the sum.
 */

import { fromUnit, gridPlaceOf, toUnit } from "./dimension.ts";
import { type KernelTable, UNKNOWN_PLACE } from "./kernel-table.ts";
import { logMass } from "./truncated-normal.ts";

/** A kernel e⁴⁰ times below the largest adds nothing to a double's 53 bits. */
const NEGLIGIBLE = 40;
/** Grids up to this size have the masses of their cells remembered. */
/** After this many dimensions the leader hardly changes. */
const LEADER_STEPS = 2;
/** So few kernels are not worth a search for their leader. */
const FEW = 16;
const LARGEST_REMEMBERED_GRID = 4096;

export class LogDensity {
  readonly #kernels: KernelTable;
  readonly #cellLow: Float64Array;
  readonly #cellHigh: Float64Array;
  /** The point's place on each linear grid, −1 on log grids. */
  readonly #place: Int32Array;
  readonly #logObserved: Float64Array;
  readonly #logOther: Float64Array;
  /**
   * Of each discrete dimension, for kernels of the smallest deviation: the log mass of the point's
   * cell by the distance on the grid (linear) or by the kernel's place (log); NaN = not yet known.
   */
  readonly #remembered: readonly (Float64Array | null)[];
  #term = new Float64Array(0);
  #alive = new Int32Array(0);

  constructor(kernels: KernelTable) {
    this.#kernels = kernels;
    this.#cellLow = new Float64Array(kernels.gridSizes.length);
    this.#cellHigh = new Float64Array(kernels.gridSizes.length);
    this.#place = new Int32Array(kernels.gridSizes.length);
    this.#logObserved = new Float64Array(kernels.categorical.length);
    this.#logOther = new Float64Array(kernels.categorical.length);
    this.#remembered = kernels.gridSizes.map((size) =>
      size <= LARGEST_REMEMBERED_GRID ? new Float64Array(size) : null,
    );
  }

  /**
   * @param points row-major, rows × dimensions
   * @returns one number a row
   */
  at(points: Float64Array): Float64Array {
    const kernels = this.#kernels;
    const width = kernels.dimensions.length;
    if (this.#term.length < kernels.count) {
      this.#term = new Float64Array(kernels.capacity);
      this.#alive = new Int32Array(kernels.capacity);
    }
    kernels.categoricalKernels.forEach(({ observed, other }, c) => {
      this.#logObserved[c] = Math.log(observed);
      this.#logOther[c] = Math.log(other);
    });
    for (const masses of this.#remembered) masses?.fill(Number.NaN);
    const result = new Float64Array(points.length / width);
    for (let i = 0; i < result.length; i++) {
      result[i] = this.#atPoint(points.subarray(i * width, (i + 1) * width));
    }
    return result;
  }

  #atPoint(point: Float64Array): number {
    const { count, continuous, numeric, categorical, dimensions } = this.#kernels;
    const term = this.#term;
    const alive = this.#alive;
    this.#setCells(point);
    let largest = this.#fullTerm(count - 1, point);
    let living = this.#start(largest - NEGLIGIBLE, point);
    for (let step = continuous > 0 ? 1 : 0; step < dimensions.length; step++) {
      if (step <= LEADER_STEPS && living > FEW) largest = this.#raise(largest, living, point);
      const floor = largest - NEGLIGIBLE;
      // Cheap dimensions first: continuous ones, choices, and then cells.
      if (step < continuous) living = this.#addContinuous(step, point[step], living, floor);
      else if (step < continuous + categorical.length) {
        const c = step - continuous;
        living = this.#addCategorical(c, point[numeric.length + c], living, floor);
      } else living = this.#addDiscrete(step - continuous - categorical.length, living, floor);
    }
    for (let a = 0; a < living; a++) if (term[alive[a]] > largest) largest = term[alive[a]];
    let sum = 0;
    for (let a = 0; a < living; a++) sum += Math.exp(term[alive[a]] - largest);
    return largest + Math.log(sum);
  }

  /** The terms of all kernels at their start, with the first dimension if it is continuous. */
  #start(floor: number, point: Float64Array): number {
    const { count, continuous, logConstant, mean, inverseDeviation } = this.#kernels;
    const term = this.#term;
    const alive = this.#alive;
    const x = point[0];
    const half = continuous > 0 ? 0.5 : 0;
    let kept = 0;
    for (let k = 0; k < count; k++) {
      const z = continuous > 0 ? (x - mean[k]) * inverseDeviation[k] : 0;
      const sum = logConstant[k] - half * z * z;
      term[k] = sum;
      alive[kept] = k;
      kept += sum >= floor ? 1 : 0;
    }
    return kept;
  }

  /** The full term of the kernel that looks best so far, if it is above `largest`. */
  #raise(largest: number, living: number, point: Float64Array): number {
    const term = this.#term;
    const alive = this.#alive;
    let leader = alive[0];
    for (let a = 1; a < living; a++) if (term[alive[a]] > term[leader]) leader = alive[a];
    return term[leader] > largest ? Math.max(largest, this.#fullTerm(leader, point)) : largest;
  }

  // Each `add…` adds one dimension to the terms of the first `living` kernels in `#alive`, keeps
  // those that reach the floor, and returns how many they are. Keeping has no branch to mispredict.

  #addContinuous(d: number, x: number, living: number, floor: number): number {
    const { mean, inverseDeviation, capacity } = this.#kernels;
    const term = this.#term;
    const alive = this.#alive;
    const base = d * capacity;
    let kept = 0;
    for (let a = 0; a < living; a++) {
      const k = alive[a];
      const z = (x - mean[base + k]) * inverseDeviation[base + k];
      const sum = term[k] - 0.5 * z * z;
      term[k] = sum;
      alive[kept] = k;
      kept += sum >= floor ? 1 : 0;
    }
    return kept;
  }

  #addCategorical(c: number, x: number, living: number, floor: number): number {
    const { choice, capacity, categorical } = this.#kernels;
    const term = this.#term;
    const alive = this.#alive;
    const base = c * capacity;
    const observed = this.#logObserved[c];
    const other = this.#logOther[c];
    const uniform = -Math.log(categorical[c].parameter.choices.length);
    let kept = 0;
    for (let a = 0; a < living; a++) {
      const k = alive[a];
      const held = choice[base + k];
      const sum = term[k] + (held === x ? observed : held < 0 ? uniform : other);
      term[k] = sum;
      alive[kept] = k;
      kept += sum >= floor ? 1 : 0;
    }
    return kept;
  }

  #addDiscrete(j: number, living: number, floor: number): number {
    const { gridPlace, capacity, mean, inverseDeviation, continuous, numeric } = this.#kernels;
    const term = this.#term;
    const alive = this.#alive;
    const remembered = this.#remembered[j];
    const ownPlace = this.#place[j];
    const cellLow = this.#cellLow[j];
    const cellHigh = this.#cellHigh[j];
    const base = (continuous + j) * capacity;
    let kept = 0;
    for (let a = 0; a < living; a++) {
      const k = alive[a];
      const low = (cellLow - mean[base + k]) * inverseDeviation[base + k];
      const high = (cellHigh - mean[base + k]) * inverseDeviation[base + k];
      // The mass of a cell is below exp(-z²/2) at the end nearest to the mean.
      const nearest = Math.max(low, -high, 0);
      if (term[k] - 0.5 * nearest * nearest < floor) continue;
      let place = gridPlace[j * capacity + k];
      if (place === UNKNOWN_PLACE) {
        place = gridPlaceOf(numeric[continuous + j], mean[base + k]);
        gridPlace[j * capacity + k] = place;
      }
      let logCell: number;
      if (remembered === null || place < 0) logCell = logMass(low, high);
      else {
        // On a linear grid the mass depends on the distance alone; on a log one, on the place.
        const index = ownPlace < 0 ? place : Math.abs(place - ownPlace);
        logCell = remembered[index];
        if (Number.isNaN(logCell)) {
          logCell = logMass(low, high);
          remembered[index] = logCell;
        }
      }
      term[k] += logCell;
      alive[kept] = k;
      kept += term[k] >= floor ? 1 : 0;
    }
    return kept;
  }

  #fullTerm(k: number, point: Float64Array): number {
    const { mean, inverseDeviation, capacity, continuous, numeric, choice, categorical } =
      this.#kernels;
    let term = this.#kernels.logConstant[k];
    for (let d = 0; d < continuous; d++) {
      const z = (point[d] - mean[d * capacity + k]) * inverseDeviation[d * capacity + k];
      term -= 0.5 * z * z;
    }
    for (let c = 0; c < categorical.length; c++) {
      const held = choice[c * capacity + k];
      if (held < 0) term -= Math.log(categorical[c].parameter.choices.length);
      else term += held === point[numeric.length + c] ? this.#logObserved[c] : this.#logOther[c];
    }
    for (let j = 0; j < numeric.length - continuous; j++) {
      const m = mean[(continuous + j) * capacity + k];
      const s = inverseDeviation[(continuous + j) * capacity + k];
      term += logMass((this.#cellLow[j] - m) * s, (this.#cellHigh[j] - m) * s);
    }
    return term;
  }

  /** The cells that the point's discrete coordinates lie in. */
  #setCells(point: Float64Array): void {
    const { numeric, continuous } = this.#kernels;
    for (let d = continuous; d < numeric.length; d++) {
      const value = fromUnit(numeric[d], point[d]);
      const half = (numeric[d].parameter.step ?? 1) / 2;
      this.#cellLow[d - continuous] = toUnit(numeric[d], value - half);
      this.#cellHigh[d - continuous] = toUnit(numeric[d], value + half);
      const isLog = numeric[d].parameter.log === true;
      this.#place[d - continuous] = isLog ? -1 : gridPlaceOf(numeric[d], point[d]);
      if (isLog) this.#remembered[d - continuous]?.fill(Number.NaN);
    }
  }
}
