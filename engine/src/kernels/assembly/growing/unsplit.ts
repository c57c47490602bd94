/**
 * Of a tree that is grown: its nodes that may still be split, and the pool of slots for their
 * histograms. Where the pool runs out, the least promising open node gives its own up.
 */

import {
  FREE_SLOTS,
  GROW_DEPTH_WISE,
  GROWTH,
  HISTOGRAM_SLOTS,
  HISTOGRAM_STRIDE,
  HISTOGRAMS,
  NODE_BYTES,
  NODES,
  OPEN,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { Node } from "./nodes";

let openHead: i32 = 0;
let openCount: i32 = 0;
let freeSlots: i32 = 0;

/** No open nodes, all slots free. */
export function clearOpen(p: usize): void {
  const slots = load<i32>(p, HISTOGRAM_SLOTS);
  for (let i = 0; i < slots; i++) {
    store<i32>(pointer(p, FREE_SLOTS) + (usize(i) << 2), slots - 1 - i);
  }
  freeSlots = slots;
  openHead = 0;
  openCount = 0;
}

export function pointer(p: usize, field: usize): usize {
  return usize(load<u32>(p + field));
}

export function nodeAt(p: usize, node: i32): Node {
  return changetype<Node>(pointer(p, NODES) + usize(node) * NODE_BYTES);
}

export function histogramAt(p: usize, slot: i32): usize {
  return pointer(p, HISTOGRAMS) + usize(slot) * pointer(p, HISTOGRAM_STRIDE);
}

function openNode(p: usize, i: i32): i32 {
  return load<i32>(pointer(p, OPEN) + (usize(i) << 2));
}

/** How many nodes are open. */
export function opened(): i32 {
  return openCount - openHead;
}

/** The number of the i-th of them; in no order, but by depth in that in which they are split. */
export function openedNumber(p: usize, i: i32): i32 {
  return openNode(p, openHead + i);
}

export function releaseSlot(p: usize, node: Node): void {
  if (node.slot < 0) return;
  giveSlot(p, node.slot);
  node.slot = -1;
}

/** The slot is free. */
export function giveSlot(p: usize, slot: i32): void {
  store<i32>(pointer(p, FREE_SLOTS) + (usize(freeSlots) << 2), slot);
  freeSlots++;
}

export function freeSlotCount(): i32 {
  return freeSlots;
}

/** A free slot; takes the one of the open node with the least gain if need be. */
export function takeSlot(p: usize): i32 {
  if (freeSlots === 0) {
    let victim = -1;
    let least = Infinity;
    for (let i = openHead; i < openCount; i++) {
      const node = nodeAt(p, openNode(p, i));
      if (node.slot >= 0 && node.gain < least) {
        least = node.gain;
        victim = openNode(p, i);
      }
    }
    releaseSlot(p, nodeAt(p, victim));
  }
  freeSlots--;
  return load<i32>(pointer(p, FREE_SLOTS) + (usize(freeSlots) << 2));
}

/** Lists a node as open. */
export function addOpen(p: usize, id: i32): void {
  store<i32>(pointer(p, OPEN) + (usize(openCount) << 2), id);
  openCount++;
}

/** Takes the next node to split off the open list, -1 when there is none. */
export function nextNode(p: usize): i32 {
  if (openHead === openCount) return -1;
  const growth = load<i32>(p, GROWTH);
  if (growth === GROW_DEPTH_WISE) {
    openHead++;
    return openNode(p, openHead - 1);
  }
  let at = 0;
  let best = -1.0;
  let bestNode = -1;
  for (let i = 0; i < openCount; i++) {
    const node = openNode(p, i);
    const gain = nodeAt(p, node).gain;
    if (gain > best || (gain === best && node < bestNode)) {
      best = gain;
      bestNode = node;
      at = i;
    }
  }
  const node = openNode(p, at);
  openCount--;
  store<i32>(pointer(p, OPEN) + (usize(at) << 2), openNode(p, openCount));
  return node;
}
