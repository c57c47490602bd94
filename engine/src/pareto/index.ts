/** Sweeps over weights of several metrics, and the front of models that they lead to. */

export { type Front, keepFront, REFERENCE } from "./front.ts";
export { type LossRange, rangeOfFront, spanOf, withoutUndefined } from "./loss-range.ts";
export { divisionsOf, latticeSize, simplexLattice } from "./simplex-lattice.ts";
export { blendsUnder, type Sweep, sweepBlends, sweepWinners } from "./sweep.ts";
