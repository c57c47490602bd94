/** A TreeEnsemble as named arrays, for a model's directory, and back with every array checked. */

import type { TreeEnsemble } from "./ensemble.ts";

export type TreeTensors = Readonly<
  Record<string, Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array>
>;

/** The stored trees do not fit together: a damaged file or one from a newer version. */
export class TreeFormatError extends Error {
  override readonly name = "TreeFormatError";
}

export function ensembleToTensors(ensemble: TreeEnsemble): TreeTensors {
  return {
    tree_starts: ensemble.treeStarts,
    tree_output: ensemble.treeOutput,
    feature: ensemble.feature,
    split_bin: ensemble.splitBin,
    is_categorical: ensemble.isCategorical,
    missing_left: ensemble.missingLeft,
    left: ensemble.left,
    right: ensemble.right,
    value: ensemble.value,
    cover: ensemble.cover,
    gain: ensemble.gain,
    category_sets: ensemble.categorySets,
  };
}

function check(condition: boolean, what: string): void {
  if (!condition) throw new TreeFormatError(`The stored trees are damaged: ${what}.`);
}

function tensor<T>(tensors: TreeTensors, name: string, type: new (length: number) => T): T {
  const found = tensors[name];
  if (!(found instanceof type)) {
    throw new TreeFormatError(
      `The stored trees are damaged: "${name}" is ${found === undefined ? "missing" : `a ${found.constructor.name}`}, expected ${type.name}.`,
    );
  }
  return found;
}

/**
 * @param features how many features the model reads
 * @param outputs how many outputs its trees add to
 * @throws TreeFormatError where an array is missing, of the wrong length, or points outside
 */
export function ensembleFromTensors(
  tensors: TreeTensors,
  valuesPerNode: number,
  features: number,
  outputs: number,
): TreeEnsemble {
  const ensemble: TreeEnsemble = {
    valuesPerNode,
    treeStarts: tensor(tensors, "tree_starts", Int32Array),
    treeOutput: tensor(tensors, "tree_output", Int32Array),
    feature: tensor(tensors, "feature", Int32Array),
    splitBin: tensor(tensors, "split_bin", Int32Array),
    isCategorical: tensor(tensors, "is_categorical", Uint8Array),
    missingLeft: tensor(tensors, "missing_left", Uint8Array),
    left: tensor(tensors, "left", Int32Array),
    right: tensor(tensors, "right", Int32Array),
    value: tensor(tensors, "value", Float64Array),
    cover: tensor(tensors, "cover", Float64Array),
    gain: tensor(tensors, "gain", Float64Array),
    categorySets: tensor(tensors, "category_sets", Uint32Array),
  };
  const { treeStarts, treeOutput, feature, splitBin, isCategorical, left, right } = ensemble;
  const trees = treeOutput.length;
  const nodes = feature.length;
  check(treeStarts.length === trees + 1, "tree starts and outputs differ in number");
  check(treeStarts[0] === 0 && treeStarts[trees] === nodes, "tree starts do not cover the nodes");
  for (const [name, array, length] of [
    ["split_bin", splitBin, nodes],
    ["is_categorical", isCategorical, nodes],
    ["missing_left", ensemble.missingLeft, nodes],
    ["left", left, nodes],
    ["right", right, nodes],
    ["value", ensemble.value, nodes * valuesPerNode],
    ["cover", ensemble.cover, nodes],
    ["gain", ensemble.gain, nodes],
  ] as const) {
    check(array.length === length, `"${name}" has ${array.length} entries, expected ${length}`);
  }
  const sets = ensemble.categorySets.length / 8;
  for (let tree = 0; tree < trees; tree++) {
    const end = treeStarts[tree + 1];
    check(treeStarts[tree] < end, `tree ${tree} has no nodes`);
    check(
      treeOutput[tree] >= 0 && treeOutput[tree] < outputs,
      `tree ${tree} adds to output ${treeOutput[tree]}`,
    );
    for (let node = treeStarts[tree]; node < end; node++) {
      if (feature[node] < 0) continue;
      check(feature[node] < features, `node ${node} splits on feature ${feature[node]}`);
      // Children come after their parent: a walk down a tree always ends.
      check(
        left[node] > node && left[node] < end && right[node] > node && right[node] < end,
        `node ${node} has children outside its tree`,
      );
      check(
        isCategorical[node] === 0
          ? splitBin[node] >= 0 && splitBin[node] < 256
          : splitBin[node] >= 0 && splitBin[node] < sets,
        `node ${node} has split ${splitBin[node]}`,
      );
    }
  }
  return ensemble;
}
