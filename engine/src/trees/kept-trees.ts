/**
 * The trees of a fitted model: predicted, explained and stored. Once they reside in an arena, calls
 * on data of that arena pay for their rows alone, and beside the packed form only the compact
 * tensors are kept.
 */

import { Arena, type ArenaHandle } from "../compute/arena.ts";
import { Scratch } from "../compute/scratch.ts";
import type { EncodedData, FeatureBins } from "../data/encoded.ts";
import type { TreeEnsemble } from "./ensemble.ts";
import { type PackedTrees, packTrees } from "./packed-trees.ts";
import { predictTrees } from "./predictor.ts";
import { type TreeContributions, treeShap } from "./shap/tree-shap.ts";
import { ensembleFromTensors, ensembleToTensors, type TreeTensors } from "./tensors.ts";

type Form =
  | {
      readonly kind: "loose";
      readonly trees: TreeEnsemble;
      readonly tensors: TreeTensors | undefined;
    }
  | { readonly kind: "resident"; readonly packed: PackedTrees; readonly tensors: TreeTensors };

export class KeptTrees {
  readonly #valuesPerNode: number;
  readonly #features: number;
  readonly #outputs: number;
  #form: Form;

  /**
   * @param trees in the form of `compactTrees`
   * @param tensors what the trees were read from, if they were
   */
  constructor(trees: TreeEnsemble, features: number, outputs: number, tensors?: TreeTensors) {
    this.#valuesPerNode = trees.valuesPerNode;
    this.#features = features;
    this.#outputs = outputs;
    this.#form = { kind: "loose", trees, tensors };
  }

  /** Packs the trees into the arena, for good: it lives as long as who keeps it. */
  reside(handle: ArenaHandle, bins: readonly FeatureBins[]): void {
    const trees = this.#trees();
    const scratch = new Scratch(Arena.attach(handle));
    try {
      const packed = packTrees(scratch, trees, bins);
      this.#form = { kind: "resident", packed, tensors: this.tensors() };
    } catch (fault) {
      scratch.release();
      throw fault;
    }
  }

  /** See `predictTrees`. */
  predict(
    data: EncodedData,
    rows: Uint32Array | null,
    base: ArrayLike<number>,
    probabilities = false,
  ): Float64Array {
    return predictTrees(this.#formFor(data), data, rows, base, probabilities);
  }

  /** See `treeShap`. */
  explain(data: EncodedData, rows: Uint32Array | null): TreeContributions {
    return treeShap(this.#formFor(data), data, rows, this.#outputs);
  }

  importance(): Float64Array {
    return gainImportance(this.#trees(), this.#features);
  }

  tensors(): TreeTensors {
    const form = this.#form;
    return form.kind === "resident"
      ? form.tensors
      : (form.tensors ?? ensembleToTensors(form.trees));
  }

  #formFor(data: EncodedData): TreeEnsemble | PackedTrees {
    const form = this.#form;
    return form.kind === "resident" && form.packed.memory === data.arena.memory
      ? form.packed
      : this.#trees();
  }

  #trees(): TreeEnsemble {
    const form = this.#form;
    return form.kind === "loose"
      ? form.trees
      : ensembleFromTensors(form.tensors, this.#valuesPerNode, this.#features, this.#outputs);
  }
}

/**
 * Importance by gain: the loss reduction of each feature's splits, as shares of their sum.
 *
 * @returns one number a feature, summing to 1, or all 0 where nothing was split
 */
function gainImportance(trees: TreeEnsemble, features: number): Float64Array {
  const shares = new Float64Array(features);
  let total = 0;
  for (let node = 0; node < trees.feature.length; node++) {
    if (trees.feature[node] < 0) continue;
    shares[trees.feature[node]] += trees.gain[node];
    total += trees.gain[node];
  }
  return total > 0 ? shares.map((share) => share / total) : shares;
}
