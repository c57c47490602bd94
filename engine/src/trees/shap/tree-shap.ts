/**
 * Exact path-dependent TreeSHAP over a TreeEnsemble (Lundberg, Erion & Lee 2018, "Consistent
 * individualized feature attribution for tree ensembles"): a feature left out of a coalition sends
 * a row down both branches, in the proportion of the training weight that took them.
 * The kernel (kernels/assembly/tree-shap.ts) says how it is linear in rows and nodes.
 */

import { Arena, type Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import { type Scratch, withScratch } from "../../compute/scratch.ts";
import { type EncodedData, rowMajorOf } from "../../data/encoded.ts";
import type { TreeEnsemble } from "../ensemble.ts";
import { type PackedTrees, packTrees } from "../packed-trees.ts";
import { gaussLegendre } from "./quadrature.ts";

export interface TreeContributions {
  /** One an output: the expected prediction of the ensemble. */
  readonly baseValues: Float64Array;
  /** Row-major, rows × features × outputs; with the base they add up to the prediction. */
  readonly contributions: Float64Array;
}

/** Contributions held in the arena at once. */
const CHUNK_BYTES = 8 << 20;
/** Tables of all states are worth their cost from so many rows on. */
const TABLE_ROWS = 6;
/** Bytes of a plan's record, and of a visit on its stack. */
const RECORD_BYTES = 40;
const VISIT_BYTES = 24;

/**
 * @param trees as they are, or packed in the arena of `data` before
 * @param rows rows of `data` to explain; null = all
 * @param outputs margins a row (`valuesPerNode`, or 1 + the largest `treeOutput`)
 */
export function treeShap(
  trees: TreeEnsemble | PackedTrees,
  data: EncodedData,
  rows: Uint32Array | null,
  outputs: number,
): TreeContributions {
  const { binned } = data;
  if (binned === null) throw new Error("TreeSHAP reads bins, and the data has none.");
  const arena = Arena.attach(data.arena);
  const features = data.features.length;
  const rowCount = rows?.length ?? data.rows;
  const contributions = new Float64Array(rowCount * features * outputs);
  const rowBytes = features * outputs * 8;
  const chunk = Math.min(rowCount, Math.max(64, Math.floor(CHUNK_BYTES / rowBytes)));
  return withScratch(arena, (scratch) => {
    const packed = "records" in trees ? trees : packTrees(scratch, trees, binned.bins);
    const planner = new TreePlanner(scratch, packed, features);
    const rowList = scratch.allocate(chunk * 4);
    const out = scratch.allocate(chunk * rowBytes);
    const room = new TreeRoom(scratch);
    const baseValues = new Float64Array(outputs);
    if (rowCount === 0)
      for (let tree = 0; tree < packed.trees; tree++) planner.plan(tree, baseValues);
    for (let start = 0; start < rowCount; start += chunk) {
      const count = Math.min(chunk, rowCount - start);
      const list = arena.u32(rowList, count);
      if (rows) list.set(rows.subarray(start, start + count));
      else for (let i = 0; i < count; i++) list[i] = start + i;
      arena.f64(out, count * features * outputs).fill(0);
      const direct = count < TABLE_ROWS;
      for (let tree = 0; tree < packed.trees; tree++) {
        const nodes = packed.treeStarts[tree + 1] - packed.treeStarts[tree];
        const points = pointsFor(planner.plan(tree, start === 0 ? baseValues : null));
        if (nodes === 1) continue;
        const { tables, working, quadrature } = room.take(nodes, points, direct);
        const shared = [planner.ratios, quadrature, quadrature + points * 8, points] as const;
        if (!direct) {
          planner.kernels.treeShapTables(nodes, planner.records, ...shared, tables);
        }
        planner.kernels.treeShapRows(
          nodes,
          planner.records,
          packed.sets,
          ...shared,
          tables,
          direct ? 1 : 0,
          packed.leafValues,
          packed.valuesPerNode,
          packed.valuesPerNode === 1 ? packed.treeOutput[tree] : 0,
          rowMajorOf(binned),
          binned.rowStride,
          rowList,
          count,
          working,
          out,
          features,
          outputs,
        );
      }
      contributions.set(arena.f64(out, count * features * outputs), start * features * outputs);
    }
    return { baseValues, contributions };
  });
}

/** Plans trees one after the other, each over the last, in room for the largest. */
class TreePlanner {
  readonly kernels: Kernels;
  readonly records: Pointer;
  readonly ratios: Pointer;
  readonly #packed: PackedTrees;
  readonly #features: number;
  readonly #scratch: Scratch;
  readonly #latest: Pointer;
  readonly #path: Pointer;
  readonly #reach: Pointer;
  readonly #stack: Pointer;
  readonly #expected: Pointer;

  constructor(scratch: Scratch, packed: PackedTrees, features: number) {
    let nodes = 1;
    for (let tree = 0; tree < packed.trees; tree++) {
      nodes = Math.max(nodes, packed.treeStarts[tree + 1] - packed.treeStarts[tree]);
    }
    this.kernels = kernelsOf(scratch.arena);
    this.#scratch = scratch;
    this.#packed = packed;
    this.#features = features;
    this.records = scratch.allocate(nodes * RECORD_BYTES);
    this.ratios = scratch.allocate(nodes * 8);
    this.#latest = scratch.allocate(features * 4);
    this.#path = scratch.allocate(nodes * 4);
    this.#reach = scratch.allocate(nodes * 8);
    this.#stack = scratch.allocate((nodes + 1) * VISIT_BYTES);
    this.#expected = scratch.allocate(packed.valuesPerNode * 8);
  }

  /**
   * Gives the most distinct features on one path of the tree.
   *
   * @param means where the tree's expected value is added, one an output
   */
  plan(tree: number, means: Float64Array | null): number {
    const packed = this.#packed;
    const width = packed.valuesPerNode;
    this.#scratch.arena.f64(this.#expected, width).fill(0);
    const most = this.kernels.planPaths(
      packed.treeStarts[tree],
      packed.records,
      packed.cover,
      packed.leafValues,
      width,
      this.#latest,
      this.#features,
      this.#path,
      this.#reach,
      this.#stack,
      this.records,
      this.ratios,
      this.#expected,
    );
    if (means !== null) {
      const expected = this.#scratch.arena.f64(this.#expected, width);
      const output = width === 1 ? packed.treeOutput[tree] : 0;
      for (let c = 0; c < width; c++) means[output + c] += expected[c];
    }
    return most;
  }
}

/** Room for the quadrature, the factors and the products of a tree; grows with the trees. */
class TreeRoom {
  readonly #scratch: Scratch;
  readonly #quadratures = new Map<number, Pointer>();
  #tables: Pointer = 0;
  #tableCells = 0;
  #working: Pointer = 0;
  #workingCells = 0;

  constructor(scratch: Scratch) {
    this.#scratch = scratch;
  }

  take(
    nodes: number,
    points: number,
    direct: boolean,
  ): { tables: Pointer; working: Pointer; quadrature: Pointer } {
    const tableCells = (direct ? 2 : 6) * nodes * points;
    if (tableCells > this.#tableCells) {
      this.#tableCells = Math.max(tableCells, Math.ceil(1.5 * this.#tableCells));
      this.#tables = this.#scratch.allocate(this.#tableCells * 8);
    }
    const workingCells = 2 * nodes * points + nodes;
    if (workingCells > this.#workingCells) {
      this.#workingCells = Math.max(workingCells, Math.ceil(1.5 * this.#workingCells));
      this.#working = this.#scratch.allocate(this.#workingCells * 8);
    }
    return { tables: this.#tables, working: this.#working, quadrature: this.#quadrature(points) };
  }

  /** The points, then their weights. */
  #quadrature(count: number): Pointer {
    let pointer = this.#quadratures.get(count);
    if (pointer === undefined) {
      const { points, weights } = gaussLegendre(count);
      pointer = this.#scratch.f64([...points, ...weights]);
      this.#quadratures.set(count, pointer);
    }
    return pointer;
  }
}

/** Points that integrate a path of `pathFeatures` features exactly, rounded up to whole vectors. */
function pointsFor(pathFeatures: number): number {
  const needed = Math.ceil(pathFeatures / 2);
  return needed + (needed & 1);
}
