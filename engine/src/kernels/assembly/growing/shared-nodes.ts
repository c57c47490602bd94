/**
 * The work on one node of a tree, shared by the threads of a fit: moving its rows, building its
 * histogram, searching its split.
 *
 * Rows keep their order, sums are of integers, and of equally good splits the first is taken, so the
 * tree is what one thread grows.
 */

import {
  claimUnit,
  countAt,
  isHelped,
  joinJob,
  openedJob,
  openJob,
  tell,
  told,
} from "../crew/crew";
import { GATHER, HISTOGRAM, MOST_UNITS, PARTITION, SCAN, SUM_ROOT } from "../crew/crew-layout";
import { beginSearch, searchFeatures, settle } from "./best-split";
import { areGradientsAway, fillAway, isAway } from "./device";
import { addEntries, addRows, cellsOfRow, clearHistogram, subtractEntries } from "./histogram";
import {
  BLOCK_ROWS,
  CANDIDATES,
  COLUMN_MAJOR,
  COLUMN_STRIDE,
  CREW,
  FEATURE_COUNT,
  FEATURE_LIST,
  HISTOGRAM_ENTRIES,
  NODE_BYTES,
  OFFSETS,
  PACKED,
  PLACE_COUNT,
  ROOT_SUM,
  ROW_COUNT,
  ROWS,
  ROWS_SCRATCH,
  SCRATCH,
  SOURCE_ROWS,
  TABLE,
  UNIT_CELLS,
  VALUE_BINS,
} from "./layout";
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types alone.
import { Node } from "./nodes";
import { gatherApart, partitionApart } from "./partition";
import { blockOf, histogramForJob, histogramOf, holdsJob, scratchOf } from "./places";
import { histogramAt, pointer } from "./unsplit";

/** Moving a row costs as much as so many cells of a histogram. */
const CELLS_A_MOVE = 8;

/** Units from which on a job is worth waking a thread. */
const LARGE = 8;

/** Flags of a search. */
const OF_FIRST: u32 = 1;
const OF_SECOND: u32 = 2;
const SUBTRACT: u32 = 4;

/** Rows of a unit, so that a job has few enough. */
export function unitRows(p: usize, count: i32, cellsOfRow: i32): i32 {
  return max(max(8, load<i32>(p, UNIT_CELLS) / cellsOfRow), (count + MOST_UNITS - 1) / MOST_UNITS);
}

/** Units for moving so many rows; below 2 where it is not to be shared. */
export function unitsOfRows(p: usize, count: i32): i32 {
  const size = unitRows(p, count, CELLS_A_MOVE);
  if (!isHelped(pointer(p, CREW), count >= LARGE * size)) return 0;
  return (count + size - 1) / size;
}

export function sizeOfUnit(p: usize, count: i32, unit: i32): i32 {
  const size = unitRows(p, count, CELLS_A_MOVE);
  return min(size, count - unit * size);
}

export function startOfUnit(p: usize, count: i32, unit: i32): i32 {
  return unit * unitRows(p, count, CELLS_A_MOVE);
}

// The root's rows

/** Copies rows of the root; returns the sum of their packed gradients. */
export function takeRows(p: usize, from: i32, count: i32): i64 {
  const start = usize(from) << 2;
  const source = pointer(p, SOURCE_ROWS) + start;
  const packed = pointer(p, PACKED);
  memory.copy(pointer(p, ROWS) + start, source, usize(count) << 2);
  let sum: i64 = 0;
  for (let i = 0; i < count; i++) {
    sum += load<i64>(packed + (usize(load<u32>(source + (usize(i) << 2))) << 3));
  }
  return sum;
}

export function rootUnit(p: usize, unit: i32): void {
  const count = load<i32>(p, ROW_COUNT);
  const sum = takeRows(p, startOfUnit(p, count, unit), sizeOfUnit(p, count, unit));
  store<i64>(candidateAt(p, unit, 0), sum);
}

