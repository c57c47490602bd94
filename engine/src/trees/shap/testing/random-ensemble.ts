/** Random ensembles and binned rows, for the tests of predicting and of TreeSHAP. */

import { Arena } from "../../../compute/arena.ts";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import type { EncodedData, Feature, FeatureBins } from "../../../data/encoded.ts";
import type { TreeEnsemble } from "../../ensemble.ts";

export interface RandomCase {
  readonly trees: TreeEnsemble;
  readonly data: EncodedData;
  readonly outputs: number;
  /** rows × features. */
  readonly cells: Uint8Array;
}

export interface RandomShape {
  readonly seed: number;
  readonly features: number;
  readonly rows: number;
  readonly trees: number;
  readonly depth: number;
  /** 1 with several outputs: each tree adds to one of them, as in boosting. */
  readonly valuesPerNode: number;
  readonly outputs: number;
  /** Some nodes that no training weight reached. */
  readonly emptyNodes: boolean;
}

export function randomCase(shape: RandomShape): RandomCase {
  const random = new CounterRandom(deriveKey(shape.seed, "shap-test"));
  const bins: FeatureBins[] = [];
  const features: Feature[] = [];
  for (let f = 0; f < shape.features; f++) {
    const valueBins = 1 + random.nextInteger(f === 0 ? 255 : 6);
    const name = `f${f}`;
    if (random.nextFloat() < 0.4) {
      const categories = Array.from({ length: valueBins }, (_, i) => `c${i}`);
      bins.push({ kind: "categorical", valueBins, edges: new Float64Array(0) });
      features.push({ kind: "categorical", name, column: name, categories });
    } else {
      const edges = Float64Array.from({ length: valueBins - 1 }, (_, i) => i);
      bins.push({ kind: "numeric", valueBins, edges });
      features.push({ kind: "numeric", name, column: name });
    }
  }
  const { data, cells } = randomRows(random, shape.rows, features, bins);
  return { trees: randomTrees(random, shape, bins), data, outputs: shape.outputs, cells };
}

function randomRows(
  random: CounterRandom,
  rows: number,
  features: readonly Feature[],
  bins: readonly FeatureBins[],
): { data: EncodedData; cells: Uint8Array } {
  const arena = Arena.create(64 << 20);
  const stride = Math.ceil(features.length / 16) * 16;
  const pointer = arena.allocate(rows * stride);
  const held = arena.u8(pointer, rows * stride);
  const columnStride = Math.ceil(rows / 16) * 16;
  const columnMajor = arena.allocate(features.length * columnStride);
  const columns = arena.u8(columnMajor, features.length * columnStride);
  const cells = new Uint8Array(rows * features.length);
  for (let r = 0; r < rows; r++) {
    for (let f = 0; f < features.length; f++) {
      const bin = random.nextInteger(bins[f].valueBins + 1);
      held[r * stride + f] = bin;
      columns[f * columnStride + r] = bin;
      cells[r * features.length + f] = bin;
    }
  }
  const binned = {
    rowMajor: pointer,
    rowStride: stride,
    columnMajor,
    columnStride,
    bins,
  };
  return { data: { arena: arena.handle(), rows, features, binned, values: null }, cells };
}

function randomTrees(
  random: CounterRandom,
  shape: RandomShape,
  bins: readonly FeatureBins[],
): TreeEnsemble {
  const treeStarts = [0];
  const treeOutput: number[] = [];
  const feature: number[] = [];
  const splitBin: number[] = [];
  const isCategorical: number[] = [];
  const missingLeft: number[] = [];
  const left: number[] = [];
  const right: number[] = [];
  const value: number[] = [];
  const cover: number[] = [];
  const categorySets: number[] = [];

  const grow = (weight: number, depth: number): number => {
    const node = feature.length;
    feature.push(-1);
    splitBin.push(0);
    isCategorical.push(0);
    missingLeft.push(0);
    left.push(-1);
    right.push(-1);
    cover.push(weight);
    for (let c = 0; c < shape.valuesPerNode; c++) value.push(0);
    if (depth === 0 || random.nextFloat() < 0.15) {
      for (let c = 0; c < shape.valuesPerNode; c++) {
        value[node * shape.valuesPerNode + c] = random.nextGaussian();
      }
      return node;
    }
    const f = random.nextInteger(bins.length);
    feature[node] = f;
    missingLeft[node] = random.nextInteger(2);
    if (bins[f].kind === "categorical") {
      isCategorical[node] = 1;
      splitBin[node] = categorySets.length / 8;
      for (let w = 0; w < 8; w++) categorySets.push(random.nextUint32());
      // The missing bin's own bit agrees with its direction, as the ensemble demands.
      const word = categorySets.length - 8 + (bins[f].valueBins >> 5);
      const bit = 1 << (bins[f].valueBins & 31);
      categorySets[word] =
        (missingLeft[node] ? categorySets[word] | bit : categorySets[word] & ~bit) >>> 0;
    } else splitBin[node] = random.nextInteger(bins[f].valueBins);
    const empty = shape.emptyNodes && random.nextFloat() < 0.2;
    const share = empty ? random.nextInteger(2) : 0.05 + 0.9 * random.nextFloat();
    left[node] = grow(weight * share, depth - 1);
    right[node] = grow(weight * (1 - share), depth - 1);
    return node;
  };

  for (let t = 0; t < shape.trees; t++) {
    grow(1000, t === 0 && shape.trees > 2 ? 0 : shape.depth);
    treeStarts.push(feature.length);
    treeOutput.push(shape.valuesPerNode === 1 ? t % shape.outputs : 0);
  }
  return {
    valuesPerNode: shape.valuesPerNode,
    treeStarts: Int32Array.from(treeStarts),
    treeOutput: Int32Array.from(treeOutput),
    feature: Int32Array.from(feature),
    splitBin: Int32Array.from(splitBin),
    isCategorical: Uint8Array.from(isCategorical),
    missingLeft: Uint8Array.from(missingLeft),
    left: Int32Array.from(left),
    right: Int32Array.from(right),
    value: Float64Array.from(value),
    cover: Float64Array.from(cover),
    gain: Float64Array.from(feature, (f) => (f < 0 ? 0 : 1)),
    categorySets: Uint32Array.from(categorySets),
  };
}

/** Whether a cell's bin goes left at a node, straight from the ensemble's definition. */
export function binGoesLeft(
  trees: TreeEnsemble,
  node: number,
  bin: number,
  missingBin: number,
): boolean {
  if (bin === missingBin) return trees.missingLeft[node] === 1;
  const split = trees.splitBin[node];
  if (!trees.isCategorical[node]) return bin <= split;
  return ((trees.categorySets[split * 8 + (bin >> 5)] >>> (bin & 31)) & 1) === 1;
}
