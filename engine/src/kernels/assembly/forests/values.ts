/**
 * What the nodes of a grown tree of a forest hold, in the units of the data, from the sums of their rows.
 *
 * Leaves are means under hierarchical shrinkage (Agarwal, Tan, Ronen, Singh & Yu 2022, eq. 3): a node's mean
 * moves from its parent's towards its own by 1 / (1 + λ / weight of the parent), from the root down.
 */

import { pointer } from "./best-split";
import {
  CENTER,
  CLASSES,
  GAIN_SCALE,
  OUT_COVER,
  OUT_FEATURE,
  OUT_GAIN,
  OUT_LEFT,
  OUT_RIGHT,
  OUT_SUMS,
  OUT_VALUES,
  PRODUCT_SCALE,
  SHRINKAGE,
  WEIGHT_SCALE,
  WIDTH,
} from "./layout";

/** From the sums of a node to its means, in their place; returns its weight. */
function takeMeans(p: usize, sums: usize): f64 {
  const classes = load<i32>(p, CLASSES);
  if (classes === 0) {
    const weight = load<f64>(sums) / load<f64>(p, WEIGHT_SCALE);
    const mean = load<f64>(sums, 8) / load<f64>(p, PRODUCT_SCALE) / weight;
    store<f64>(sums, load<f64>(p, CENTER) + mean);
    return weight;
  }
  let total: f64 = 0;
  for (let c: usize = 0; c < usize(classes); c++) total += load<f64>(sums + (c << 3));
  for (let c: usize = 0; c < usize(classes); c++) {
    const at = sums + (c << 3);
    store<f64>(at, load<f64>(at) / total);
  }
  return total / load<f64>(p, WEIGHT_SCALE);
}

/** Writes values and covers of all nodes, and scales their gains. Only leaves keep their values. */
export function writeValues(p: usize, nodes: i32): void {
  const outputs = usize(max(1, load<i32>(p, CLASSES)));
  const step = pointer(p, WIDTH) << 3;
  const sums = pointer(p, OUT_SUMS);
  const cover = pointer(p, OUT_COVER);
  const values = pointer(p, OUT_VALUES);
  const gains = pointer(p, OUT_GAIN);
  const gainScale = load<f64>(p, GAIN_SCALE);
  for (let node: usize = 0; node < usize(nodes); node++) {
    store<f64>(cover + (node << 3), takeMeans(p, sums + node * step));
    const gain = gains + (node << 3);
    store<f64>(gain, load<f64>(gain) * gainScale);
    for (let k: usize = 0; k < outputs; k++) {
      store<f64>(values + ((node * outputs + k) << 3), load<f64>(sums + node * step + (k << 3)));
    }
  }
  const shrinkage = load<f64>(p, SHRINKAGE);
  // Parents come before their children, so a parent's value is final when it is passed on.
  for (let node: usize = 0; node < usize(nodes); node++) {
    if (load<i32>(pointer(p, OUT_FEATURE) + (node << 2)) < 0) continue;
    const left = usize(load<i32>(pointer(p, OUT_LEFT) + (node << 2)));
    const right = usize(load<i32>(pointer(p, OUT_RIGHT) + (node << 2)));
    const keep: f64 = 1.0 / (1.0 + shrinkage / load<f64>(cover + (node << 3)));
    for (let k: usize = 0; k < outputs; k++) {
      const at = values + ((node * outputs + k) << 3);
      if (shrinkage !== 0) {
        const mean = load<f64>(sums + node * step + (k << 3));
        const value = load<f64>(at);
        const ofLeft = load<f64>(sums + left * step + (k << 3)) - mean;
        const ofRight = load<f64>(sums + right * step + (k << 3)) - mean;
        store<f64>(values + ((left * outputs + k) << 3), value + keep * ofLeft);
        store<f64>(values + ((right * outputs + k) << 3), value + keep * ofRight);
      }
      store<f64>(at, 0);
    }
  }
}
