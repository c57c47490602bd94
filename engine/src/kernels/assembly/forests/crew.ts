/**
 * Trees of one forest that grow at once, each in a block of its own, by whichever threads are there.
 *
 * A thread holds a tree from when it takes it until the tree is grown or the thread leaves; the tree then
 * waits, as far as it is, for another. So nobody is waited for who is elsewhere, and no work is lost.
 */

import { finishUnit } from "../crew/crew";
import { GROW_TREES, GROWER, TASK } from "../crew/crew-layout";
import { pointer } from "./best-split";
import { growForestTree } from "./grower";
import {
  GROWN,
  HELD,
  HELD_BY,
  LOOK_CELLS,
  NUMBER,
  STATE,
  TREE_BLOCKS,
  TREES,
  WAITING,
} from "./layout";

function treeAt(forest: usize, slot: i32): usize {
  return usize(load<u32>(forest + (usize(slot) << 2), TREE_BLOCKS));
}

function slotsOf(forest: usize): i32 {
  return ASC_FEATURE_THREADS ? atomic.load<i32>(forest, TREES) : load<i32>(forest, TREES);
}

/** Takes a tree where nobody works on it. */
export function takeTree(p: usize): bool {
  if (ASC_FEATURE_THREADS) return atomic.cmpxchg<i32>(p, WAITING, HELD, STATE) === WAITING;
  if (load<i32>(p, STATE) !== WAITING) return false;
  store<i32>(p, HELD, STATE);
  return true;
}

function tell(p: usize, state: i32): void {
  if (ASC_FEATURE_THREADS) atomic.store<i32>(p, state, STATE);
  else store<i32>(p, state, STATE);
}

function stateOf(p: usize): i32 {
  return ASC_FEATURE_THREADS ? atomic.load<i32>(p, STATE) : load<i32>(p, STATE);
}

/** Goes on with a tree that the caller holds, for a bit. Returns whether it is grown. */
export function growHeldTree(p: usize): bool {
  if (!growForestTree(p, load<i32>(p, LOOK_CELLS))) return false;
  tell(p, GROWN);
  return true;
}

/** The first of the trees that wait, which the caller then holds; -1 where none does. */
function takeFirst(forest: usize): i32 {
  const slots = slotsOf(forest);
  let best = -1;
  do {
    best = -1;
    let first = i32.MAX_VALUE;
    for (let slot = 0; slot < slots; slot++) {
      const p = treeAt(forest, slot);
      if (stateOf(p) !== WAITING) continue;
      const number = load<i32>(p, NUMBER);
      if (number >= first) continue;
      first = number;
      best = slot;
    }
  } while (best >= 0 && !takeTree(treeAt(forest, best)));
  return best;
}

/** A bit of a helper's work, if there is any. Returns whether there was. */
export function helpForest(crew: usize, forest: usize, place: i32): bool {
  const held = forest + HELD_BY + (usize(place) << 2);
  let slot = load<i32>(held);
  if (slot < 0) {
    slot = takeFirst(forest);
    if (slot < 0) return false;
    store<i32>(held, slot);
  }
  if (growHeldTree(treeAt(forest, slot))) {
    store<i32>(held, -1);
    finishUnit(crew);
  }
  return true;
}

/** A helper leaves: the tree that it holds waits for others. */
export function leaveCrew(crew: usize, place: i32): void {
  if (load<i32>(crew, TASK) !== GROW_TREES) return;
  const held = pointer(crew, GROWER) + HELD_BY + (usize(place) << 2);
  const slot = load<i32>(held);
  if (slot < 0) return;
  store<i32>(held, -1);
  tell(treeAt(pointer(crew, GROWER), slot), WAITING);
}
