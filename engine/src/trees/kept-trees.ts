/**
 * The trees of a fitted model: predicted, explained and stored. Once they reside in an arena, calls
 * on data of that arena pay for their rows alone, and beside the compiled form only the compact
 * tensors are kept. What explaining takes is packed when it is first asked.
 */

import { Arena, ArenaFullError, type ArenaHandle } from "../compute/arena.ts";
import { Scratch } from "../compute/scratch.ts";
import type { EncodedData, FeatureBins } from "../data/encoded.ts";
import { type CompiledTrees, compileStored } from "./compiled-trees.ts";
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
  | {
      readonly kind: "resident";
      readonly compiled: CompiledTrees;
      readonly tensors: TreeTensors;
      readonly bins: readonly FeatureBins[];
      packed: PackedTrees | null;
    };

/** What the trees are of. */
export interface TreeShape {
  readonly valuesPerNode: number;
  readonly features: number;
  readonly outputs: number;
}

/** An arena, and the bins of the data that will come to it. */
export interface TreePlace {
  readonly arena: ArenaHandle;
  readonly bins: readonly FeatureBins[];
}

type Resident = Extract<Form, { kind: "resident" }>;

export class KeptTrees {
  readonly #shape: TreeShape;
  #form: Form;

  /** @param form trees in the form of `compactTrees`, or those of `load` */
  constructor(form: TreeEnsemble | Form, shape: TreeShape) {
    this.#shape = shape;
    this.#form = "kind" in form ? form : { kind: "loose", trees: form, tensors: undefined };
  }

  /**
   * Of what `tensors` gave.
   *
   * @param place where the trees are compiled to, for good; null, or one without room: nowhere
   * @throws Error where the tensors are damaged
   */
  static load(tensors: TreeTensors, shape: TreeShape, place: TreePlace | null): KeptTrees {
    return new KeptTrees(
      (place && resident(tensors, shape, place)) ?? {
        kind: "loose",
        trees: unfolded(tensors, shape),
        tensors,
      },
      shape,
    );
  }

  /** See `predictTrees`. */
  predict(
    data: EncodedData,
    rows: Uint32Array | null,
    base: ArrayLike<number>,
    probabilities = false,
  ): Float64Array {
    const form = this.#residentFor(data);
    const trees = form ? form.compiled : this.ensemble();
    return predictTrees(trees, data, rows, base, probabilities, () => this.ensemble());
  }

  /** See `treeShap`. */
  explain(data: EncodedData, rows: Uint32Array | null): TreeContributions {
    const form = this.#residentFor(data);
    return treeShap(form ? this.#packed(form) : this.ensemble(), data, rows, this.#shape.outputs);
  }

  importance(): Float64Array {
    return gainImportance(this.ensemble(), this.#shape.features);
  }

  tensors(): TreeTensors {
    const form = this.#form;
    return form.kind === "resident"
      ? form.tensors
      : (form.tensors ?? ensembleToTensors(form.trees));
  }

  #residentFor({ arena }: EncodedData): Resident | null {
    const form = this.#form;
    return form.kind === "resident" && form.compiled.memory === arena.memory ? form : null;
  }

  /** The trees as they are where the arena has no room. */
  #packed(form: Resident): PackedTrees | TreeEnsemble {
    if (form.packed !== null) return form.packed;
    const loose = this.ensemble();
    try {
      form.packed = kept(form.compiled, (scratch) => packTrees(scratch, loose, form.bins));
      return form.packed;
    } catch (fault) {
      if (!(fault instanceof ArenaFullError)) throw fault;
      return loose;
    }
  }

  /** As they were grown or stored. */
  ensemble(): TreeEnsemble {
    const form = this.#form;
    return form.kind === "loose" ? form.trees : unfolded(form.tensors, this.#shape);
  }
}

const unfolded = (tensors: TreeTensors, { valuesPerNode, features, outputs }: TreeShape) =>
  ensembleFromTensors(tensors, valuesPerNode, features, outputs);

/** Null where the arena has no room. */
function resident(tensors: TreeTensors, shape: TreeShape, place: TreePlace): Resident | null {
  const { valuesPerNode, features, outputs } = shape;
  const { bins } = place;
  if (bins.length !== features) throw new Error("There are not as many bins as features.");
  try {
    const compiled = kept(place.arena, (scratch) => {
      const made = compileStored(scratch, tensors, valuesPerNode, bins, outputs);
      if (made !== null) return made;
      unfolded(tensors, shape);
      throw new Error("The stored trees are damaged.");
    });
    return { kind: "resident", compiled, tensors, bins, packed: null };
  } catch (fault) {
    if (fault instanceof ArenaFullError) return null;
    throw fault;
  }
}

/** What `make` allocates stays, unless it throws. */
function kept<T>(handle: ArenaHandle, make: (scratch: Scratch) => T): T {
  const scratch = new Scratch(Arena.attach(handle));
  try {
    return make(scratch);
  } catch (fault) {
    scratch.release();
    throw fault;
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
