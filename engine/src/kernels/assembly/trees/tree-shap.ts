/**
 * Path-dependent TreeSHAP in time linear in (rows × nodes), by Gauss-Legendre quadrature.
 *
 * For one leaf with value v, whose path tests the distinct features e with cover ratio z_e and
 * o_e = 1 where the row follows every test of e (else 0), the Shapley value of feature i is
 *
 *     v (o_i - z_i) ∫₀¹ Π_{e ≠ i} (t o_e + (1 - t) z_e) dt
 *
 * (Owen's multilinear form of the sum over subsets in Lundberg, Erion & Lee 2018, algorithm 1).
 * The integrand is a polynomial in t, so ⌈n / 2⌉ quadrature points are exact for n features, and
 * all its factors are positive, so nothing cancels. As in Linear TreeSHAP (Yu et al. 2022), the
 * products are kept per point on the way down, summed over leaves on the way up, and each edge
 * takes its part by one dot product.
 *
 * Of one tree, `planPaths` first lays out the nodes in preorder, each with the edge that enters
 * it. Two factors (one f64 a point) belong to an edge, for feature i whose ratio was z' before it
 * and is z after it, and to what a row does there. State: 0 = the row follows the edge and all
 * earlier ones of i; 1 = it leaves i's path here; 2 = it had left before.
 *   descend: what the product is multiplied by; collect: the dot product's weights.
 * For many rows the factors of all states are laid out in tables once; for few they are computed
 * where a row needs them, by the same function, so that both give the same bits.
 */

import { goesRight } from "./traverse";
import {
  EDGE_FEATURE,
  LEAF,
  PARENT,
  PREVIOUS,
  RECORD,
  SIDE,
  SPLIT,
  SPLIT_FEATURE,
} from "./tree-shap-plan";

export { planPaths } from "./tree-shap-plan";

/** The factors of one edge in one state, a pair of points at a time. */
function edgeFactors(
  state: i32,
  z: f64,
  before: f64,
  points: usize,
  weights: usize,
  size: usize,
  descend: usize,
  collect: usize,
): void {
  const one = f64x2.splat(1);
  const zero = f64x2.splat(0);
  const ratio = f64x2.splat(z);
  const ratioBefore = f64x2.splat(before);
  const shrink = f64x2.splat(before > 0 ? z / before : 0);
  for (let q: usize = 0; q < size; q += 16) {
    if (state === 2) {
      v128.store(descend + q, shrink);
      v128.store(collect + q, zero);
      continue;
    }
    const t = v128.load(points + q);
    const s = f64x2.sub(one, t);
    const factorBefore = f64x2.add(t, f64x2.mul(s, ratioBefore));
    const shareBefore = f64x2.div(f64x2.sub(one, ratioBefore), factorBefore);
    const kept = f64x2.mul(s, ratio);
    const factor = f64x2.add(t, kept);
    const followed = state === 0;
    v128.store(descend + q, f64x2.div(followed ? factor : kept, factorBefore));
    const share = followed
      ? f64x2.div(f64x2.sub(one, ratio), factor)
      : f64x2.div(f64x2.splat(-1), s);
    v128.store(collect + q, f64x2.mul(v128.load(weights + q), f64x2.sub(share, shareBefore)));
  }
}

/**
 * Fills the tables of one tree.
 *
 * @param points f64 × count: t in (0, 1); @param weights f64 × count
 * @param tables nodes × 6 × count f64: descend of states 0, 1, 2, then collect
 */
export function treeShapTables(
  nodes: i32,
  records: usize,
  ratios: usize,
  points: usize,
  weights: usize,
  count: i32,
  tables: usize,
): void {
  const size = (<usize>count) << 3;
  for (let node: usize = 1; node < <usize>nodes; node++) {
    const z = load<f64>(ratios + (node << 3));
    const previous = <usize>load<i32>(records + node * RECORD, PREVIOUS);
    const before = load<f64>(ratios + (previous << 3));
    const table = tables + node * 6 * size;
    for (let state = 0; state < 3; state++) {
      const own = table + <usize>state * size;
      edgeFactors(state, z, before, points, weights, size, own, own + 3 * size);
    }
  }
}

/**
 * Adds one tree's contributions for a list of rows.
 *
 * @param sets the ensemble's category sets
 * @param tables as `treeShapTables` filled them; or, where `direct`, room for nodes × 2 × count f64
 * @param leafValues f64 a (leaf, value), leaves numbered by the records
 * @param values values a leaf holds; value c is added to output `output + c`
 * @param rows u32 × rowCount: rows of `data`
 * @param scratch (2 × nodes × count + nodes) f64
 * @param out rowCount × features × outputs f64
 */
