/** A fitted gbdt: predicts, explains itself, and is saved and loaded. */

import type { ArenaHandle } from "../../compute/arena.ts";
import type { EncodedData, FeatureBins } from "../../data/encoded.ts";
import { outputCount, type Task, typeOf } from "../../tasks/index.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import { KeptTrees } from "../../trees/kept-trees.ts";
import { readStoredFacts } from "../../trees/stored-header.ts";
import { ensembleFromTensors, type TreeTensors } from "../../trees/tensors.ts";
import { arrangedExplanation } from "../arranged-explanation.ts";
import type { Explanation, FittedModel, LoadContext, SavedModel } from "../family.ts";
import type { LearningCurve } from "../learning-curve.ts";

export class GbdtModel implements FittedModel {
  readonly facts: Readonly<Record<string, number | string>>;
  /** Of the fit that made it; null once loaded. */
  curve: LearningCurve | null = null;
  readonly #task: Task;
  readonly #trees: KeptTrees;
  readonly #base: Float64Array;

  /**
   * @param trees in the form of `compactTrees`
   * @param tensors what the trees were read from, if they were
   */
  constructor(
    task: Task,
    features: number,
    trees: TreeEnsemble,
    base: Float64Array,
    facts: Readonly<Record<string, number | string>>,
    tensors?: TreeTensors,
  ) {
    this.#task = task;
    this.#trees = new KeptTrees(trees, features, outputCount(task), tensors);
    this.#base = base;
    this.facts = facts;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const { link, arrange } = typeOf(this.#task);
    const probabilities = link !== "identity";
    const predictions = this.#trees.predict(data, rows, this.#base, probabilities);
    return arrange(predictions, outputCount(this.#task));
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const { baseValues, contributions } = this.#trees.explain(data, rows);
    return arrangedExplanation(this.#task, {
      space: typeOf(this.#task).link,
      baseValues: baseValues.map((value, k) => value + this.#base[k]),
      contributions,
      margins: this.#trees.predict(data, rows, this.#base),
    });
  }

  reside(arena: ArenaHandle, bins: readonly FeatureBins[] | null): void {
    if (bins !== null) this.#trees.reside(arena, bins);
  }

  importance(): Float64Array {
    return this.#trees.importance();
  }

  save(): SavedModel {
    return {
      header: { version: 1, facts: this.facts },
      tensors: { base: this.#base, ...this.#trees.tensors() },
    };
  }
}

/** @throws Error for a damaged model, or one that a later version wrote */
export function loadGbdt(saved: SavedModel, context: LoadContext): GbdtModel {
  const facts = readStoredFacts(saved.header, 1, "gbdt model");
  const outputs = outputCount(context.task);
  const { base, ...treeTensors } = saved.tensors;
  if (!(base instanceof Float64Array) || base.length !== outputs) {
    throw new Error(`The stored gbdt model is damaged: "base" needs ${outputs} numbers.`);
  }
  const trees = ensembleFromTensors(saved.tensors, 1, context.features.length, outputs);
  return new GbdtModel(context.task, context.features.length, trees, base, facts, treeTensors);
}
