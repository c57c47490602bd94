/** Boosted trees: predicts, explains itself, and is saved and loaded. */

import type { EncodedData } from "../../data/encoded.ts";
import { outputCount, type Task, typeOf } from "../../tasks/index.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import { KeptTrees, type TreeShape } from "../../trees/kept-trees.ts";
import { readStoredFacts } from "../../trees/stored-header.ts";
import { arrangedExplanation } from "../arranged-explanation.ts";
import {
  type Explanation,
  type FittedModel,
  type LoadContext,
  placeOf,
  type SavedModel,
} from "../family.ts";
import type { TreesFormula } from "../formula.ts";
import type { LearningCurve } from "../learning-curve.ts";

export class GbdtModel implements FittedModel {
  readonly facts: Readonly<Record<string, number | string>>;
  /** Of the fit that made it; null once loaded. */
  curve: LearningCurve | null = null;
  readonly #task: Task;
  readonly #trees: KeptTrees;
  readonly #base: Float64Array;

  /** @param trees in the form of `compactTrees`, or as they were kept */
  constructor(
    task: Task,
    features: number,
    trees: TreeEnsemble | KeptTrees,
    base: Float64Array,
    facts: Readonly<Record<string, number | string>>,
  ) {
    this.#task = task;
    this.#trees =
      trees instanceof KeptTrees ? trees : new KeptTrees(trees, treeShape(task, features));
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

  formula(): TreesFormula {
    return { kind: "trees", trees: this.#trees.ensemble(), base: this.#base, sums: "margins" };
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
export function loadBoosted(saved: SavedModel, context: LoadContext, family: string): GbdtModel {
  const facts = readStoredFacts(saved.header, 1, `${family} model`);
  const outputs = outputCount(context.task);
  const { base, ...treeTensors } = saved.tensors;
  if (!(base instanceof Float64Array) || base.length !== outputs) {
    throw new Error(`The stored ${family} model is damaged: "base" needs ${outputs} numbers.`);
  }
  const features = context.features.length;
  const trees = KeptTrees.load(treeTensors, treeShape(context.task, features), placeOf(context));
  return new GbdtModel(context.task, features, trees, base, facts);
}

const treeShape = (task: Task, features: number): TreeShape => ({
  valuesPerNode: 1,
  features,
  outputs: outputCount(task),
});
