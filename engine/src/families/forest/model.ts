/** A fitted forest: the average of its trees' leaves, in the space of values or probabilities. */

import type { ArenaHandle } from "../../compute/arena.ts";
import type { EncodedData, FeatureBins } from "../../data/encoded.ts";
import { hasClasses, outputCount, type Task } from "../../tasks/index.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import { KeptTrees } from "../../trees/kept-trees.ts";
import { readStoredFacts } from "../../trees/stored-header.ts";
import { ensembleFromTensors, type TreeTensors } from "../../trees/tensors.ts";
import type { Explanation, FittedModel, LoadContext, SavedModel } from "../family.ts";

const VERSION = 1;

export class ForestModel implements FittedModel {
  readonly facts: Readonly<Record<string, number | string>>;
  readonly #task: Task;
  /** What a sum over the trees starts from; 0 for shares of classes. */
  readonly #base: number;
  readonly #trees: KeptTrees;

  /**
   * @param trees in the form of `compactTrees`
   * @param tensors what the trees were read from, if they were
   */
  constructor(
    task: Task,
    features: number,
    trees: TreeEnsemble,
    base: number,
    facts: Readonly<Record<string, number | string>>,
    tensors?: TreeTensors,
  ) {
    this.#task = task;
    this.#base = base;
    this.#trees = new KeptTrees(trees, features, outputCount(task), tensors);
    this.facts = facts;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const outputs = outputCount(this.#task);
    const sums = this.#trees.predict(data, rows, new Float64Array(outputs).fill(this.#base));
    if (!hasClasses(this.#task)) return sums;
    // Shares are kept in single precision; their sum may stray from 1 by some 1e-8.
    if (outputs === 1) return sums.map((p) => Math.min(1, Math.max(0, p)));
    for (let from = 0; from < sums.length; from += outputs) {
      let total = 0;
      for (let k = 0; k < outputs; k++) total += sums[from + k];
      for (let k = 0; k < outputs; k++) sums[from + k] /= total;
    }
    return sums;
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const { baseValues, contributions } = this.#trees.explain(data, rows);
    return {
      space: "identity",
      baseValues: baseValues.map((value) => value + this.#base),
      contributions,
      margins: this.predict(data, rows),
    };
  }

  reside(arena: ArenaHandle, bins: readonly FeatureBins[] | null): void {
    if (bins !== null) this.#trees.reside(arena, bins);
  }

  importance(): Float64Array {
    return this.#trees.importance();
  }

  save(): SavedModel {
    return {
      header: { version: VERSION, facts: this.facts },
      tensors: { base: Float64Array.of(this.#base), ...this.#trees.tensors() },
    };
  }
}

/** @throws Error for a damaged model, or one that a later version wrote */
export function loadForest(saved: SavedModel, context: LoadContext): ForestModel {
  const facts = readStoredFacts(saved.header, VERSION, "forest");
  const outputs = outputCount(context.task);
  const features = context.features.length;
  const trees = ensembleFromTensors(saved.tensors, outputs, features, outputs);
  const { base, ...treeTensors } = saved.tensors;
  if (!(base instanceof Float64Array) || base.length !== 1 || !Number.isFinite(base[0])) {
    throw new Error('The stored forest is damaged: "base" needs one finite number.');
  }
  return new ForestModel(context.task, features, trees, base[0], facts, treeTensors);
}
