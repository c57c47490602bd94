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

/** Bytes of a node's record in the plan. */
const RECORD: usize = 40;
const PARENT: usize = 0;
/** The nearest node above entered by an edge of the same feature; 0 where there is none. */
const PREVIOUS: usize = 4;
const EDGE_FEATURE: usize = 8;
/** 1 where the edge goes left. */
const SIDE: usize = 12;
/** As in the records of traverse.ts. */
const SPLIT_FEATURE: usize = 16;
const SPLIT: usize = 20;
/** The leaf's number; -1 for inner nodes. */
const LEAF: usize = 24;
/** Nodes above it. */
const DEPTH: usize = 28;
/** Distinct features on its path. */
const DISTINCT: usize = 32;

/** Bytes of a visit that is due: node of the ensemble, parent in the plan, side, share of weight. */
const VISIT: usize = 24;

/**
 * Plans one tree.
 *
 * @param root the root's number in the ensemble
 * @param source the ensemble's records (see traverse.ts); @param cover f64 a node of it
 * @param leafValues f64 a (leaf, value)
 * @param latest i32 × features; @param path i32 × nodes; @param reach f64 × nodes
 * @param stack 24 bytes × (nodes + 1)
 * @param records the plan; @param ratios f64 × nodes: z of the edge's feature at the node
 * @param expected f64 × values: the mean of the leaves, each weighted by the shares on its path,
 *   is added
 * @returns the most distinct features on one path
 */
export function planPaths(
  root: i32,
  source: usize,
  cover: usize,
  leafValues: usize,
  values: i32,
  latest: usize,
  features: i32,
  path: usize,
  reach: usize,
  stack: usize,
  records: usize,
  ratios: usize,
  expected: usize,
): i32 {
  memory.fill(latest, 0, (<usize>features) << 2);
  let next = 0;
  let most = 0;
  let top = due(stack, root, -1, 0, 1);
  while (top > stack) {
    top -= VISIT;
    const origin = load<i32>(top);
    const parent = load<i32>(top, 4);
    const node = next++;
    const record = records + <usize>node * RECORD;
    const from = source + ((<usize>origin) << 4);
    const depth = enter(node, parent, top, latest, path, reach, records, ratios);
    store<i32>(path + ((<usize>depth) << 2), node);
    most = max(most, load<i32>(record, DISTINCT));
    store<i32>(record, load<i32>(from), SPLIT_FEATURE);
    const split = load<i32>(from, 4);
    store<i32>(record, split, SPLIT);
    const left = load<i32>(from, 8);
    if (left === origin) {
      store<i32>(record, split, LEAF);
      const weight = load<f64>(reach + ((<usize>node) << 3));
      for (let c = 0; c < values; c++) {
        const at = expected + ((<usize>c) << 3);
        const value = load<f64>(leafValues + ((<usize>split * <usize>values + <usize>c) << 3));
        store<f64>(at, load<f64>(at) + weight * value);
      }
      continue;
    }
    store<i32>(record, -1, LEAF);
    const right = load<i32>(from, 12);
    const leftCover = load<f64>(cover + ((<usize>left) << 3));
    const rightCover = load<f64>(cover + ((<usize>right) << 3));
    const total = leftCover + rightCover;
    // A node that no weight reached splits evenly.
    top = due(top, right, node, 0, total > 0 ? rightCover / total : 0.5);
    top = due(top, left, node, 1, total > 0 ? leftCover / total : 0.5);
  }
  return most;
}

function due(top: usize, origin: i32, parent: i32, side: i32, share: f64): usize {
  store<i32>(top, origin);
  store<i32>(top, parent, 4);
  store<i32>(top, side, 8);
  store<f64>(top, share, 16);
  return top + VISIT;
}

/** Writes the edge that enters a node; gives the node's depth. */
function enter(
  node: i32,
  parent: i32,
  visit: usize,
  latest: usize,
  path: usize,
  reach: usize,
  records: usize,
  ratios: usize,
): i32 {
  const record = records + <usize>node * RECORD;
  const at = (<usize>node) << 3;
  store<i32>(record, parent, PARENT);
  store<i32>(record, load<i32>(visit, 8), SIDE);
  if (parent < 0) {
    store<i32>(record, 0, PREVIOUS);
    store<i32>(record, 0, EDGE_FEATURE);
    store<i32>(record, 0, DEPTH);
    store<i32>(record, 0, DISTINCT);
    store<f64>(ratios + at, 1);
    store<f64>(reach + at, 1);
    return 0;
  }
  const above = records + <usize>parent * RECORD;
  const feature = load<i32>(above, SPLIT_FEATURE) & i32.MAX_VALUE;
  const depth = load<i32>(above, DEPTH) + 1;
  const slot = latest + ((<usize>feature) << 2);
  // Nodes of other branches are passed over: each knows the one above it of the same feature.
  let previous = load<i32>(slot);
  while (previous > 0) {
    const earlier = records + <usize>previous * RECORD;
    const level = load<i32>(earlier, DEPTH);
    if (level < depth && load<i32>(path + ((<usize>level) << 2)) === previous) break;
    previous = load<i32>(earlier, PREVIOUS);
  }
  store<i32>(slot, node);
  const share = load<f64>(visit, 16);
  store<i32>(record, previous, PREVIOUS);
  store<i32>(record, feature, EDGE_FEATURE);
  store<i32>(record, depth, DEPTH);
  store<i32>(record, load<i32>(above, DISTINCT) + i32(previous === 0), DISTINCT);
  store<f64>(ratios + at, load<f64>(ratios + ((<usize>previous) << 3)) * share);
  store<f64>(reach + at, load<f64>(reach + ((<usize>parent) << 3)) * share);
  return depth;
}

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