/** Copies the root's rows; returns the sum of their packed gradients. */
export function takeRoot(p: usize): i64 {
  if (areGradientsAway(p)) return load<i64>(p, ROOT_SUM);
  const count = load<i32>(p, ROW_COUNT);
  const units = unitsOfRows(p, count);
  if (units < 2) return takeRows(p, 0, count);
  const crew = pointer(p, CREW);
  openJob(crew, SUM_ROOT, p, units);
  let begun = units;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    rootUnit(p, unit);
    begun--;
  }
  joinJob(crew, begun);
  let sum: i64 = 0;
  for (let unit = 0; unit < units; unit++) sum += load<i64>(candidateAt(p, unit, 0));
  return sum;
}

// Moving rows

/** The bins of the feature that a node is split by. */
export function columnOf(p: usize, node: Node): usize {
  return pointer(p, COLUMN_MAJOR) + usize(node.feature) * pointer(p, COLUMN_STRIDE);
}

export function partitionUnit(crew: usize, p: usize, unit: i32): void {
  const node = changetype<Node>(told(crew, 0));
  const count = i32(node.count);
  const start = usize(i32(node.start) + startOfUnit(p, count, unit)) << 2;
  const left = partitionApart(
    pointer(p, ROWS) + start,
    sizeOfUnit(p, count, unit),
    pointer(p, ROWS_SCRATCH) + start,
    columnOf(p, node),
    pointer(p, SCRATCH) + TABLE,
  );
  store<i32>(countAt(crew, unit), left);
}

/** Counts tell how many rows of the units before went left; a unit's own is the step to the next. */
export function gatherUnit(crew: usize, p: usize, unit: i32): void {
  const node = changetype<Node>(told(crew, 0));
  const goesLeft = i32(told(crew, 1));
  const count = i32(node.count);
  const size = sizeOfUnit(p, count, unit);
  const start = startOfUnit(p, count, unit);
  const before = load<i32>(countAt(crew, unit));
  const after = start + size < count ? load<i32>(countAt(crew, unit + 1)) : goesLeft;
  const rows = pointer(p, ROWS) + (usize(node.start) << 2);
  gatherApart(
    pointer(p, ROWS_SCRATCH) + (usize(i32(node.start) + start) << 2),
    size,
    after - before,
    rows + (usize(before) << 2),
    rows + (usize(goesLeft + start - before) << 2),
  );
}

/** As `partition`, by the table in SCRATCH. */
export function sharePartition(p: usize, node: Node, units: i32): i32 {
  const crew = pointer(p, CREW);
  tell(crew, 0, changetype<usize>(node));
  openJob(crew, PARTITION, p, units);
  let begun = units;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    partitionUnit(crew, p, unit);
    begun--;
  }
  joinJob(crew, begun);
  let goesLeft = 0;
  for (let unit = 0; unit < units; unit++) {
    const own = load<i32>(countAt(crew, unit));
    store<i32>(countAt(crew, unit), goesLeft);
    goesLeft += own;
  }
  tell(crew, 1, goesLeft);
  openJob(crew, GATHER, p, units);
  begun = units;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    gatherUnit(crew, p, unit);
    begun--;
  }
  joinJob(crew, begun);
  return goesLeft;
}

// Histograms

/** Units of a node at least, as far as they are of more rows than need be. */
const LEAST_UNITS = 8;

/** Rows of a unit: a whole block, which is added up sooner than several small ones, where the node has several. */
function unitOfHistogram(p: usize, count: i32): i32 {
  const block = min(load<i32>(p, BLOCK_ROWS), count / LEAST_UNITS);
  return max(block, unitRows(p, count, cellsOfRow(p)));
}

function addUnit(crew: usize, p: usize, unit: i32, histogram: usize, block: usize): void {
  const count = i32(told(crew, 1));
  const size = unitOfHistogram(p, count);
  const from = unit * size;
  addRows(p, told(crew, 0) + (usize(from) << 2), min(size, count - from), histogram, block);
}

/** Of a helper: adds the unit's rows to its own histogram. */
export function histogramUnit(crew: usize, p: usize, unit: i32, place: i32): void {
  addUnit(crew, p, unit, histogramForJob(p, place, openedJob(crew)), blockOf(p, place));
}

