/** Nodes of one tree in preorder, each with the edge that enters it, as TreeSHAP walks them. */

/** Bytes of a node's record in the plan. */
export const RECORD: usize = 40;
export const PARENT: usize = 0;
/** The nearest node above entered by an edge of the same feature; 0 where there is none. */
export const PREVIOUS: usize = 4;
export const EDGE_FEATURE: usize = 8;
/** 1 where the edge goes left. */
export const SIDE: usize = 12;
/** As in the records of traverse.ts. */
export const SPLIT_FEATURE: usize = 16;
export const SPLIT: usize = 20;
/** The leaf's number; -1 for inner nodes. */
export const LEAF: usize = 24;
/** Nodes above it. */
export const DEPTH: usize = 28;
/** Distinct features on its path. */
export const DISTINCT: usize = 32;

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
