/**
 * What the shaders that grow trees as a whole have in common: how nodes and what all steps go by lie there, numbers of
 * the kernels' search (`kernels/assembly/growing/split.ts`) in f64 by integers, and the best of a workgroup.
 *
 * A step splits several nodes: the one that the tree splits next, and beside it those that it likely splits (`plan.ts`).
 * Their rows are parted by `partition.ts` and summed by `histogram.ts`; `search.ts` finds the best cut of each feature of
 * the children, `settle.ts` that of each child. What comes of a node waits until the tree has it split, or never does: the
 * rows of a node are read on one side of a buffer and written to the other, so that a node that stays a leaf has its rows
 * where they were, and a node is split ahead of time once at most. So a tree is what it would be node by node.
 */

import { F64_PRODUCTS, OVER } from "../f64.ts";
import { ORDER, WHOLE } from "../f64-whole.ts";
import { FITS, MOST_FITS } from "../fits.ts";
import { BATCH } from "../partition.ts";

/** What is known of all trees of a fit. */
export interface GrowthForm {
  readonly hasCategories: boolean;
}

/**
 * How far scores in f32 may be from those in f64, as a share of what they are without alpha: they are sums of products, some
 * twenty roundings of 2⁻²⁴, and WGSL's quotient errs by 2½ of them. What alpha takes from a gradient is a difference, whose error is a
 * share of the gradient.
 */
export const ROUGH = 4e-6;

/** A node, as `kernels/assembly/growing/record-layout.ts` has it. */
export const RECORD = /* wgsl */ `
struct Record {
  start: u32,
  count: u32,
  depth: u32,
  /** Its number in the tree, once it is a node of it. */
  id: u32,
  left: u32,
  /** Its histogram, and the one that its smaller child gets. */
  slot: u32,
  spare: u32,
  missingBin: u32,
  sum: vec2<u32>,
  score: vec2<u32>,
  gain: vec2<u32>,
  feature: u32,
  bin: u32,
  missingLeft: u32,
  categorical: u32,
  leftSum: vec2<u32>,
  leftCount: u32,
  unused: u32,
  /** The least gain (f64) of its own split and of those above it. */
  bound: vec2<u32>,
  /** A bit a bin that goes left. */
  binSet: array<u32, 8>,
}
`;

/** As `layout.ts` has them. */
export const GROWTH = /* wgsl */ `
${FITS}
struct Growth {
  maxLeaves: u32,
  maxDepth: u32,
  byDepth: u32,
  /** Nodes of a step. */
  most: u32,
  /** Most rows of a tree: from one side to the other. */
  capacity: u32,
  records: u32,
  stamp: u32,
  /** Of a histogram. */
  entries: u32,
  roughAlpha: f32,
  minData: u32,
  /** Of categories: up to so many each is tried against the rest; most on the listed side. */
  oneVersusRest: u32,
  maxCategories: u32,
  /** 1: scores in f32 are near theirs, by alpha and lambda in f32. */
  hasRough: u32,
  roughLambda: f32,
  roughSortedLambda: f32,
  /** 1: also children of nodes that the tree has not split yet are chosen. */
  looksAhead: u32,
  /** The rest is f64, in quantised units. */
  alpha: vec2<u32>,
  lambda: vec2<u32>,
  minHessian: vec2<u32>,
  /** Rows of a side at least, less half a row. */
  minRows: vec2<u32>,
  /** By which the score of a split is to beat its node's. */
  minRise: vec2<u32>,
  /** Loss reduction in one unit of score. */
  unit: vec2<u32>,
  /** Of categories: lambda of those that are sorted, what smooths their order, rows of a group less half a row, noise. */
  sortedLambda: vec2<u32>,
  smoothing: vec2<u32>,
  groupRows: vec2<u32>,
  variance: vec2<u32>,
}
${RECORD}
@group(0) @binding(1) var<uniform> growths: array<Growth, ${MOST_FITS}>;

/** Of the workgroup's fit. Where threads wait for each other must be the same for all of them, so that the uniforms are asked. */
var<private> fit: Fit;
var<private> growth: Growth;
`;