/** Below what merging costs, a node is left to one thread. */
function unitsOfHistogram(p: usize, count: i32): i32 {
  const cellsEach = cellsOfRow(p);
  const cells = load<i32>(p, UNIT_CELLS);
  const merging = min(4 * load<i32>(p, HISTOGRAM_ENTRIES), 8 * cells);
  const all = i64(count) * cellsEach;
  if (all < i64(2 * cells + merging)) return 0;
  if (!isHelped(pointer(p, CREW), all >= i64(LARGE * cells))) return 0;
  const size = unitOfHistogram(p, count);
  return (count + size - 1) / size;
}

/**
 * Builds the histogram of a node. What is returned is a bit for each place that holds a part of it,
 * which `shareSearch` or `mergeParts` then add.
 */
export function shareHistogram(p: usize, node: Node): u32 {
  const histogram = histogramAt(p, node.slot);
  const rows = pointer(p, ROWS) + (usize(node.start) << 2);
  const count = i32(node.count);
  const block = blockOf(p, 0);
  clearHistogram(p, histogram);
  if (isAway(p, node)) {
    fillAway(p, node, histogram, true);
    return 0;
  }
  const units = unitsOfHistogram(p, count);
  if (units < 2) {
    addRows(p, rows, count, histogram, block);
    return 0;
  }
  const crew = pointer(p, CREW);
  tell(crew, 0, rows);
  tell(crew, 1, count);
  const job = openJob(crew, HISTOGRAM, p, units);
  let begun = units;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    addUnit(crew, p, unit, histogram, block);
    begun--;
  }
  joinJob(crew, begun);
  let parts: u32 = 0;
  const places = load<i32>(p, PLACE_COUNT);
  for (let place = 1; place <= places; place++) {
    if (holdsJob(p, place, job)) parts |= 1 << place;
  }
  return parts;
}

/** Adds the parts of a node's histogram that helpers hold. */
export function mergeParts(p: usize, node: Node, parts: u32): void {
  const bytes = usize(load<u32>(p, HISTOGRAM_ENTRIES)) << 3;
  mergeEntries(p, node, parts, 0, bytes);
}

function mergeEntries(p: usize, node: Node, parts: u32, from: usize, bytes: usize): void {
  for (let rest = parts; rest !== 0; rest &= rest - 1) {
    const part = histogramOf(p, i32(ctz<u32>(rest)));
    addEntries(histogramAt(p, node.slot) + from, part + from, bytes);
  }
}

// Searching splits

function candidateAt(p: usize, unit: i32, which: i32): usize {
  return pointer(p, CANDIDATES) + usize(2 * unit + which) * NODE_BYTES;
}

/** Looking for the splits of a feature at all costs as much as so many of its entries, and a unit as so many in all. */
const ENTRIES_OF_FEATURE = 16;
const ENTRIES_OF_UNIT = 2048;

/** What looking for the splits of the first `j` features costs, in entries. */
function searchBefore(p: usize, j: i32): i32 {
  const features = load<i32>(p, FEATURE_COUNT);
  let entries = load<i32>(p, HISTOGRAM_ENTRIES);
  if (j < features) {
    const feature = usize(load<u32>(pointer(p, FEATURE_LIST) + (usize(j) << 2)));
    entries = load<i32>(pointer(p, OFFSETS) + (feature << 2));
  }
  return entries + ENTRIES_OF_FEATURE * j;
}

function searchUnits(p: usize): i32 {
  const all = searchBefore(p, load<i32>(p, FEATURE_COUNT));
  return min(MOST_UNITS, max(1, all / ENTRIES_OF_UNIT));
}

