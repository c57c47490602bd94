/**
 * Trees that a device grew as a whole (`trees/grown-there.ts`): it split nodes, which ones and how it says in records, and
 * here the tree is put together from them in its own order. The root's split is found here as well, and what each
 * split gains is computed from its sums, but for sets of categories: a record that says anything else is not believed.
 */

import { beginSearch, settle, splittable } from "./best-split";
import { splitInto } from "./children";
import { distrustAway, readRecord } from "./device";
import {
  DEVICE_ROWS,
  FEATURE_COUNT,
  FEATURE_LIST,
  GROWN_THERE,
  KINDS,
  MAX_LEAVES,
  SCRATCH,
  VALUE_BINS,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { Node } from "./nodes";
import {
  RECORD_BIN,
  RECORD_CATEGORICAL,
  RECORD_COUNT,
  RECORD_FEATURE,
  RECORD_GAIN,
  RECORD_LEFT,
  RECORD_LEFT_COUNT,
  RECORD_LEFT_SUM,
  RECORD_MISSING_LEFT,
  RECORD_SCORE,
  RECORD_SET,
  RECORD_SUM,
} from "./record-layout";
import { cutScore } from "./split";
import { addOpen, nextNode, nodeAt, pointer, releaseSlot } from "./unsplit";

const NO_SPLIT: i32 = -1;

/** Whether the device has grown the tree. */
export function isGrownThere(p: usize): bool {
  // Where it failed, the tree is grown anew without it.
  if (ASC_FEATURE_THREADS)
    return load<u32>(p, GROWN_THERE) !== 0 && load<u32>(p, DEVICE_ROWS) !== 0;
  return false;
}

/** A word of the record that was read last. */
function wordOf(p: usize, word: i32): i32 {
  return load<i32>(pointer(p, SCRATCH) + (usize(word) << 2));
}

/** Two of them. */
function pairOf(p: usize, word: i32): i64 {
  return load<i64>(pointer(p, SCRATCH) + (usize(word) << 2));
}

/** Its set of bins. */
function setOf(p: usize): usize {
  return pointer(p, SCRATCH) + (usize(RECORD_SET) << 2);
}

function read(p: usize, record: i32): bool {
  return readRecord(record, pointer(p, SCRATCH));
}

function isListed(p: usize, feature: i32): bool {
  const list = pointer(p, FEATURE_LIST);
  let from = 0;
  let to = load<i32>(p, FEATURE_COUNT);
  while (from < to) {
    const middle = (from + to) >> 1;
    const found = load<i32>(list + (usize(middle) << 2));
    if (found === feature) return true;
    if (found < feature) from = middle + 1;
    else to = middle;
  }
  return false;
}

/** Whether the record has the split that the root was found to have. */
function isRoot(p: usize, root: Node, isOpen: bool): bool {
  if (!read(p, 0) || pairOf(p, RECORD_SUM) !== root.sum) return false;
  if (!isOpen) return wordOf(p, RECORD_FEATURE) === NO_SPLIT;
  return (
    wordOf(p, RECORD_FEATURE) === root.feature &&
    wordOf(p, RECORD_CATEGORICAL) === root.categorical &&
    (root.categorical
      ? memory.compare(setOf(p), changetype<usize>(root) + offsetof<Node>("set0"), 32) === 0
      : wordOf(p, RECORD_BIN) === root.bin) &&
    wordOf(p, RECORD_MISSING_LEFT) === root.missingLeft &&
    pairOf(p, RECORD_LEFT_SUM) === root.leftSum &&
    pairOf(p, RECORD_GAIN) === reinterpret<i64>(root.gain)
  );
}

/** Takes a node's split from its record, and lists it as open. Returns whether that can be the node's. */
function openRecorded(p: usize, id: i32, node: Node): bool {
  if (!read(p, node.record) || u32(wordOf(p, RECORD_COUNT)) !== node.count) return false;
  if (!splittable(p, node)) return true;
  if (pairOf(p, RECORD_SUM) !== node.sum) return false;
  const feature = wordOf(p, RECORD_FEATURE);
  if (feature === NO_SPLIT) return true;
  if (!isListed(p, feature)) return false;
  const bin = wordOf(p, RECORD_BIN);
  const bins = load<i32>(pointer(p, VALUE_BINS) + (usize(feature) << 2));
  const isCategorical = i32(load<u8>(pointer(p, KINDS) + usize(feature)));
  if (u32(bin) >= u32(bins) || wordOf(p, RECORD_CATEGORICAL) !== isCategorical) return false;
  node.feature = feature;
  node.bin = bin;
  node.categorical = isCategorical;
  memory.copy(changetype<usize>(node) + offsetof<Node>("set0"), setOf(p), 32);
  node.missingLeft = wordOf(p, RECORD_MISSING_LEFT) & 1;
  node.leftSum = pairOf(p, RECORD_LEFT_SUM);
  beginSearch(p, node);
  const recorded = pairOf(p, RECORD_SCORE);
  // What noise is taken from the score of categories only their histogram says.
  const score = isCategorical ? reinterpret<f64>(recorded) : cutScore(node.leftSum);
  if (reinterpret<i64>(score) !== recorded || !settle(node, score)) return false;
  addOpen(p, id);
  return true;
}

/**
 * Puts the tree together; returns its number of nodes.
 *
 * @param root whose split was found here, open or not
 */
export function followDevice(p: usize, root: Node): i32 {
  const isOpen = root.slot >= 0;
  releaseSlot(p, root);
  root.record = 0;
  if (!isRoot(p, root, isOpen)) {
    distrustAway(p);
    return 1;
  }
  const maxLeaves = load<i32>(p, MAX_LEAVES);
  let nodes = 1;
  for (let leaves = 1; leaves < maxLeaves; leaves++) {
    const id = nextNode(p);
    if (id < 0) break;
    const node = nodeAt(p, id);
    const isRead = read(p, node.record);
    const left = wordOf(p, RECORD_LEFT);
    const goesLeft = wordOf(p, RECORD_LEFT_COUNT);
    if (!isRead || left === 0 || u32(goesLeft) > node.count) {
      distrustAway(p);
      return nodes;
    }
    splitInto(p, id, nodes, goesLeft);
    const a = nodeAt(p, nodes);
    const b = nodeAt(p, nodes + 1);
    a.record = left;
    b.record = left + 1;
    if (leaves + 1 < maxLeaves && !(openRecorded(p, nodes, a) && openRecorded(p, nodes + 1, b))) {
      distrustAway(p);
      return nodes;
    }
    nodes += 2;
  }
  return nodes;
}
