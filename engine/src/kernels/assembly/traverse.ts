/**
 * Walks rows of binned data down trees.
 *
 * Nodes are first packed into records of 16 bytes, so that a step reads one cache line: the
 * feature (bit 31: categorical), the split, the left and the right child. A leaf is its own child
 * and has its number among the leaves in place of a split. Four rows walk side by side until none
 * of them moves, which hides the latency of each.
 */

const CATEGORICAL: i32 = i32.MIN_VALUE;

/** Packs nodes 0 … count - 1 of the arrays of a `TreeEnsemble` into records. */
export function packNodes(
  count: i32,
  features: usize,
  splits: usize,
  categorical: usize,
  missingLeft: usize,
  lefts: usize,
  rights: usize,
  valueBins: usize,
  records: usize,
): void {
  let leaf = 0;
  for (let node = 0; node < count; node++) {
    const at = usize(node) << 2;
    const record = records + (usize(node) << 4);
    const feature = load<i32>(features + at);
    if (feature < 0) {
      store<i32>(record, 0);
      store<i32>(record, leaf++, 4);
      store<i32>(record, node, 8);
      store<i32>(record, node, 12);
      continue;
    }
    let split = load<i32>(splits + at);
    if (load<u8>(categorical + usize(node))) {
      store<i32>(record, feature | CATEGORICAL);
    } else {
      store<i32>(record, feature);
      // The bin that goes left although it lies above the split; 256 is none.
      const missing = load<u8>(missingLeft + usize(node))
        ? load<i32>(valueBins + (usize(feature) << 2))
        : 256;
      split |= missing << 16;
    }
    store<i32>(record, split, 4);
    store<i32>(record, load<i32>(lefts + at), 8);
    store<i32>(record, load<i32>(rights + at), 12);
  }
}

/** Which side the bins of a row take at a record: 1 = right. */
export function goesRight(feature: i32, split: i32, bins: usize, sets: usize): i32 {
  const bin = i32(load<u8>(bins + usize(feature & i32.MAX_VALUE)));
  return feature >= 0
    ? i32(bin > (split & 0xffff)) & i32(bin !== split >> 16)
    : ((load<u32>(sets + (usize(split) << 5) + (usize(bin >> 5) << 2)) >> (bin & 31)) & 1) ^ 1;
}

function step(records: usize, node: i32, bins: usize, sets: usize): i32 {
  const record = records + (usize(node) << 4);
  const right = goesRight(load<i32>(record), load<i32>(record, 4), bins, sets);
  return load<i32>(record + (usize(right) << 2), 8);
}

function addLeaf(
  records: usize,
  node: i32,
  values: usize,
  width: i32,
  score: usize,
  outputStep: i32,
): void {
  const leaf = load<i32>(records + (usize(node) << 4), 4);
  for (let k = 0; k < width; k++) {
    const at = score + ((usize(k) * usize(outputStep)) << 3);
    const value = load<f64>(values + ((usize(leaf) * usize(width) + usize(k)) << 3));
    store<f64>(at, load<f64>(at) + value);
  }
}

/**
 * Adds each tree's value to its output's score.
 *
 * @param rows u32 rows of the data, or 0 for rows 0 … count - 1
 * @param scores f64: row i of the list, output k at (i × rowStep + k × outputStep) × 8, where i
 *   is the position in the list, or the row's own number if `byRow`
 * @param values f64 leaves × width, leaves in the order of their nodes
 * @param width values a leaf; where it is 1 a tree adds to output treeOutput[t], else all
 */
export function addTrees(
  rowMajor: usize,
  rowStride: usize,
  rows: usize,
  count: i32,
  trees: i32,
  treeStarts: usize,
  treeOutput: usize,
  records: usize,
  sets: usize,
  values: usize,
  width: i32,
  scores: usize,
  rowStep: i32,
  outputStep: i32,
  byRow: i32,
): void {
  // Blocks of rows, so that their bins and scores stay in the cache while all trees pass.
  for (let from = 0; from < count; from += 256) {
    const to = min(from + 256, count);
    for (let tree = 0; tree < trees; tree++) {
      const root = load<i32>(treeStarts + (usize(tree) << 2));
      const output = width === 1 ? load<i32>(treeOutput + (usize(tree) << 2)) : 0;
      const target = scores + ((usize(output) * usize(outputStep)) << 3);
      for (let i = from; i < to; i += 4) {
        // Past the end, the last row walks again and is not counted.
        const i1 = min(i + 1, to - 1);
        const i2 = min(i + 2, to - 1);
        const i3 = min(i + 3, to - 1);
        let r0 = i;
        let r1 = i1;
        let r2 = i2;
        let r3 = i3;
        if (rows !== 0) {
          r0 = load<i32>(rows + (usize(i) << 2));
          r1 = load<i32>(rows + (usize(i1) << 2));
          r2 = load<i32>(rows + (usize(i2) << 2));
          r3 = load<i32>(rows + (usize(i3) << 2));
        }
        const b0 = rowMajor + usize(r0) * rowStride;
        const b1 = rowMajor + usize(r1) * rowStride;
        const b2 = rowMajor + usize(r2) * rowStride;
        const b3 = rowMajor + usize(r3) * rowStride;
        let n0 = root;
        let n1 = root;
        let n2 = root;
        let n3 = root;
        let moved = 1;
        while (moved !== 0) {
          const m0 = step(records, n0, b0, sets);
          const m1 = step(records, n1, b1, sets);
          const m2 = step(records, n2, b2, sets);
          const m3 = step(records, n3, b3, sets);
          moved = (m0 ^ n0) | (m1 ^ n1) | (m2 ^ n2) | (m3 ^ n3);
          n0 = m0;
          n1 = m1;
          n2 = m2;
          n3 = m3;
        }
        const live = to - i;
        const s0 = byRow ? r0 : i;
        addLeaf(
          records,
          n0,
          values,
          width,
          target + ((usize(s0) * usize(rowStep)) << 3),
          outputStep,
        );
        if (live > 1) {
          const s1 = byRow ? r1 : i1;
          addLeaf(
            records,
            n1,
            values,
            width,
            target + ((usize(s1) * usize(rowStep)) << 3),
            outputStep,
          );
        }
        if (live > 2) {
          const s2 = byRow ? r2 : i2;
          addLeaf(
            records,
            n2,
            values,
            width,
            target + ((usize(s2) * usize(rowStep)) << 3),
            outputStep,
          );
        }
        if (live > 3) {
          const s3 = byRow ? r3 : i3;
          addLeaf(
            records,
            n3,
            values,
            width,
            target + ((usize(s3) * usize(rowStep)) << 3),
            outputStep,
          );
        }
      }
    }
  }
}
