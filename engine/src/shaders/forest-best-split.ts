/**
 * The split of a node in the shader that grows forests, among features and cuts drawn at random, as
 * `kernels/assembly/forests/best-split.ts` finds it.
 */

import { f64Literal } from "./f64.ts";
import { type ForestForm, hasLocalSums, sumWords } from "./forest-form.ts";
import { NOISE_FACTOR } from "./split-noise.ts";

const CATEGORIES = /* wgsl */ `
/** Σ of what the noise of the node's targets is made of; known once a node. */
var<workgroup> squares: vec2<u32>;
var<workgroup> hasSquares: u32;
/** Classes whose share orders categories: a random half of them, or the heaviest alone where it is 0. */
var<workgroup> half: vec2<u32>;
var<workgroup> heaviest: u32;
var<workgroup> roots: vec2<u32>;
var<workgroup> mean: vec2<u32>;

fn isInside(column: u32) -> bool {
  if ((half.x | half.y) == 0u) { return column == heaviest; }
  let bit = column & 63u;
  return ((select(half.x, half.y, bit >= 32u) >> (bit & 31u)) & 1u) == 1u;
}

/** Of a bin: what it is sorted by, as a quotient, and its weight. */
fn sharesOf(bin: u32) -> vec4<u32> {
  if (!HAS_CLASSES) { return vec4<u32>(sumAt(bin, 1u), sumAt(bin, 0u)); }
  var inside = vec2<u32>(0u, 0u);
  var weight = inside;
  for (var c = 0u; c < WIDTH; c++) {
    let own = sumAt(bin, c);
    weight = wholePlus(weight, own);
    if (isInside(c)) { inside = wholePlus(inside, own); }
  }
  return vec4<u32>(inside, weight);
}

/** Sorts the bins by the mean of their targets, or the share of classes; those that are equal keep their order. */
fn sortBins(thread: u32, touched: u32) {
  for (var i = thread; i < touched; i += THREADS) {
    keepNumber(i, squareRoot(fromWhole(sharesOf(order[i]).zw)));
  }
  workgroupBarrier();
  if (thread == 0u) {
    roots = ZERO;
    for (var i = 0u; i < touched; i++) { roots = plus(roots, numberOf(i)); }
  }
  workgroupBarrier();
  for (var i = thread; i < touched; i += THREADS) {
    let shares = sharesOf(order[i]);
    keepNumber(i, ordered(over(fromWhole(shares.xy), fromWhole(shares.zw))));
  }
  workgroupBarrier();
  var sorted: array<vec2<u32>, BINS_OF_THREAD>;
  var many = 0u;
  for (var i = thread; i < touched; i += THREADS) {
    let key = numberOf(i);
    var place = 0u;
    for (var j = 0u; j < touched; j++) {
      let other = numberOf(j);
      if (isBelow(other, key) || (isSame(other, key) && j < i)) { place += 1u; }
    }
    sorted[many] = vec2<u32>(place, order[i]);
    many += 1u;
  }
  workgroupBarrier();
  for (var i = 0u; i < many; i++) { order[sorted[i].x] = sorted[i].y; }
  workgroupBarrier();
}

/** Squares of what the rows stray by, or of their weights, one after another. */
fn sumSquares(thread: u32, count: u32) {
  if (thread == 0u) {
    squares = ZERO;
    if (!HAS_CLASSES) { mean = over(totals[1], totals[0]); }
  }
  workgroupBarrier();
  for (var first = 0u; first < count; first += THREADS) {
    if (first + thread < count) {
      let stat = stats[nodeStart + first + thread];
      var value = stat.xy;
      if (!HAS_CLASSES) { value = minus(stat.zw, times(mean, stat.xy)); }
      keepNumber(thread, times(value, value));
    }
    workgroupBarrier();
    if (thread == 0u) {
      for (var i = 0u; i < min(THREADS, count - first); i++) { squares = plus(squares, numberOf(i)); }
    }
    workgroupBarrier();
  }
}

/** How much of a class's variance an order by the share of some classes tells; 0 where they are none, or all. */
fn toldOfClasses() -> vec2<u32> {
  let one = ${f64Literal(1)};
  var inside = ZERO;
  var squaresInside = ZERO;
  var squaresOutside = ZERO;
  for (var c = 0u; c < WIDTH; c++) {
    let share = over(totals[c], totalWeight);
    if (isInside(c)) {
      inside = plus(inside, share);
      squaresInside = squaresPlus(squaresInside, share);
    } else { squaresOutside = squaresPlus(squaresOutside, share); }
  }
  if (isZero(inside) || !isBelow(inside, one)) { return ZERO; }
  let outside = minus(one, inside);
  return plus(
    over(times(squaresInside, outside), inside),
    over(times(squaresOutside, inside), outside),
  );
}

/** What sorting by the targets finds in noise. By one thread. */
fn noiseOfOrder(count: u32) {
  var variance: vec2<u32>;
  if (HAS_CLASSES) {
    let told = toldOfClasses();
    noise = ZERO;
    if (isZero(told)) { return; }
    variance = over(times(told, squares), totalWeight);
  } else {
    let known = over(fromWhole(vec2<u32>(max(count - 1u, 1u), 0u)), fromWhole(vec2<u32>(count, 0u)));
    variance = over(over(squares, known), totalWeight);
  }
  let groups = minus(over(times(roots, roots), totalWeight), ${f64Literal(2)});
  noise = ZERO;
  if ((groups.y & 0x80000000u) != 0u) { return; }
  noise = times(times(${NOISE_FACTOR}, variance), groups);
  if (!HAS_CLASSES) { noise = times(noise, totalWeight); }
}
`;