/** The first feature of a unit, by its place in the list; of the unit behind the last, how many there are. */
function firstSearched(p: usize, unit: i32): i32 {
  const features = load<i32>(p, FEATURE_COUNT);
  const least = i64(unit) * searchBefore(p, features);
  const units = searchUnits(p);
  let from = 0;
  let to = features;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (i64(searchBefore(p, middle)) * units < least) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Units for searching nodes' splits; below 2 where it is not to be shared. */
export function unitsOfSearch(p: usize): i32 {
  if (load<i32>(p, HISTOGRAM_ENTRIES) < load<i32>(p, UNIT_CELLS) >> 3) return 0;
  return isHelped(pointer(p, CREW), false) ? searchUnits(p) : 0;
}

function searchUnitOf(p: usize, id: i32, node: Node, unit: i32, which: i32, place: i32): void {
  const at = candidateAt(p, unit, which);
  memory.copy(at, changetype<usize>(node), NODE_BYTES);
  const candidate = changetype<Node>(at);
  const from = firstSearched(p, unit);
  const to = firstSearched(p, unit + 1);
  const floor = beginSearch(p, candidate);
  candidate.gain = searchFeatures(p, id, candidate, from, to, floor, scratchOf(p, place));
}

/** Adds up, subtracts and searches the histograms of some features. */
export function searchUnit(crew: usize, p: usize, unit: i32, place: i32): void {
  const first = changetype<Node>(told(crew, 0));
  const second = changetype<Node>(told(crew, 1));
  const flags = u32(told(crew, 2));
  const parts = u32(told(crew, 3));
  const list = pointer(p, FEATURE_LIST);
  const to = firstSearched(p, unit + 1);
  for (let j = firstSearched(p, unit); j < to; j++) {
    const at = usize(load<u32>(list + (usize(j) << 2))) << 2;
    const from = usize(load<u32>(pointer(p, OFFSETS) + at)) << 3;
    const bytes = usize(load<i32>(pointer(p, VALUE_BINS) + at) + 1) << 3;
    mergeEntries(p, first, parts, from, bytes);
    if ((flags & SUBTRACT) !== 0) {
      const other = histogramAt(p, second.slot);
      subtractEntries(other + from, histogramAt(p, first.slot) + from, bytes);
    }
  }
  if ((flags & OF_FIRST) !== 0) searchUnitOf(p, i32(told(crew, 4)), first, unit, 0, place);
  if ((flags & OF_SECOND) !== 0) searchUnitOf(p, i32(told(crew, 5)), second, unit, 1, place);
}

/**
 * Adds the parts of the first node's histogram, subtracts it from the second's, which then is its
 * parent's, and searches both. `foundShared` then takes the best of what the units found.
 *
 * @param firstId draws random thresholds, and is of no matter without them; as `secondId`
 */
export function shareSearch(
  p: usize,
  first: Node,
  second: Node,
  firstId: i32,
  secondId: i32,
  ofFirst: bool,
  ofSecond: bool,
  subtract: bool,
  parts: u32,
  units: i32,
): void {
  const crew = pointer(p, CREW);
  tell(crew, 0, changetype<usize>(first));
  tell(crew, 1, changetype<usize>(second));
  let flags: u32 = 0;
  if (ofFirst) flags |= OF_FIRST;
  if (ofSecond) flags |= OF_SECOND;
  if (subtract) flags |= SUBTRACT;
  tell(crew, 2, flags);
  tell(crew, 3, parts);
  tell(crew, 4, firstId);
  tell(crew, 5, secondId);
  openJob(crew, SCAN, p, units);
  let begun = units;
  for (let unit = claimUnit(crew); unit >= 0; unit = claimUnit(crew)) {
    searchUnit(crew, p, unit, 0);
    begun--;
  }
  joinJob(crew, begun);
}

/** Writes the best split found into a node of the last search (0 or 1). Returns whether there is one. */
export function foundShared(p: usize, node: Node, which: i32, units: i32): bool {
  let best = beginSearch(p, node);
  const own = offsetof<Node>("gain");
  for (let unit = 0; unit < units; unit++) {
    const at = candidateAt(p, unit, which);
    const gain = changetype<Node>(at).gain;
    if (gain <= best) continue;
    best = gain;
    memory.copy(changetype<usize>(node) + own, at + own, usize(NODE_BYTES) - own);
  }
  return settle(node, best);
}
