/** A node's rows in the shader that grows forests: their sums, a feature's sums by bins, their partition. */

export const FOREST_ROWS = /* wgsl */ `
/** Of the node: its first row among all trees', its rows, and what is known of its sums. */
var<workgroup> nodeStart: u32;
var<workgroup> nodeRows: u32;
var<workgroup> isMixed: atomic<u32>;
var<workgroup> distinct: atomic<u32>;
var<workgroup> totals: array<vec2<u32>, WIDTH>;
/** Distinct rows of each bin, and the bins that have some, in the order that they are cut in. */
var<workgroup> counts: array<atomic<u32>, 256>;
var<workgroup> order: array<u32, 256>;
/** Of the split that is applied. */
var<workgroup> split: Node;
var<workgroup> wentLeft: u32;

fn binOf(feature: u32, row: u32) -> u32 {
  let at = feature * shape.columnBytes + row;
  return (bins[at >> 2u] >> (8u * (at & 3u))) & 255u;
}

fn tallyAt(bin: u32, column: u32) -> u32 {
  return tallyOfTree() + 2u * (bin * WIDTH + column);
}

fn addTo(at: u32, value: vec2<u32>) {
  let before = atomicAdd(&tally[at], value.x);
  atomicAdd(&tally[at + 1u], value.y + select(0u, 1u, before + value.x < before));
}

fn sumAt(bin: u32, column: u32) -> vec2<u32> {
  let at = tallyAt(bin, column);
  return vec2<u32>(atomicLoad(&tally[at]), atomicLoad(&tally[at + 1u]));
}

/** Sums the node's rows, and says whether all have one target. @param count of its rows */
fn sumNode(thread: u32, count: u32) {
  for (var i = thread; i < 2u * WIDTH; i += THREADS) { atomicStore(&tally[tallyAt(WHOLE_NODE, 0u) + i], 0u); }
  if (thread == 0u) {
    atomicStore(&isMixed, 0u);
    atomicStore(&distinct, 0u);
  }
  storageBarrier();
  workgroupBarrier();
  let first = stats[nodeStart];
  var mixed = false;
  var own = 0u;
  var weight = vec2<u32>(0u, 0u);
  var product = vec2<u32>(0u, 0u);
  for (var i = thread; i < count; i += THREADS) {
    let stat = stats[nodeStart + i];
    if (HAS_CLASSES) {
      mixed = mixed || stat.z != first.z;
      own += stat.w;
      addTo(tallyAt(WHOLE_NODE, stat.z), toWhole(stat.xy));
    } else {
      if (!mixed) {
        let one = times(stat.zw, first.xy);
        let other = times(first.zw, stat.xy);
        mixed = !isSame(one, other) && !(isZero(one) && isZero(other));
      }
      own += 1u;
      weight = wholePlus(weight, toWhole(stat.xy));
      product = wholePlus(product, toWhole(stat.zw));
    }
  }
  if (mixed) { atomicStore(&isMixed, 1u); }
  atomicAdd(&distinct, own);
  if (!HAS_CLASSES) {
    addTo(tallyAt(WHOLE_NODE, 0u), weight);
    addTo(tallyAt(WHOLE_NODE, 1u), product);
  }
  storageBarrier();
  workgroupBarrier();
  for (var c = thread; c < WIDTH; c += THREADS) { totals[c] = fromWhole(sumAt(WHOLE_NODE, c)); }
}

/** Sums of a feature's bins. @param missing the highest bin */
fn sumBins(thread: u32, count: u32, feature: u32, missing: u32) {
  for (var i = thread; i < 2u * WIDTH * (missing + 1u); i += THREADS) {
    atomicStore(&tally[tallyAt(0u, 0u) + i], 0u);
  }
  for (var i = thread; i < 256u; i += THREADS) { atomicStore(&counts[i], 0u); }
  storageBarrier();
  workgroupBarrier();
  for (var i = thread; i < count; i += THREADS) {
    let stat = stats[nodeStart + i];
    let bin = binOf(feature, rows[nodeStart + i]);
    if (HAS_CLASSES) {
      atomicAdd(&counts[bin], stat.w);
      addTo(tallyAt(bin, stat.z), toWhole(stat.xy));
    } else {
      atomicAdd(&counts[bin], 1u);
      addTo(tallyAt(bin, 0u), toWhole(stat.xy));
      addTo(tallyAt(bin, 1u), toWhole(stat.zw));
    }
  }
  storageBarrier();
  workgroupBarrier();
}

fn goesLeft(row: u32, missing: u32) -> u32 {
  let bin = binOf(split.feature, row);
  if (split.categorical == 1u) { return (split.binSet[bin >> 5u] >> (bin & 31u)) & 1u; }
  if (bin == missing) { return split.missingLeft; }
  return select(0u, 1u, bin <= split.bin);
}

/** Rows that go left keep their order at the front, the others behind them. Makes the children. */
fn partitionNode(thread: u32) {
  if (thread == 0u) {
    split = nodes[nodeAt(splitNode)];
    nodeStart = tree * 2u * shape.capacity + split.start;
    nodeRows = split.count;
  }
  let count = workgroupUniformLoad(&nodeRows);
  let missing = kinds[split.feature] & 255u;
  let apart = (tree * 2u + 1u) * shape.capacity;
  var left = 0u;
  for (var first = 0u; first < count; first += THREADS) {
    let i = first + thread;
    var goes = 0u;
    var row = 0u;
    var stat: vec4<u32>;
    if (i < count) {
      row = rows[nodeStart + i];
      stat = stats[nodeStart + i];
      goes = goesLeft(row, missing);
    }
    let upTo = scan(thread, goes);
    if (i < count) {
      // Those before this one that went left: a place of its own for each that did not.
      let before = left + upTo - goes;
      let to = select(apart + i - before, nodeStart + before, goes == 1u);
      rows[to] = row;
      stats[to] = stat;
    }
    left += lanes[THREADS - 1u];
    workgroupBarrier();
  }
  storageBarrier();
  for (var i = thread; i < count - left; i += THREADS) {
    rows[nodeStart + left + i] = rows[apart + i];
    stats[nodeStart + left + i] = stats[apart + i];
  }
  storageBarrier();
  workgroupBarrier();
  if (thread == 0u) {
    let at = nodeAt(splitNode);
    if (split.categorical == 1u) {
      nodes[at].bin = setCount;
      setCount += 1u;
    }
    nodes[at].left = firstNew;
    for (var side = 0u; side < 2u; side++) {
      let child = nodeAt(firstNew + side);
      nodes[child].start = split.start + side * left;
      nodes[child].count = select(left, count - left, side == 1u);
      nodes[child].depth = split.depth + 1u;
    }
  }
}
`;
