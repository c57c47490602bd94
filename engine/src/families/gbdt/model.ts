/** Boosted trees: predicts, explains itself, and is saved and loaded. */

import type { EncodedData } from "../../data/encoded.ts";
import { outputCount, type Task, typeOf } from "../../tasks/index.ts";
import {
  type DerivedColumn,
  hasEdges,
  ofFeatures,
  overDerived,
  withDerivedBins,
} from "../../trees/derived-columns.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import { KeptTrees, type TreeShape } from "../../trees/kept-trees.ts";
import type { TreeContributions } from "../../trees/shap/tree-shap.ts";
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
import { derivedTensors, loadDerived } from "./saved-derived.ts";

/** Of models that read the data's own features alone, of those with tables over categories, and with edges of their own. */
const VERSION = 1;
const VERSION_WITH_TABLES = 2;
const VERSION_WITH_EDGES = 3;

function versionOf(derived: readonly DerivedColumn[]): number {
  if (derived.some(hasEdges)) return VERSION_WITH_EDGES;
  return derived.length > 0 ? VERSION_WITH_TABLES : VERSION;
}

export class GbdtModel implements FittedModel {
  readonly facts: Readonly<Record<string, number | string>>;
  readonly readsValues: boolean;
  /** Of the fit that made it; null once loaded. */
  curve: LearningCurve | null = null;
  readonly #task: Task;
  readonly #features: number;
  readonly #derived: readonly DerivedColumn[];
  readonly #trees: KeptTrees;
  readonly #base: Float64Array;

  /**
   * @param features of the data
   * @param derived columns that trees read behind those
   * @param trees in the form of `compactTrees`, or as they were kept
   */
  constructor(
    task: Task,
    features: number,
    derived: readonly DerivedColumn[],
    trees: TreeEnsemble | KeptTrees,
    base: Float64Array,
    facts: Readonly<Record<string, number | string>>,
  ) {
    this.#task = task;
    this.#features = features;
    this.#derived = derived;
    this.#trees =
      trees instanceof KeptTrees
        ? trees
        : new KeptTrees(trees, treeShape(task, features + derived.length));
    this.#base = base;
    this.facts = facts;
    this.readsValues = derived.some(hasEdges);
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const { link, arrange } = typeOf(this.#task);
    return arrange(this.#sums(data, rows, link !== "identity"), outputCount(this.#task));
  }

  #sums(data: EncodedData, rows: Uint32Array | null, probabilities: boolean): Float64Array {
    const base = this.#base;
    if (this.#derived.length === 0) return this.#trees.predict(data, rows, base, probabilities);
    const sums = new Float64Array((rows?.length ?? data.rows) * base.length);
    let at = 0;
    overDerived(data, this.#derived, rows, false, (extended) => {
      const some = this.#trees.predict(extended, null, base, probabilities);
      sums.set(some, at);
      at += some.length;
    });
    return sums;
  }

  #contributions(data: EncodedData, rows: Uint32Array | null): TreeContributions {
    if (this.#derived.length === 0) return this.#trees.explain(data, rows);
    const outputs = this.#base.length;
    const count = rows?.length ?? data.rows;
    const contributions = new Float64Array(count * this.#features * outputs);
    let baseValues = new Float64Array(outputs);
    let at = 0;
    overDerived(data, this.#derived, rows, true, (extended) => {
      const said = this.#trees.explain(extended, null);
      const own = ofFeatures(this.#derived, this.#features, outputs, said.contributions);
      contributions.set(own, at);
      at += own.length;
      baseValues = Float64Array.from(said.baseValues);
    });
    return { baseValues, contributions };
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const { baseValues, contributions } = this.#contributions(data, rows);
    return arrangedExplanation(this.#task, {
      space: typeOf(this.#task).link,
      baseValues: baseValues.map((value, k) => value + this.#base[k]),
      contributions,
      margins: this.#sums(data, rows, false),
    });
  }

  formula(): TreesFormula {
    return {
      ...{ kind: "trees", trees: this.#trees.ensemble(), base: this.#base, sums: "margins" },
      ...(this.#derived.length > 0 && { derived: this.#derived }),
    };
  }

  importance(): Float64Array {
    return ofFeatures(this.#derived, this.#features, 1, this.#trees.importance());
  }

  save(): SavedModel {
    const derived = this.#derived;
    return {
      header: { version: versionOf(derived), facts: this.facts },
      tensors: { base: this.#base, ...derivedTensors(derived), ...this.#trees.tensors() },
    };
  }
}

/** @throws Error for a damaged model, or one that a later version wrote */
export function loadBoosted(saved: SavedModel, context: LoadContext, family: string): GbdtModel {
  const { derived, tensors } = loadDerived(saved.tensors, context.features);
  const facts = readStoredFacts(saved.header, versionOf(derived), `${family} model`);
  const outputs = outputCount(context.task);
  const { base, ...treeTensors } = tensors;
  if (!(base instanceof Float64Array) || base.length !== outputs) {
    throw new Error(`The stored ${family} model is damaged: "base" needs ${outputs} numbers.`);
  }
  const features = context.features.length;
  const place = placeOf(context);
  const trees = KeptTrees.load(
    treeTensors,
    treeShape(context.task, features + derived.length),
    place && { ...place, bins: withDerivedBins(place.bins, derived) },
  );
  return new GbdtModel(context.task, features, derived, trees, base, facts);
}

const treeShape = (task: Task, features: number): TreeShape => ({
  valuesPerNode: 1,
  features,
  outputs: outputCount(task),
});
