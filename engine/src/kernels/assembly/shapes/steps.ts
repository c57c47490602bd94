/**
 * A step of one term of an additive model, from the sums of the gradients in its cells: of each bag and output a small
 * tree over the bins of a number or over two features, or every category's own step. Layouts as in `pass.ts`.
 */

import { stepCategories } from "./category-step";
import { at, put } from "./cell-sums";
import { CATEGORIES, NUMBER } from "./layout";
import { stepNumber } from "./number-step";
import { stepPair } from "./pair-step";

/**
 * Writes the steps of all bags and outputs, and adds them to the table.
 *
 * @returns what whole steps would bring: twice the fall of the loss's second-order expansion, over all bags and outputs
 * @param kind NUMBER (cells: bins and the missing one), CATEGORIES (likewise), PAIR (height × width)
 * @param covers f64 quads, (cell × groups + group): hessians of `shapePass` with COVERS, as `totals`, of one output
 * @param weighed whether hessians are the covers
 * @param scratch f64: 5 arrays of cells, then 3 of (height + 1) × (width + 1) and 8 segments
 */
export function shapeSteps(
  kind: i32,
  height: i32,
  width: i32,
  totals: usize,
  covers: usize,
  weighed: i32,
  table: usize,
  steps: usize,
  groups: i32,
  outputs: i32,
  rate: f64,
  l2: f64,
  leastRows: f64,
  smooth: f64,
  dispersion: f64,
  leaves: i32,
  monotone: i32,
  scratch: usize,
): f64 {
  let gain: f64 = 0;
  const cells = height * width;
  const array = usize(cells) << 3;
  const gradients = scratch;
  const hessians = scratch + array;
  const own = scratch + 2 * array;
  const values = scratch + 3 * array;
  const known = scratch + 4 * array;
  const rest = scratch + 5 * array;
  for (let group = 0; group < groups; group++) {
    for (let output = 0; output < outputs; output++) {
      for (let lane = 0; lane < 4; lane++) {
        for (let cell = 0; cell < cells; cell++) {
          const quad = usize((cell * groups + group) * outputs + output);
          const cover = load<f64>(covers + (usize(cell * groups + group) << 6) + 32 + (lane << 3));
          put(gradients, cell, load<f64>(totals + (quad << 6) + (lane << 3)));
          put(hessians, cell, weighed ? cover : load<f64>(totals + (quad << 6) + 32 + (lane << 3)));
          put(own, cell, cover);
          put(known, cell, f64(load<f32>(table + (quad << 4) + (lane << 2))));
        }
        if (kind === NUMBER) {
          stepNumber(
            cells,
            gradients,
            hessians,
            own,
            values,
            known,
            l2,
            leastRows,
            smooth,
            leaves,
            monotone,
            rest,
          );
        } else if (kind === CATEGORIES) {
          stepCategories(cells, gradients, hessians, values, known, dispersion);
        } else {
          stepPair(height, width, gradients, hessians, own, values, l2, leastRows, rest);
        }
        for (let cell = 0; cell < cells; cell++) {
          const quad = usize((cell * groups + group) * outputs + output);
          const place = (quad << 4) + (usize(lane) << 2);
          gain -= at(gradients, cell) * at(values, cell);
          const step = f32(rate * at(values, cell));
          store<f32>(steps + place, step);
          store<f32>(table + place, load<f32>(table + place) + step);
        }
      }
    }
  }
  return gain;
}
