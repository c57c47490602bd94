/**
 * Exact path-dependent TreeSHAP over a TreeEnsemble (Lundberg, Erion & Lee 2018, "Consistent
 * individualized feature attribution for tree ensembles"): a feature left out of a coalition sends
 * a row down both branches, in the proportion of the training weight that took them.
 * The kernel (kernels/assembly/tree_shap.ts) says how it is linear in rows and nodes.
 */

import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import type { EncodedData } from "../../data/encoded.ts";
import type { TreeEnsemble } from "../ensemble.ts";
import { withScratch } from "../scratch.ts";
import { type PathPlan, planTree } from "./plan.ts";
import { gaussLegendre } from "./quadrature.ts";

export interface TreeContributions {
  /** One an output: the expected prediction of the ensemble. */
  readonly baseValues: Float64Array;
  /** Row-major, rows × features × outputs; with the base they add up to the prediction. */
  readonly contributions: Float64Array;
}

/** Contributions held in the arena at once. */
const CHUNK_BYTES = 8 << 20;

/**
 * @param rows rows of `data` to explain; null = all
 * @param outputs margins a row (`valuesPerNode`, or 1 + the largest `treeOutput`)
 */
export function treeShap(
  trees: TreeEnsemble,
  data: EncodedData,
  rows: Uint32Array | null,
  outputs: number,
): TreeContributions {
  if (data.binned === null) throw new Error("TreeSHAP reads bins, and the data has none.");
  const { binned } = data;
  const arena = Arena.attach(data.arena);
  const kernels = kernelsOf(data.arena);
  const features = data.features.length;
  const missingBins = binned.bins.map((feature) => feature.valueBins);
  const baseValues = new Float64Array(outputs);
  const plans: { plan: PathPlan; points: number; output: number }[] = [];
  for (let tree = 0; tree + 1 < trees.treeStarts.length; tree++) {
    const plan = planTree(trees, tree, missingBins);
    const output = trees.valuesPerNode === 1 ? trees.treeOutput[tree] : 0;
    for (let c = 0; c < plan.expected.length; c++) baseValues[output + c] += plan.expected[c];
    if (plan.nodes > 1) plans.push({ plan, points: pointsFor(plan.pathFeatures), output });
  }

  const rowCount = rows?.length ?? data.rows;
  const contributions = new Float64Array(rowCount * features * outputs);
  if (rowCount === 0 || plans.length === 0) return { baseValues, contributions };

  const rowBytes = features * outputs * 8;
  const chunk = Math.min(rowCount, Math.max(64, Math.floor(CHUNK_BYTES / rowBytes)));
  withScratch(arena, (scratch) => {
    const nodes = Math.max(...plans.map(({ plan }) => plan.nodes));
    const points = Math.max(...plans.map((each) => each.points));
    const cells = Math.max(...plans.map((each) => each.plan.nodes * each.points));
    const rowList = scratch.allocate(chunk * 4);
    const out = scratch.allocate(chunk * rowBytes);
    const records = scratch.allocate(nodes * 32);
    const sets = scratch.allocate(nodes * 32);
    const ratios = scratch.allocate(nodes * 8);
    const leafValues = scratch.allocate(((nodes + 1) >> 1) * trees.valuesPerNode * 8);
    const pointList = scratch.allocate(points * 8);
    const weightList = scratch.allocate(points * 8);
    const tables = scratch.allocate(6 * cells * 8);
    const working = scratch.allocate((2 * cells + nodes) * 8);
    for (let start = 0; start < rowCount; start += chunk) {
      const count = Math.min(chunk, rowCount - start);
      const list = arena.u32(rowList, count);
      if (rows) list.set(rows.subarray(start, start + count));
      else for (let i = 0; i < count; i++) list[i] = start + i;
      const filled = arena.f64(out, count * features * outputs);
      filled.fill(0);
      for (const { plan, points: pointCount, output } of plans) {
        const quadrature = gaussLegendre(pointCount);
        arena.i32(records, plan.records.length).set(plan.records);
        arena.u32(sets, plan.sets.length).set(plan.sets);
        arena.f64(ratios, plan.ratios.length).set(plan.ratios);
        arena.f64(leafValues, plan.leafValues.length).set(plan.leafValues);
        arena.f64(pointList, pointCount).set(quadrature.points);
        arena.f64(weightList, pointCount).set(quadrature.weights);
        kernels.treeShapTables(
          plan.nodes,
          records,
          ratios,
          pointList,
          weightList,
          pointCount,
          tables,
        );
        kernels.treeShapRows(
          plan.nodes,
          records,
          sets,
          tables,
          pointCount,
          leafValues,
          trees.valuesPerNode,
          output,
          binned.rowMajor,
          binned.rowStride,
          rowList,
          count,
          working,
          out,
          features,
          outputs,
        );
      }
      contributions.set(filled, start * features * outputs);
    }
  });
  return { baseValues, contributions };
}

/** Points that integrate a path of `pathFeatures` features exactly, rounded up to whole vectors. */
function pointsFor(pathFeatures: number): number {
  const needed = Math.ceil(pathFeatures / 2);
  return needed + (needed & 1);
}
