/** Children of nodes that were split, and the best split of each. */

import { f64Literal } from "../f64.ts";
import { findBest, type GrowthForm, ofChildren } from "./form.ts";
import { NO_SPLIT } from "./layout.ts";

/** Of a workgroup, each of several features. */
const THREADS = 64;

/** Workgroups: x any number, y a fit; each takes one child after another. Writes the child with the best split of all features, the first of the best. */
export const settleShader = (form: GrowthForm): string => /* wgsl */ `
${ofChildren(form)}
@group(0) @binding(5) var<storage, read> candidates: array<Candidate>;
@group(0) @binding(6) var<storage, read_write> records: array<Record>;

${findBest(THREADS)}

/** Writes what the best split gains, where it gains enough. @param parent itself, of the root */
fn keepSplit(at: u32, parent: u32, best: Candidate, feature: vec4<u32>) {
  let size = shrunk(best.sum.y);
  let own = over(times(size, size), plus(fromCount(best.sum.x), growth.lambda));
  let tiny = times(own, ${f64Literal(1e-12)});
  if (!isBelow(plus(own, larger(growth.minRise, tiny)), best.score)) { return; }
  records[fit.records + at].score = best.score;
  let gain = times(minus(best.score, own), growth.unit);
  records[fit.records + at].gain = gain;
  let above = records[fit.records + parent].bound;
  records[fit.records + at].bound = select(above, gain, at == parent || isBelow(gain, above));
  records[fit.records + at].feature = feature.x;
  records[fit.records + at].missingBin = feature.z;
  records[fit.records + at].bin = best.bin;
  records[fit.records + at].missingLeft = best.missingLeft;
  records[fit.records + at].leftSum = best.leftSum;
  records[fit.records + at].categorical = feature.w;
  ${form.hasCategories ? "records[fit.records + at].binSet = best.binSet;" : ""}
}

fn settleChild(thread: u32, child: u32) {
  let node = child >> 1u;
  let first = child * fit.listedFeatures;
  let wants = batches[fit.batch].nodes[node].wants == 1u;
  var best = ZERO;
  var place = thread;
  if (wants) {
    for (var i = thread; i < fit.listedFeatures; i += ${THREADS}u) {
      let score = candidates[fit.candidates + first + i].score;
      if (isBelow(best, score)) {
        best = score;
        place = i;
      }
    }
  }
  findBest(thread, best, place);
  for (var once = thread; once < 1u; once++) { writeChild(child, wants); }
}

/** By one thread. */
fn writeChild(child: u32, wants: bool) {
  let node = child >> 1u;
  let isRoot = batches[fit.batch].isRoot == 1u;
  let first = child * fit.listedFeatures;
  let parent = batches[fit.batch].nodes[node].record;
  var at = parent;
  if (!isRoot) {
    let isRight = (child & 1u) == 1u;
    let leftCount = heads[fit.heads + node].x;
    let rightCount = records[fit.records + parent].count - leftCount;
    at = records[fit.records + parent].left + select(0u, 1u, isRight);
    let isSmaller = (leftCount <= rightCount) != isRight;
    records[fit.records + at].start = records[fit.records + parent].start + select(0u, leftCount, isRight);
    records[fit.records + at].count = select(leftCount, rightCount, isRight);
    records[fit.records + at].depth = records[fit.records + parent].depth + 1u;
    records[fit.records + at].slot = select(records[fit.records + parent].slot, records[fit.records + parent].spare, isSmaller);
    if (!isRight) { records[fit.records + parent].leftCount = leftCount; }
  }
  records[fit.records + at].left = 0u;
  records[fit.records + at].feature = ${NO_SPLIT}u;
  records[fit.records + at].sum = ZERO;
  if (!wants) { return; }
  // Each feature's entries add up to the node's sum.
  records[fit.records + at].sum = candidates[fit.candidates + first].sum;
  if ((scores[0].x | scores[0].y) != 0u) { keepSplit(at, parent, candidates[fit.candidates + first + cuts[0]], features[fit.features + cuts[0]]); }
}

@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
  @builtin(num_workgroups) workgroups: vec3<u32>,
) {
  let own = fits[workgroup.y];
  fit = own;
  growth = growths[workgroup.y];
  let children = select(2u * batches[own.batch].count, 1u, batches[own.batch].isRoot == 1u);
  for (var child = workgroup.x; child < children; child += workgroups.x) {
    settleChild(thread, child);
    workgroupBarrier();
  }
}
`;