const NUMBERS = /* wgsl */ `
const ZERO = vec2<u32>(0u, 0u);
${F64_PRODUCTS}
${OVER}
${WHOLE}
${ORDER}

fn fromCount(value: u32) -> vec2<u32> { return fromWhole(vec2<u32>(value, 0u)); }

/** The size of a sum of gradients, less what L1 takes. */
fn shrunk(gradient: u32) -> vec2<u32> {
  let size = select(gradient, 0u - gradient, (gradient & 0x80000000u) != 0u);
  let rest = minus(fromCount(size), growth.alpha);
  return select(rest, ZERO, (rest.y & 0x80000000u) != 0u);
}

/** Twice a number that is not below the normal ones. */
fn doubled(value: vec2<u32>) -> vec2<u32> { return value + vec2<u32>(0u, 0x100000u); }

fn larger(one: vec2<u32>, other: vec2<u32>) -> vec2<u32> { return select(one, other, isBelow(one, other)); }

/** Of a number from 0 to below 2³²: the whole number that is not above it. */
fn floorOf(value: vec2<u32>) -> u32 {
  let exponent = (value.y >> 20u) & 0x7ffu;
  if (exponent < 1023u) { return 0u; }
  let by = 1075u - exponent;
  let high = (value.y & 0xfffffu) | 0x100000u;
  if (by >= 32u) { return high >> (by - 32u); }
  return (value.x >> by) | (high << (32u - by));
}

/** And the one that is not below it. */
fn ceilingOf(value: vec2<u32>) -> u32 {
  let whole = floorOf(value);
  return whole + select(0u, 1u, isBelow(fromCount(whole), value));
}
`;

/** What a feature offers a node. */
const candidate = ({ hasCategories }: GrowthForm): string => /* wgsl */ `
struct Candidate {
  /** 0: nothing. */
  score: vec2<u32>,
  leftSum: vec2<u32>,
  /** Of the node. */
  sum: vec2<u32>,
  bin: u32,
  missingLeft: u32,
  ${hasCategories ? "binSet: array<u32, 8>," : ""}
}
`;

/** What is done for each child of nodes that were split: which they are, and what there is of them. */
export const ofChildren = (form: GrowthForm): string => /* wgsl */ `
${GROWTH}
${NUMBERS}
${candidate(form)}
${BATCH}
@group(0) @binding(2) var<storage, read> batches: array<Batch>;
/** A listed feature: its number, first entry, value bins, 1 = categorical. */
@group(0) @binding(3) var<storage, read> features: array<vec4<u32>>;
/** Rows of each node that went left. */
@group(0) @binding(4) var<storage, read> heads: array<vec4<u32>>;
`;

/** So many threads look at as many others each, since all threads wait for each other seldom then. */
export const leadersOf = (threads: number): number => Math.sqrt(threads);

export const findBest = (threads: number): string => /* wgsl */ `
var<workgroup> scores: array<vec2<u32>, ${threads}>;
/** What a score is of; the least of equal ones is the best. */
var<workgroup> cuts: array<u32, ${threads}>;

/** The best of so many, so far apart, comes to be the first. */
fn takeBest(first: u32, many: u32, apart: u32) {
  var best = first;
  for (var i = first + apart; i < first + many * apart; i += apart) {
    let isEqual = scores[i].x == scores[best].x && scores[i].y == scores[best].y;
    if (isBelow(scores[best], scores[i]) || (isEqual && cuts[i] < cuts[best])) { best = i; }
  }
  scores[first] = scores[best];
  cuts[first] = cuts[best];
}

/** The best of all threads comes to be the first. */
fn findBest(thread: u32, score: vec2<u32>, cut: u32) {
  scores[thread] = score;
  cuts[thread] = cut;
  workgroupBarrier();
  if (thread < ${leadersOf(threads)}u) { takeBest(thread * ${leadersOf(threads)}u, ${leadersOf(threads)}u, 1u); }
  workgroupBarrier();
  if (thread == 0u) { takeBest(0u, ${leadersOf(threads)}u, ${leadersOf(threads)}u); }
  workgroupBarrier();
}
`;
