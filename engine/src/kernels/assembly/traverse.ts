/**
 * Walks rows of binned data down trees that lie in `TreeEnsemble`'s arrays.
 *
 * A missing bin lies above every split bin, so it goes right by itself; `missingLeft` is looked at
 * only where it matters.
 */

/** The leaf (node number) that a row of bins falls into. */
function leafOf(
  bins: usize,
  root: i32,
  features: usize,
  splits: usize,
  categorical: usize,
  missingLeft: usize,
  lefts: usize,
  rights: usize,
  sets: usize,
  valueBins: usize,
): i32 {
  let node = root;
  let feature = load<i32>(features + (usize(node) << 2));
  while (feature >= 0) {
    const at = usize(node) << 2;
    const bin = i32(load<u8>(bins + usize(feature)));
    const split = load<i32>(splits + at);
    let left = bin <= split;
    if (load<u8>(categorical + usize(node))) {
      const word = load<u32>(sets + (usize(split) << 5) + (usize(bin >> 5) << 2));
      left = ((word >> (bin & 31)) & 1) !== 0;
    } else if (load<u8>(missingLeft + usize(node))) {
      left = left || bin === load<i32>(valueBins + (usize(feature) << 2));
    }
    node = load<i32>((left ? lefts : rights) + at);
    feature = load<i32>(features + (usize(node) << 2));
  }
  return node;
}

/**
 * Adds each tree's value to its output's score.
 *
 * @param rows u32 rows of the data, or 0 for rows 0 … count - 1
 * @param scores f64: row i of the list, output k at (i × rowStep + k × outputStep) × 8, where i
 *   is the position in the list, or the row's own number if `byRow`
 * @param width values a node; where it is 1 a tree adds to output treeOutput[t], else all
 */
export function addTrees(
  rowMajor: usize,
  rowStride: usize,
  rows: usize,
  count: i32,
  treeFrom: i32,
  treeTo: i32,
  treeStarts: usize,
  treeOutput: usize,
  features: usize,
  splits: usize,
  categorical: usize,
  missingLeft: usize,
  lefts: usize,
  rights: usize,
  sets: usize,
  values: usize,
  width: i32,
  valueBins: usize,
  scores: usize,
  rowStep: i32,
  outputStep: i32,
  byRow: i32,
): void {
  // Blocks of rows, so that their bins and scores stay in the cache while all trees pass.
  for (let from = 0; from < count; from += 256) {
    const to = min(from + 256, count);
    for (let tree = treeFrom; tree < treeTo; tree++) {
      const root = load<i32>(treeStarts + (usize(tree) << 2));
      const output = load<i32>(treeOutput + (usize(tree) << 2));
      for (let i = from; i < to; i++) {
        const row = rows === 0 ? i : i32(load<u32>(rows + (usize(i) << 2)));
        const leaf = leafOf(
          rowMajor + usize(row) * rowStride,
          root,
          features,
          splits,
          categorical,
          missingLeft,
          lefts,
          rights,
          sets,
          valueBins,
        );
        const at = scores + ((usize(byRow ? row : i) * usize(rowStep)) << 3);
        if (width === 1) {
          const score = at + ((usize(output) * usize(outputStep)) << 3);
          store<f64>(score, load<f64>(score) + load<f64>(values + (usize(leaf) << 3)));
        } else {
          for (let k = 0; k < width; k++) {
            const score = at + ((usize(k) * usize(outputStep)) << 3);
            const value = load<f64>(values + ((usize(leaf) * usize(width) + usize(k)) << 3));
            store<f64>(score, load<f64>(score) + value);
          }
        }
      }
    }
  }
}
