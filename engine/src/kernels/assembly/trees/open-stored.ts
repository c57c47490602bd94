/** Trees as they are stored (see `trees/tensors.ts`) → arrays of nodes, with everything checked. */

/** Whether a bit is set, the first of a byte being its lowest. */
function bit(bits: usize, index: i32): i32 {
  return (<i32>load<u8>(bits + <usize>(index >> 3)) >> (index & 7)) & 1;
}

/**
 * Opens trees whose nodes are in preorder.
 *
 * @param treeStarts i32 trees + 1, the first 0 and the last `nodes`
 * @param leafBits a bit a node; @param splitFeatures i32, @param splitBins i32, @param categoricalBits
 *   and @param missingBits of the `inner` nodes alone
 * @param features i32 a node, -1 for leaves; @param splits i32 a node: the bin, the number of its set, or
 *   of a leaf its number; @param categorical u8; @param missingLeft u8; @param lefts i32; @param rights i32
 * @param open room for an i32 a node
 * @returns sets; -1 where the arrays do not make trees of so many nodes and features
 */
export function openStored(
  trees: i32,
  treeStarts: usize,
  nodes: i32,
  inner: i32,
  leafBits: usize,
  splitFeatures: usize,
  splitBins: usize,
  categoricalBits: usize,
  missingBits: usize,
  featureCount: i32,
  features: usize,
  splits: usize,
  categorical: usize,
  missingLeft: usize,
  lefts: usize,
  rights: usize,
  open: usize,
): i32 {
  let nextInner = 0;
  let nextSet = 0;
  for (let tree = 0; tree < trees; tree++) {
    const start = load<i32>(treeStarts + ((<usize>tree) << 2));
    const end = load<i32>(treeStarts + ((<usize>tree) << 2), 4);
    if (start < 0 || start >= end || end > nodes) return -1;
    let depth = 0;
    for (let node = start; node < end; node++) {
      const at = (<usize>node) << 2;
      if (bit(leafBits, node)) {
        store<i32>(features + at, -1);
        store<i32>(splits + at, node - nextInner);
        store<u8>(categorical + <usize>node, 0);
        store<u8>(missingLeft + <usize>node, 0);
        store<i32>(lefts + at, -1);
        store<i32>(rights + at, -1);
        // A leaf ends its tree where no node above waits for its right.
        if ((depth === 0) !== (node + 1 === end)) return -1;
        if (depth > 0) {
          depth--;
          const parent = <usize>load<i32>(open + ((<usize>depth) << 2));
          store<i32>(rights + (parent << 2), node + 1);
        }
        continue;
      }
      if (nextInner >= inner || node + 1 >= end) return -1;
      const feature = load<i32>(splitFeatures + ((<usize>nextInner) << 2));
      if (feature < 0 || feature >= featureCount) return -1;
      let split = load<i32>(splitBins + ((<usize>nextInner) << 2));
      const isCategorical = bit(categoricalBits, nextInner);
      if (isCategorical) {
        split = nextSet;
        nextSet++;
      } else if (split < 0 || split > 255) {
        return -1;
      }
      store<i32>(features + at, feature);
      store<i32>(splits + at, split);
      store<u8>(categorical + <usize>node, <u8>isCategorical);
      store<u8>(missingLeft + <usize>node, <u8>bit(missingBits, nextInner));
      store<i32>(lefts + at, node + 1);
      store<i32>(open + ((<usize>depth) << 2), node);
      depth++;
      nextInner++;
    }
  }
  return nextInner === inner ? nextSet : -1;
}
