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
