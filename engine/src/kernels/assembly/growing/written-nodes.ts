/** A tree's nodes as they leave the kernel, an array a field. */

import {
  OUT_CATEGORICAL,
  OUT_COUNT,
  OUT_FEATURE,
  OUT_GAIN,
  OUT_LEFT,
  OUT_MISSING_LEFT,
  OUT_RIGHT,
  OUT_SET_COUNT,
  OUT_SETS,
  OUT_SPLIT,
  OUT_START,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { Node } from "./nodes";
import { pointer } from "./unsplit";

/** Writes a node as a leaf; `writeSplit` overwrites it when it is split. */
export function writeLeaf(p: usize, id: i32, node: Node): void {
  const at = usize(id) << 2;
  store<i32>(pointer(p, OUT_FEATURE) + at, -1);
  store<i32>(pointer(p, OUT_SPLIT) + at, 0);
  store<i32>(pointer(p, OUT_LEFT) + at, -1);
  store<i32>(pointer(p, OUT_RIGHT) + at, -1);
  store<u8>(pointer(p, OUT_CATEGORICAL) + usize(id), 0);
  store<u8>(pointer(p, OUT_MISSING_LEFT) + usize(id), 0);
  store<f64>(pointer(p, OUT_GAIN) + (at << 1), 0);
  store<u32>(pointer(p, OUT_START) + at, node.start);
  store<u32>(pointer(p, OUT_COUNT) + at, node.count);
}

/** Writes the split that the node holds. @param left the node of its left child; the right one follows */
export function writeSplit(p: usize, id: i32, node: Node, left: i32): void {
  const at = usize(id) << 2;
  let bin = node.bin;
  if (node.categorical) {
    bin = load<i32>(p, OUT_SET_COUNT);
    store<i32>(p, bin + 1, OUT_SET_COUNT);
    memory.copy(
      pointer(p, OUT_SETS) + (usize(bin) << 5),
      changetype<usize>(node) + offsetof<Node>("set0"),
      32,
    );
  }
  store<i32>(pointer(p, OUT_FEATURE) + at, node.feature);
  store<i32>(pointer(p, OUT_SPLIT) + at, bin);
  store<i32>(pointer(p, OUT_LEFT) + at, left);
  store<i32>(pointer(p, OUT_RIGHT) + at, left + 1);
  store<u8>(pointer(p, OUT_CATEGORICAL) + usize(id), u8(node.categorical));
  store<u8>(pointer(p, OUT_MISSING_LEFT) + usize(id), u8(node.missingLeft));
  store<f64>(pointer(p, OUT_GAIN) + (at << 1), node.gain);
}
