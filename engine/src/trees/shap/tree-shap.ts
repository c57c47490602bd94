/**
 * Exact path-dependent TreeSHAP over a TreeEnsemble (Lundberg, Erion & Lee 2018, "Consistent
 * individualized feature attribution for tree ensembles"): a feature left out of a coalition sends
 * a row down both branches, in the proportion of the training weight that took them.
 * The kernel (kernels/assembly/trees/tree-shap.ts) says how it is linear in rows and nodes. A device may take its part of
 * many rows (`device-explainer.ts`), to the kernel's bits.
 */

import { Arena, type Pointer } from "../../compute/arena.ts";
import { type Scratch, withScratch } from "../../compute/scratch.ts";
import { type EncodedData, rowMajorOf } from "../../data/encoded.ts";
import type { TreeEnsemble } from "../ensemble.ts";
import { type PackedTrees, packTrees } from "../packed-trees.ts";
import { treeExplainer } from "./device-explainer.ts";
import { pointsFor, TreePlanner, TreeRoom } from "./tree-planner.ts";

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
/** Rows of a device's answer that are explained here as well. */
const CHECKED_ROWS = 16;

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
  const cells = features * outputs;
  const contributions = new Float64Array(rowCount * cells);
  const chunk = Math.min(rowCount, Math.max(64, Math.floor(CHUNK_BYTES / (8 * cells))));
  return withScratch(arena, (scratch) => {
    const packed = "records" in trees ? trees : packTrees(scratch, trees, binned.bins);
    const walk = new TreeWalk(scratch, packed, {
      ...{ features, outputs, rowMajor: rowMajorOf(binned), rowStride: binned.rowStride },
    });
    const rowList = scratch.allocate(chunk * 4);
    const out = scratch.allocate(chunk * cells * 8);
    let baseValues = rowCount === 0 ? walk.through([]) : null;
    for (let start = 0; start < rowCount; start += chunk) {
      const count = Math.min(chunk, rowCount - start);
      const list = arena.u32(rowList, count);
      if (rows) list.set(rows.subarray(start, start + count));
      else for (let i = 0; i < count; i++) list[i] = start + i;
      const part: RowPart = { list: rowList, count, out };
      const means = walk.byDevice(part) ?? walk.through([part]);
      baseValues ??= means;
      contributions.set(arena.f64(out, count * cells), start * cells);
    }
    return { baseValues: baseValues ?? new Float64Array(outputs), contributions };
  });
}

/** Rows that go through the trees together. */
interface RowPart {
  /** u32 each. */
  readonly list: Pointer;
  readonly count: number;
  /** f64, count × features × outputs; written. */
  readonly out: Pointer;
}

interface RowShape {
  readonly features: number;
  readonly outputs: number;
  readonly rowMajor: Pointer;
  readonly rowStride: number;
}

/** A tree as rows go through it. */
interface LaidOut {
  readonly tree: number;
  readonly nodes: number;
  readonly points: number;
  readonly tables: Pointer;
  readonly working: Pointer;
  readonly direct: boolean;
  readonly shared: readonly [ratios: Pointer, points: Pointer, weights: Pointer, count: number];
}

/** Takes rows through all trees, one tree after another. */
class TreeWalk {
  readonly #scratch: Scratch;
  readonly #packed: PackedTrees;
  readonly #shape: RowShape;
  readonly #planner: TreePlanner;
  readonly #room: TreeRoom;

  constructor(scratch: Scratch, packed: PackedTrees, shape: RowShape) {
    this.#scratch = scratch;
    this.#packed = packed;
    this.#shape = shape;
    this.#planner = new TreePlanner(scratch, packed, shape.features);
    this.#room = new TreeRoom(scratch);
  }

  /** Writes the contributions of all parts. @returns the expected prediction, one an output */
  through(parts: readonly RowPart[]): Float64Array {
    const { outputs } = this.#shape;
    for (const part of parts) this.#clear(part);
    const means = new Float64Array(outputs);
    const direct = parts.every(({ count }) => count < TABLE_ROWS);
    for (const laidOut of this.#laidOut(direct, means)) {
      for (const part of parts) this.#add(laidOut, part);
    }
    return means;
  }

