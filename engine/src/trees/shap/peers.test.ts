import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Arena } from "../../compute/arena.ts";
import type { EncodedData, FeatureBins } from "../../data/encoded.ts";
import type { TreeEnsemble } from "../ensemble.ts";
import { treeShap } from "./tree-shap.ts";

interface PeerCase {
  readonly name: string;
  readonly tolerance: number;
  readonly trees: Record<Exclude<keyof TreeEnsemble, "valuesPerNode">, number[]> & {
    readonly valuesPerNode: number;
  };
  readonly bins: { readonly kind: "numeric" | "categorical"; readonly valueBins: number }[];
  readonly cells: number[][];
  readonly baseValues: number[];
  /** Rows × features × outputs. */
  readonly contributions: number[][][];
}

const cases: PeerCase[] = JSON.parse(
  readFileSync(new URL("./fixtures/peer_contributions.json", import.meta.url), "utf8"),
);

function ensembleOf({ trees }: PeerCase): TreeEnsemble {
  return {
    valuesPerNode: trees.valuesPerNode,
    treeStarts: Int32Array.from(trees.treeStarts),
    treeOutput: Int32Array.from(trees.treeOutput),
    feature: Int32Array.from(trees.feature),
    splitBin: Int32Array.from(trees.splitBin),
    isCategorical: Uint8Array.from(trees.isCategorical),
    missingLeft: Uint8Array.from(trees.missingLeft),
    left: Int32Array.from(trees.left),
    right: Int32Array.from(trees.right),
    value: Float64Array.from(trees.value),
    cover: Float64Array.from(trees.cover),
    gain: new Float64Array(trees.feature.length),
    categorySets: Uint32Array.from(trees.categorySets),
  };
}

function encodedOf({ bins, cells }: PeerCase): EncodedData {
  const arena = Arena.create(16 << 20);
  const rowMajor = arena.allocate(cells.length * 16);
  cells.forEach((row, r) => {
    arena.u8(rowMajor + r * 16, 16).set(row);
  });
  const features = bins.map((_, f) => {
    return { kind: "numeric", name: `f${f}`, column: `f${f}` } as const;
  });
  const described: FeatureBins[] = bins.map((each) => ({ ...each, edges: new Float64Array(0) }));
  const binned = { rowMajor, rowStride: 16, columnMajor: 0, columnStride: 0, bins: described };
  return { arena: arena.handle(), rows: cells.length, features, binned, values: null };
}

describe("treeShap against other implementations", () => {
  it.each(cases)("$name", (each) => {
    const data = encodedOf(each);
    const outputs = each.baseValues.length;
    const { baseValues, contributions } = treeShap(ensembleOf(each), data, null, outputs);
    const far = (a: number, b: number) => !(Math.abs(a - b) <= each.tolerance);
    each.baseValues.forEach((base, c) => {
      expect(far(baseValues[c], base)).toBe(false);
    });
    const expected = each.contributions.flat(2);
    expect(contributions.length).toBe(expected.length);
    const wrong = expected.filter((value, i) => far(contributions[i], value));
    expect(wrong).toEqual([]);
    expect(Math.max(...expected.map(Math.abs))).toBeGreaterThan(0.05);
  });
});
