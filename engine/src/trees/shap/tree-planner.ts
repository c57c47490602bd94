/** What TreeSHAP lays out of one tree after another before rows go through it: plan, quadrature, room to work in. */

import type { Pointer } from "../../compute/arena.ts";
import { type Kernels, kernelsOf } from "../../compute/kernels.ts";
import type { Scratch } from "../../compute/scratch.ts";
import type { PackedTrees } from "../packed-trees.ts";
import { gaussLegendre } from "./quadrature.ts";

/** Bytes of a plan's record, and of a visit on its stack. */
export const RECORD_BYTES = 40;
const VISIT_BYTES = 24;

/** Plans trees one after the other, each over the last, in room for the largest. */
export class TreePlanner {
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
export class TreeRoom {
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
export function pointsFor(pathFeatures: number): number {
  const needed = Math.ceil(pathFeatures / 2);
  return needed + (needed & 1);
}