export function treeShapRows(
  nodes: i32,
  records: usize,
  sets: usize,
  ratios: usize,
  points: usize,
  weights: usize,
  count: i32,
  tables: usize,
  direct: i32,
  leafValues: usize,
  values: i32,
  output: i32,
  data: usize,
  rowStride: usize,
  rows: usize,
  rowCount: i32,
  scratch: usize,
  out: usize,
  features: i32,
  outputs: i32,
): void {
  const size = (<usize>count) << 3;
  const products = scratch;
  const sums = products + <usize>nodes * size;
  /** Low word: the edge's state. High word: 1 where the row goes left at the node. */
  const states = sums + <usize>nodes * size;
  const outRow = (<usize>features * <usize>outputs) << 3;
  const outFeature = (<usize>outputs) << 3;
  for (let q: usize = 0; q < size; q += 8) store<f64>(products + q, 1);
  for (let r: usize = 0; r < <usize>rowCount; r++) {
    const cells = data + <usize>load<u32>(rows + (r << 2)) * rowStride;
    follow(nodes, records, sets, cells, states);
    if (direct) factorsOfRow(nodes, records, ratios, points, weights, size, states, tables);
    descend(nodes, records, tables, direct, size, products, states);
    const target = out + r * outRow + ((<usize>output) << 3);
    for (let c: usize = 0; c < <usize>values; c++) {
      collect(
        nodes,
        records,
        tables,
        direct,
        size,
        leafValues + (c << 3),
        (<usize>values) << 3,
        products,
        sums,
        states,
        target + (c << 3),
        outFeature,
      );
    }
  }
}

/** What a row does at each node. */
function follow(nodes: i32, records: usize, sets: usize, cells: usize, states: usize): void {
  for (let node: usize = 0; node < <usize>nodes; node++) {
    const record = records + node * RECORD;
    let state = 0;
    if (node > 0) {
      const parent = (<usize>load<i32>(record, PARENT)) << 3;
      const follows = load<i32>(states + parent, 4) === load<i32>(record, SIDE);
      const before = load<i32>(states + ((<usize>load<i32>(record, PREVIOUS)) << 3));
      state = before === 0 ? <i32>!follows : 2;
    }
    store<i32>(states + (node << 3), state);
    if (load<i32>(record, LEAF) < 0) {
      const right = goesRight(
        load<i32>(record, SPLIT_FEATURE),
        load<i32>(record, SPLIT),
        cells,
        sets,
      );
      store<i32>(states + (node << 3), right ^ 1, 4);
    }
  }
}

function factorsOfRow(
  nodes: i32,
  records: usize,
  ratios: usize,
  points: usize,
  weights: usize,
  size: usize,
  states: usize,
  factors: usize,
): void {
  for (let node: usize = 1; node < <usize>nodes; node++) {
    const previous = <usize>load<i32>(records + node * RECORD, PREVIOUS);
    const own = factors + node * 2 * size;
    edgeFactors(
      load<i32>(states + (node << 3)),
      load<f64>(ratios + (node << 3)),
      load<f64>(ratios + (previous << 3)),
      points,
      weights,
      size,
      own,
      own + size,
    );
  }
}

function descend(
  nodes: i32,
  records: usize,
  tables: usize,
  direct: i32,
  size: usize,
  products: usize,
  states: usize,
): void {
  for (let node: usize = 1; node < <usize>nodes; node++) {
    const state = <usize>load<i32>(states + (node << 3));
    const table = tables + (direct ? node * 2 : node * 6 + state) * size;
    const from = products + <usize>load<i32>(records + node * RECORD, PARENT) * size;
    const to = products + node * size;
    for (let q: usize = 0; q < size; q += 16) {
      v128.store(to + q, f64x2.mul(v128.load(from + q), v128.load(table + q)));
    }
  }
}

function collect(
  nodes: i32,
  records: usize,
  tables: usize,
  direct: i32,
  size: usize,
  leafValues: usize,
  leafStride: usize,
  products: usize,
  sums: usize,
  states: usize,
  target: usize,
  outFeature: usize,
): void {
  for (let node: usize = <usize>nodes - 1; node > 0; node--) {
    const record = records + node * RECORD;
    const own = sums + node * size;
    const leaf = load<i32>(record, LEAF);
    if (leaf >= 0) {
      const value = f64x2.splat(load<f64>(leafValues + <usize>leaf * leafStride));
      const product = products + node * size;
      for (let q: usize = 0; q < size; q += 16) {
        v128.store(own + q, f64x2.mul(value, v128.load(product + q)));
      }
    }
    const state = <usize>load<i32>(states + (node << 3));
    const table = tables + (direct ? node * 2 + 1 : node * 6 + 3 + state) * size;
    const up = sums + <usize>load<i32>(record, PARENT) * size;
    let dot = f64x2.splat(0);
    // Nodes are in preorder, so going backwards the right child comes first and opens the sum.
    if (load<i32>(record, SIDE)) {
      for (let q: usize = 0; q < size; q += 16) {
        const sum = v128.load(own + q);
        v128.store(up + q, f64x2.add(v128.load(up + q), sum));
        dot = f64x2.add(dot, f64x2.mul(sum, v128.load(table + q)));
      }
    } else {
      for (let q: usize = 0; q < size; q += 16) {
        const sum = v128.load(own + q);
        v128.store(up + q, sum);
        dot = f64x2.add(dot, f64x2.mul(sum, v128.load(table + q)));
      }
    }
    const cell = target + <usize>load<i32>(record, EDGE_FEATURE) * outFeature;
    store<f64>(cell, load<f64>(cell) + f64x2.extract_lane(dot, 0) + f64x2.extract_lane(dot, 1));
  }
}
