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
 * A node's six tables (one f64 a point) belong to the edge that enters it, for feature i whose
 * ratio was z' before it and is z after it. State: 0 = the row follows the edge and all earlier
 * ones of i; 1 = it leaves i's path here; 2 = it had left before.
 *   descend[state]: what the product is multiplied by; collect[state]: the dot product's weights.
 */

/** Bytes of a node's record: six i32 (see `PathPlan` in trees/shap/plan.ts) and padding. */
const RECORD: usize = 32;
const PARENT: usize = 0;
const PREVIOUS: usize = 4;
const EDGE_FEATURE: usize = 8;
const SIDE: usize = 12;
const SPLIT_FEATURE: usize = 16;
const LEAF: usize = 20;

/**
 * Fills the tables of one tree.
 *
 * @param ratios f64 a node: z of the edge's feature at the node; 1 at the root
 * @param points f64 × count: t in (0, 1); @param weights f64 × count
 * @param tables nodes × 6 × count f64
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
    const shrink = before > 0 ? z / before : 0;
    let out = tables + node * 6 * size;
    for (let q: usize = 0; q < size; q += 8) {
      const t = load<f64>(points + q);
      const w = load<f64>(weights + q);
      const s = 1 - t;
      const factorBefore = t + s * before;
      const factor = t + s * z;
      const shareBefore = (1 - before) / factorBefore;
      store<f64>(out, factor / factorBefore);
      store<f64>(out + size, (s * z) / factorBefore);
      store<f64>(out + 2 * size, shrink);
      store<f64>(out + 3 * size, w * ((1 - z) / factor - shareBefore));
      store<f64>(out + 4 * size, w * (-1 / s - shareBefore));
      store<f64>(out + 5 * size, 0);
      out += 8;
    }
  }
}

/**
 * Adds one tree's contributions for a list of rows.
 *
 * @param sets 32 bytes a node: the bins that go left
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
  tables: usize,
  count: i32,
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
    descend(nodes, records, sets, tables, size, cells, products, states);
    const target = out + r * outRow + ((<usize>output) << 3);
    for (let c: usize = 0; c < <usize>values; c++) {
      collect(
        nodes,
        records,
        tables,
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

function goesLeft(set: usize, cells: usize, feature: i32): i32 {
  const bin = <u32>load<u8>(cells + <usize>feature);
  return (<u32>load<u8>(set + (bin >> 3)) >> (bin & 7)) & 1;
}

function descend(
  nodes: i32,
  records: usize,
  sets: usize,
  tables: usize,
  size: usize,
  cells: usize,
  products: usize,
  states: usize,
): void {
  store<i32>(states, 0);
  store<i32>(states, goesLeft(sets, cells, load<i32>(records, SPLIT_FEATURE)), 4);
  for (let node: usize = 1; node < <usize>nodes; node++) {
    const record = records + node * RECORD;
    const parent = <usize>load<i32>(record, PARENT);
    const follows = load<i32>(states + (parent << 3), 4) === load<i32>(record, SIDE);
    const before = load<i32>(states + ((<usize>load<i32>(record, PREVIOUS)) << 3));
    const state = before === 0 ? <i32>!follows : 2;
    store<i32>(states + (node << 3), state);
    const split = load<i32>(record, SPLIT_FEATURE);
    if (split >= 0) store<i32>(states + (node << 3), goesLeft(sets + (node << 5), cells, split), 4);
    const table = tables + (node * 6 + <usize>state) * size;
    const from = products + parent * size;
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
    const table = tables + (node * 6 + 3 + <usize>load<i32>(states + (node << 3))) * size;
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
