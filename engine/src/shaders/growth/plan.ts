/**
 * Which nodes of a tree are split next: the one that is due, and beside it those that the tree likely comes to.
 *
 * By gain a tree takes nodes in the order of the least gain on their way from the root, since it comes to a node when all above
 * it are split. Of a tree of n splits these are so the n first ones by that bound; of the nodes that are known so far each
 * that is among the n first is made, and the tree needs hardly more steps than it has levels. Of 255 leaves and 200,000 rows it had 12
 * to 16 steps, and 57 to 108 where only nodes were made that may be split at once.
 */

import { BATCH, BLOCK_ROWS } from "../partition.ts";
import { GROWTH } from "./form.ts";
import { NO_SPLIT } from "./layout.ts";
import { STATE } from "./root.ts";

/** A power of four. */
const THREADS = 256;
const KEYS = (4 * THREADS - 1) / 3;

/** Workgroups: y a fit. Has the tree split what it splits next and has been made, and chooses what is made now. */
export const PLAN_STEP = /* wgsl */ `
${GROWTH}
${BATCH}
@group(0) @binding(2) var<storage, read_write> states: array<u32>;
@group(0) @binding(3) var<storage, read_write> records: array<Record>;
@group(0) @binding(4) var<storage, read_write> batches: array<Batch>;

${STATE}

const NONE = 0xffffffffu;
/** What there is of a node where nodes are ranked: it has no split, is to be made, or has been. */
const ABSENT = 0u;
const UNMADE = 1u;
const MADE = 2u;
const FIRST_KEY = ${KEYS - 1}u;

/**
 * Gain, high word and low word; the node's number; its place among the open ones. A thread's, behind them the first of each
 * four of them, behind those again the first of each four, and so on (a tournament): one that changes is compared with few.
 */
var<workgroup> keys: array<vec4<u32>, ${KEYS}>;
/** Of a chosen node: its blocks. */
var<workgroup> blocks: array<u32, ${THREADS}>;
var<workgroup> isGrown: u32;
/** 1: the tree has what it asked for. */
var<workgroup> isIdle: u32;
var<workgroup> openCount: u32;
/** The record of the node that is split next. */
var<workgroup> due: u32;
/** Nodes that may be made now, and those that are ranked. */
var<workgroup> room: u32;
var<workgroup> ranked: u32;
var<workgroup> chosen: atomic<u32>;

/** @param last what is told beside the order: of an open node its place */
fn keyOf(record: u32, last: u32) -> vec4<u32> {
  let gain = select(records[fit.records + record].gain, vec2<u32>(0u, 0u), growth.byDepth == 1u);
  return vec4<u32>(gain.y, gain.x, records[fit.records + record].id, last);
}

/** Whether one is split before the other: no number is another's. */
fn isBefore(one: vec4<u32>, other: vec4<u32>) -> bool {
  if (one.x != other.x) { return one.x > other.x; }
  if (one.y != other.y) { return one.y > other.y; }
  return one.z < other.z;
}

/** Of the open nodes whose places are a thread's. */
fn bestOfPlaces(first: u32) -> vec4<u32> {
  var best = vec4<u32>(0u, 0u, NONE, NONE);
  for (var at = first; at < openCount; at += ${THREADS}u) {
    let key = keyOf(states[fit.state + OPEN + at], at);
    if (isBefore(key, best)) { best = key; }
  }
  return best;
}

/** The first of four keys that lie side by side. */
fn firstOfFour(start: u32) -> vec4<u32> {
  var best = keys[start];
  for (var i = 1u; i < 4u; i++) {
    let key = keys[start + i];
    if (isBefore(key, best)) { best = key; }
  }
  return best;
}

/** Has the first key be that of all, after that of a thread has changed. */
fn raise(thread: u32) {
  var level = 0u;
  var at = thread;
  for (var width = ${THREADS}u; width > 1u; width /= 4u) {
    let first = firstOfFour(level + (at & ~3u));
    level += width;
    at /= 4u;
    keys[level + at] = first;
  }
}

/** After the open node of a place has changed, or there is none any more. */
fn placeOpen(at: u32, record: u32) {
  let thread = at % ${THREADS}u;
  if (at < openCount) { states[fit.state + OPEN + at] = record; }
  // Most trees have no more open nodes than there are threads, and nothing is to be read again.
  if (at < openCount && openCount <= ${THREADS}u) { keys[thread] = keyOf(record, at); } else { keys[thread] = bestOfPlaces(thread); }
  raise(thread);
}

/** Has the tree split all that it splits next and that has been made. By one thread: each turn decides the next one. */
fn splitMade() {
  var leaves = states[fit.state + LEAVES];
  var ids = states[fit.state + IDS];
  loop {
    let next = keys[FIRST_KEY];
    if (next.w == NONE || leaves == growth.maxLeaves) {
      isGrown = 1u;
      break;
    }
    let place = next.w;
    due = states[fit.state + OPEN + place];
    let left = records[fit.records + due].left;
    if (left == 0u) { break; }
    records[fit.records + left].id = ids;
    records[fit.records + left + 1u].id = ids + 1u;
    ids += 2u;
    leaves++;
    let opensLeft = records[fit.records + left].feature != ${NO_SPLIT}u;
    let opensRight = records[fit.records + left + 1u].feature != ${NO_SPLIT}u;
    if (opensLeft && opensRight) {
      openCount++;
      placeOpen(openCount - 1u, left + 1u);
      placeOpen(place, left);
    } else if (opensLeft || opensRight) {
      placeOpen(place, select(left + 1u, left, opensLeft));
    } else {
      openCount--;
      let last = states[fit.state + OPEN + openCount];
      placeOpen(openCount, last);
      placeOpen(place, last);
    }
  }
  states[fit.state + LEAVES] = leaves;
  states[fit.state + IDS] = ids;
}

fn rankedRecord(at: u32) -> u32 {
  if (growth.looksAhead == 1u) { return at; }
  return states[fit.state + OPEN + at];
}

/** The node that is due is before all others. */
fn rankKey(record: u32) -> vec4<u32> {
  if (records[fit.records + record].feature == ${NO_SPLIT}u) { return vec4<u32>(0u, 0u, NONE, ABSENT); }
  let made = select(MADE, UNMADE, records[fit.records + record].left == 0u);
  if (record == due) { return vec4<u32>(NONE, NONE, 0u, made); }
  if (growth.looksAhead == 1u) {
    return vec4<u32>(records[fit.records + record].bound.y, records[fit.records + record].bound.x, record, made);
  }
  return keyOf(record, made);
}

/** Writes which bins go left. */
fn writeTable(to: u32, record: u32) {
  if (records[fit.records + record].categorical == 1u) {
    batches[fit.batch].nodes[to].table = records[fit.records + record].binSet;
    return;
  }
  let bin = records[fit.records + record].bin;
  for (var word = 0u; word < 8u; word++) {
    var bits = 0u;
    if (bin >= 32u * word + 31u) { bits = NONE; }
    else if (bin >= 32u * word) { bits = (2u << (bin & 31u)) - 1u; }
    batches[fit.batch].nodes[to].table[word] = bits;
  }
  let missing = records[fit.records + record].missingBin;
  let bit = 1u << (missing & 31u);
  let word = missing >> 5u;
  let others = batches[fit.batch].nodes[to].table[word] & ~bit;
  batches[fit.batch].nodes[to].table[word] = others | select(0u, bit, records[fit.records + record].missingLeft == 1u);
}

@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
  fit = fits[workgroup.y];
  growth = growths[workgroup.y];
  if (thread == 0u) {
    isGrown = states[fit.state + IS_GROWN];
    isIdle = select(isGrown, 1u, states[fit.state + STEPS] >= fit.lastStep);
    // Other fits of the dispatch go on.
    if (isIdle == 1u) {
      batches[fit.batch].count = 0u;
      batches[fit.batch].blocks = 0u;
      batches[fit.batch].isRoot = 0u;
    }
    openCount = states[fit.state + OPEN_COUNT];
    // A root that cannot be split.
    if (states[fit.state + IDS] == 1u && records[fit.records].feature == ${NO_SPLIT}u) { openCount = 0u; }
    atomicStore(&chosen, 0u);
    states[fit.state + STAMP] = growth.stamp;
  }
  if (workgroupUniformLoad(&isIdle) == 1u) { return; }
  keys[thread] = bestOfPlaces(thread);
  workgroupBarrier();
  var level = 0u;
  for (var width = ${THREADS / 4}u; width >= 1u; width /= 4u) {
    if (thread < width) { keys[level + 4u * width + thread] = firstOfFour(level + 4u * thread); }
    level += 4u * width;
    workgroupBarrier();
  }
  for (var once = thread; once < 1u; once++) { splitMade(); }
  storageBarrier();
  if (thread == 0u) {
    let splits = growth.maxLeaves - states[fit.state + LEAVES];
    let left = (growth.records - states[fit.state + RECORDS]) / 2u;
    // What the tree may still split always has room, should it come to none of those that are made ahead of it.
    room = min(growth.most, select(min(left, splits), left + 1u - splits, growth.looksAhead == 1u));
    ranked = select(openCount, states[fit.state + RECORDS], growth.looksAhead == 1u);
    if (isGrown == 1u) {
      room = 0u;
      ranked = 0u;
    }
    states[fit.state + IS_GROWN] = isGrown;
    states[fit.state + OPEN_COUNT] = openCount;
    states[fit.state + STEPS] += 1u - isGrown;
  }
  let most = workgroupUniformLoad(&room);
  let many = workgroupUniformLoad(&ranked);
  for (var first = 0u; first < many; first += ${THREADS}u) {
    let at = first + thread;
    let record = rankedRecord(min(at, many - 1u));
    let own = rankKey(record);
    var before = 0u;
    var rank = 0u;
    for (var start = 0u; start < many; start += ${THREADS}u) {
      keys[thread] = rankKey(rankedRecord(min(start + thread, many - 1u)));
      workgroupBarrier();
      for (var i = 0u; i < min(${THREADS}u, many - start); i++) {
        let key = keys[i];
        if (key.w == ABSENT || !isBefore(key, own)) { continue; }
        before++;
        rank += select(0u, 1u, key.w == UNMADE);
      }
      workgroupBarrier();
    }
    let isLikely = growth.looksAhead == 0u || before < growth.maxLeaves - 1u;
    if (at < many && rank < most && own.w == UNMADE && isLikely) {
      let depth = records[fit.records + record].depth;
      atomicAdd(&chosen, 1u);
      let side = depth & 1u;
      let start = records[fit.records + record].start;
      batches[fit.batch].nodes[rank].readAt = start + side * growth.capacity;
      batches[fit.batch].nodes[rank].writeAt = start + (1u - side) * growth.capacity;
      batches[fit.batch].nodes[rank].count = records[fit.records + record].count;
      batches[fit.batch].nodes[rank].feature = records[fit.records + record].feature;
      // Of the last split's children, and of those that are not split, no histogram is asked for.
      let isLast = growth.maxLeaves - states[fit.state + LEAVES] < 2u;
      batches[fit.batch].nodes[rank].wants = select(1u, 0u, isLast || depth + 1u >= growth.maxDepth);
      batches[fit.batch].nodes[rank].record = record;
      let own = (records[fit.records + record].count + ${BLOCK_ROWS - 1}u) / ${BLOCK_ROWS}u;
      blocks[rank] = own;
      batches[fit.batch].nodes[rank].blocks = own;
      writeTable(rank, record);
    }
    // Nobody is taken for made before all are ranked.
    storageBarrier();
    workgroupBarrier();
  }
  let count = atomicLoad(&chosen);
  if (thread < count) {
    var before = 0u;
    for (var i = 0u; i < thread; i++) { before += blocks[i]; }
    batches[fit.batch].nodes[thread].firstBlock = before;
    let record = batches[fit.batch].nodes[thread].record;
    records[fit.records + record].left = states[fit.state + RECORDS] + 2u * thread;
    records[fit.records + record].spare = states[fit.state + SLOTS] + thread;
    if (thread == count - 1u) { batches[fit.batch].blocks = before + blocks[thread]; }
  }
  storageBarrier();
  workgroupBarrier();
  if (thread == 0u) {
    batches[fit.batch].count = count;
    batches[fit.batch].isRoot = 0u;
    if (count == 0u) { batches[fit.batch].blocks = 0u; }
    states[fit.state + RECORDS] += 2u * count;
    states[fit.state + SLOTS] += count;
  }
}
`;
