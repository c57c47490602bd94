/**
 * The scores of rows by the trees that a fit has so far: to the bits that the fit gave them, since it added the same
 * values in the same order.
 */

import { Arena } from "../../compute/arena.ts";
import { besidePeak } from "../../compute/scratch.ts";
import type { EncodedData } from "../../data/encoded.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import { predictTrees } from "../../trees/predictor.ts";
import type { BoostingState } from "./row-work.ts";

/** Rows at once, so that little memory is held beside the fit's. */
const ROWS = 2 ** 17;

export function restoreScores(
  { scores, rows, outputs }: BoostingState,
  data: EncodedData,
  trees: TreeEnsemble,
  base: Float64Array,
  listed: Uint32Array,
): void {
  besidePeak(() => {
    for (let first = 0; first < listed.length; first += ROWS) {
      const piece = listed.slice(first, first + ROWS);
      const sums = predictTrees(trees, data, piece, base);
      const all = Arena.attach(data.arena).f64(scores, rows * outputs);
      piece.forEach((row, i) => {
        for (let k = 0; k < outputs; k++) all[k * rows + row] = sums[i * outputs + k];
      });
    }
  });
}
