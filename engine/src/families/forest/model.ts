/** A fitted forest: the average of its trees' leaves, in the space of values or probabilities. */

import type { EncodedData } from "../../data/encoded.ts";
import { hasClasses, outputCount, type Task } from "../../tasks/index.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import { KeptTrees, type TreeShape } from "../../trees/kept-trees.ts";
import { readStoredFacts } from "../../trees/stored-header.ts";
import {
  type Explanation,
  type FittedModel,
  type LoadContext,
  placeOf,
  type SavedModel,
} from "../family.ts";
import type { TreesFormula } from "../formula.ts";

const VERSION = 1;

export class ForestModel implements FittedModel {
  readonly facts: Readonly<Record<string, number | string>>;
  readonly #task: Task;
  /** What a sum over the trees starts from; 0 for shares of classes. */
  readonly #base: number;
  readonly #trees: KeptTrees;

  /** @param trees in the form of `compactTrees`, or as they were kept */
  constructor(
    task: Task,
    features: number,
    trees: TreeEnsemble | KeptTrees,
    base: number,
    facts: Readonly<Record<string, number | string>>,
  ) {
    this.#task = task;
    this.#base = base;
    this.#trees =
      trees instanceof KeptTrees ? trees : new KeptTrees(trees, treeShape(task, features));
    this.facts = facts;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const outputs = outputCount(this.#task);
    const sums = this.#trees.predict(data, rows, new Float64Array(outputs).fill(this.#base));
    return hasClasses(this.#task) ? wholeShares(sums, outputs) : sums;
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

  formula(): TreesFormula {
    const base = new Float64Array(outputCount(this.#task)).fill(this.#base);
    const sums = hasClasses(this.#task) ? "shares" : "margins";
    return { kind: "trees", trees: this.#trees.ensemble(), base, sums };
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

/** Probabilities of sums of leaves. Shares are kept in single precision; their sum may stray from 1 by some 1e-8. */
export function wholeShares(sums: Float64Array, outputs: number): Float64Array {
  if (outputs === 1) return sums.map((p) => Math.min(1, Math.max(0, p)));
  for (let from = 0; from < sums.length; from += outputs) {
    let total = 0;
    for (let k = 0; k < outputs; k++) total += sums[from + k];
    for (let k = 0; k < outputs; k++) sums[from + k] /= total;
  }
  return sums;
}

/** @throws Error for a damaged model, or one that a later version wrote */
export function loadForest(saved: SavedModel, context: LoadContext): ForestModel {
  const facts = readStoredFacts(saved.header, VERSION, "forest");
  const features = context.features.length;
  const { base, ...treeTensors } = saved.tensors;
  if (!(base instanceof Float64Array) || base.length !== 1 || !Number.isFinite(base[0])) {
    throw new Error('The stored forest is damaged: "base" needs one finite number.');
  }
  const trees = KeptTrees.load(treeTensors, treeShape(context.task, features), placeOf(context));
  return new ForestModel(context.task, features, trees, base[0], facts);
}

function treeShape(task: Task, features: number): TreeShape {
  const outputs = outputCount(task);
  return { valuesPerNode: outputs, features, outputs };
}