const FEATURES = /* wgsl */ `
/** Of the feature that is tried: 0 = no more are. */
var<workgroup> goesOn: u32;
var<workgroup> feature: u32;
var<workgroup> kind: u32;
var<workgroup> tried: u32;
var<workgroup> varied: u32;
var<workgroup> touchedBins: u32;
/** How it is cut: so many sweeps, the first up to here, behind one bin alone, with a bin from the start. */
var<workgroup> sweeps: u32;
var<workgroup> limit: u32;
var<workgroup> onlyCut: u32;
var<workgroup> joinedBin: u32;
var<workgroup> hasMissing: u32;
var<workgroup> cutBin: u32;

fn drawFeature() {
  goesOn = select(0u, 1u, tried < shape.features && (tried < shape.nodeFeatures || varied == 0u));
  if (goesOn == 0u) { return; }
  let here = permutationAt() + tried;
  let other = here + below(shape.features - tried, nextBits());
  feature = state[other];
  state[other] = state[here];
  state[here] = feature;
  kind = kinds[feature];
  tried += 1u;
}

/** Lists the bins that have rows. */
fn listBins(thread: u32) {
  let first = thread * BINS_OF_THREAD;
  var own = 0u;
  for (var i = 0u; i < BINS_OF_THREAD; i++) {
    if (atomicLoad(&counts[first + i]) > 0u) { own += 1u; }
  }
  var at = scan(thread, own) - own;
  for (var i = 0u; i < BINS_OF_THREAD; i++) {
    if (atomicLoad(&counts[first + i]) == 0u) { continue; }
    order[at] = first + i;
    at += 1u;
  }
  if (thread == THREADS - 1u) { touchedBins = at; }
}

/** What is tried of the bins that the node has. */
fn planSweeps(touched: u32) {
  let missing = kind & 255u;
  let isRandom = shape.randomCuts == 1u;
  sweeps = 0u;
  onlyCut = NONE;
  joinedBin = NONE;
  noise = ZERO;
  hasMissing = select(0u, 1u, order[touched - 1u] == missing);
  let values = touched - hasMissing;
  if (touched < 2u) { return; }
  varied += 1u;
  if (kind >= 256u) {
    limit = touched - 1u;
    sweeps = 1u;
    if (isRandom) { onlyCut = below(touched - 1u, nextBits()); }
    else if (HAS_CLASSES) { sweeps = 2u; }
    return;
  }
  limit = select(values - 1u, values, hasMissing == 1u);
  sweeps = select(1u, 2u, hasMissing == 1u && values > 1u);
  if (!isRandom) { return; }
  cutBin = missing - 1u;
  if (values > 1u) {
    let lowest = order[0];
    cutBin = lowest + below(order[values - 1u] - lowest, nextBits());
  }
  onlyCut = 0u;
  while (onlyCut + 1u < values && order[onlyCut + 1u] <= cutBin) { onlyCut += 1u; }
}

/** Before a sweep. @param number of it */
fn beginSweep(number: u32) {
  half = vec2<u32>(0u, 0u);
  if (kind < 256u) {
    if (number == 1u) {
      joinedBin = kind & 255u;
      limit -= 1u;
    }
    return;
  }
  // By the heaviest class first, unless one random cut is all.
  if (HAS_CLASSES && (number == 1u || shape.randomCuts == 1u)) {
    let low = nextBits();
    half = vec2<u32>(low, nextBits());
  }
}

fn isUnseenLeft() -> bool {
  return isBelow(totalWeight, times(${f64Literal(2)}, foundWeight));
}

/** Writes the split that the last sweep found. */
fn keepSplit(at: u32) {
  let missing = kind & 255u;
  nodes[at].feature = feature;
  nodes[at].categorical = select(0u, 1u, kind >= 256u);
  if (kind < 256u) {
    if (shape.randomCuts == 1u) { nodes[at].bin = cutBin; }
    else {
      nodes[at].bin = missing - 1u;
      if (foundCount < touchedBins - hasMissing) {
        nodes[at].bin = (order[foundCount - 1u] + order[foundCount]) >> 1u;
      }
    }
    let isLeft = select(isUnseenLeft(), joinedBin != NONE, hasMissing == 1u);
    nodes[at].missingLeft = select(0u, 1u, isLeft);
    return;
  }
  var binSet = array<u32, 8>();
  for (var i = 0u; i < foundCount; i++) { binSet[order[i] >> 5u] |= 1u << (order[i] & 31u); }
  if (isUnseenLeft()) {
    for (var bin = 0u; bin < 256u; bin++) {
      if (bin > missing || atomicLoad(&counts[bin]) == 0u) { binSet[bin >> 5u] |= 1u << (bin & 31u); }
    }
  }
  nodes[at].binSet = binSet;
  nodes[at].missingLeft = (binSet[missing >> 5u] >> (missing & 31u)) & 1u;
}

/** What a node's scores are held against. By one thread. */
fn beginNode() {
  hasSquares = 0u;
  tried = 0u;
  varied = 0u;
  heaviest = 0u;
  if (!HAS_CLASSES) {
    totalWeight = totals[0];
    foundScore = times(shape.minGain, totalWeight);
    return;
  }
  totalWeight = ZERO;
  parentScore = ZERO;
  for (var c = 0u; c < WIDTH; c++) {
    totalWeight = plus(totalWeight, totals[c]);
    parentScore = squaresPlus(parentScore, totals[c]);
    if (isBelow(totals[heaviest], totals[c])) { heaviest = c; }
  }
  parentScore = over(parentScore, totalWeight);
  // Any split of classes will do.
  foundScore = plus(parentScore, times(parentScore, ${f64Literal(-1e-12)}));
}

/** What the best split gains, as it is kept. */
fn gainOf() -> vec2<u32> {
  var gain: vec2<u32>;
  if (HAS_CLASSES) { gain = minus(foundScore, parentScore); } else { gain = over(foundScore, totalWeight); }
  return select(gain, ZERO, (gain.y & 0x80000000u) != 0u);
}

var<workgroup> isOpen: u32;

/** Sums a node, and finds its split where it may have one. */
fn prepare(thread: u32, id: u32) {
  let at = nodeAt(id);
  if (thread == 0u) {
    nodeStart = tree * 2u * shape.capacity + nodes[at].start;
    nodeRows = nodes[at].count;
  }
  let count = workgroupUniformLoad(&nodeRows);
  sumNode(thread, count);
  workgroupBarrier();
  for (var c = thread; c < WIDTH; c += THREADS) { sums[at * WIDTH + c] = totals[c]; }
  if (thread == 0u) {
    let many = atomicLoad(&distinct);
    nodes[at].rows = many;
    nodes[at].feature = NONE;
    nodes[at].gain = ZERO;
    nodes[at].bin = 0u;
    nodes[at].missingLeft = 0u;
    nodes[at].categorical = 0u;
    nodes[at].left = 0u;
    let isDeepest = shape.maxDepth > 0u && nodes[at].depth >= shape.maxDepth;
    isOpen = select(1u, 0u, atomicLoad(&isMixed) == 0u || many < 2u * shape.minLeaf || isDeepest);
    if (isOpen == 1u) { beginNode(); }
  }
  if (workgroupUniformLoad(&isOpen) == 0u) { return; }
  loop {
    if (thread == 0u) { drawFeature(); }
    if (workgroupUniformLoad(&goesOn) == 0u) { break; }
    sumBins(thread, count, feature, kind & 255u);
    listBins(thread);
    let touched = workgroupUniformLoad(&touchedBins);
    if (thread == 0u) { planSweeps(touched); }
    let many = workgroupUniformLoad(&sweeps);
    for (var number = 0u; number < many; number++) {
      if (thread == 0u) { beginSweep(number); }
      if (workgroupUniformLoad(&kind) >= 256u) {
        sortBins(thread, touched);
        if (workgroupUniformLoad(&hasSquares) == 0u) { sumSquares(thread, count); }
        if (thread == 0u) {
          hasSquares = 1u;
          noiseOfOrder(count);
        }
        workgroupBarrier();
      }
      let upToHere = workgroupUniformLoad(&limit);
      let only = workgroupUniformLoad(&onlyCut);
      let joined = workgroupUniformLoad(&joinedBin);
      sweep(thread, touched, upToHere, only, joined);
      if (thread == 0u && foundCount > 0u) { keepSplit(at); }
      workgroupBarrier();
    }
  }
  if (thread == 0u && nodes[at].feature != NONE) {
    nodes[at].gain = gainOf();
    openNode(id);
  }
  workgroupBarrier();
}
`;

export function findSplit(form: ForestForm): string {
  const base = hasLocalSums(form) ? "0u" : `tree * ${sumWords(form)}u`;
  return `fn tallyOfTree() -> u32 { return ${base}; }\n${CATEGORIES}${FEATURES}`;
}