  /** The same of one part, by a device, some of whose rows are explained here as well. Null: it did not. */
  byDevice({ list, count, out }: RowPart): Float64Array | null {
    const explainer = treeExplainer();
    const packed = this.#packed;
    const nodes = packed.treeStarts[packed.trees];
    if (explainer === null || count < TABLE_ROWS) return null;
    if (!explainer.takes({ trees: packed.trees, nodes, rows: count })) return null;
    const { arena } = this.#scratch;
    const shape = this.#shape;
    return withScratch(arena, (scratch) => {
      const rows = checkedRows(count);
      const part: RowPart = {
        list: scratch.u32(rows.map((row) => arena.u32(list, count)[row])),
        count: rows.length,
        out: scratch.allocate(rows.length * shape.features * shape.outputs * 8),
      };
      this.#clear(part);
      const means = new Float64Array(shape.outputs);
      if (!explainer.begin(arena, { ...shape, packed, list, count })) return null;
      for (const laidOut of this.#laidOut(false, means)) {
        const { nodes: own, points, tables, tree } = laidOut;
        const { records } = this.#planner;
        if (!explainer.addTree({ arena, tree, nodes: own, records, points, tables })) return null;
        this.#add(laidOut, part);
      }
      if (!explainer.end(arena, out)) return null;
      if (this.#areRight(part, rows, out)) return means;
      explainer.distrust();
      return null;
    });
  }

  /** Plans each tree, over the one before, and lays out its tables. Trees of one leaf have none. */
  *#laidOut(direct: boolean, means: Float64Array): Generator<LaidOut> {
    const planner = this.#planner;
    const { treeStarts, trees } = this.#packed;
    for (let tree = 0; tree < trees; tree++) {
      const nodes = treeStarts[tree + 1] - treeStarts[tree];
      const points = pointsFor(planner.plan(tree, means));
      if (nodes === 1) continue;
      const { tables, working, quadrature } = this.#room.take(nodes, points, direct);
      const shared = [planner.ratios, quadrature, quadrature + points * 8, points] as const;
      if (!direct) planner.kernels.treeShapTables(nodes, planner.records, ...shared, tables);
      yield { tree, nodes, points, tables, working, direct, shared };
    }
  }

  #clear({ count, out }: RowPart): void {
    const { features, outputs } = this.#shape;
    this.#scratch.arena.f64(out, count * features * outputs).fill(0);
  }

  #add({ tree, nodes, tables, working, direct, shared }: LaidOut, part: RowPart): void {
    const packed = this.#packed;
    const { features, outputs, rowMajor, rowStride } = this.#shape;
    this.#planner.kernels.treeShapRows(
      nodes,
      this.#planner.records,
      packed.sets,
      ...shared,
      tables,
      direct ? 1 : 0,
      packed.leafValues,
      packed.valuesPerNode,
      packed.valuesPerNode === 1 ? packed.treeOutput[tree] : 0,
      rowMajor,
      rowStride,
      part.list,
      part.count,
      working,
      part.out,
      features,
      outputs,
    );
  }

  /** Whether a device's contributions have the bits of those of this part. */
  #areRight({ count, out }: RowPart, rows: readonly number[], answered: Pointer): boolean {
    const { arena } = this.#scratch;
    const words = 2 * this.#shape.features * this.#shape.outputs;
    const own = arena.u32(out, count * words);
    return rows.every((row, at) => {
      const given = arena.u32(answered + 4 * row * words, words);
      return given.every((word, i) => word === own[at * words + i]);
    });
  }
}

/** Of so many, spread evenly, and the last. */
function checkedRows(count: number): number[] {
  const step = Math.max(1, Math.floor(count / CHECKED_ROWS));
  const rows = new Set<number>();
  for (let row = 0; row < count; row += step) rows.add(row);
  return [...rows.add(count - 1)];
}
