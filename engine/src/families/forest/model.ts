/** A fitted forest: the average of its trees' leaves, in the space of values or probabilities. */

import type { EncodedData } from "../../data/encoded.ts";
import { outputCount, type Task } from "../../tasks/task.ts";
import type { TreeEnsemble } from "../../trees/ensemble.ts";
import { gainImportance } from "../../trees/importance.ts";
import { predictTrees } from "../../trees/predictor.ts";
import { treeShap } from "../../trees/shap/tree-shap.ts";
import { ensembleFromTensors, ensembleToTensors, TreeFormatError } from "../../trees/tensors.ts";
import type { Explanation, FittedModel, LoadContext, SavedModel } from "../family.ts";

const VERSION = 1;

export class ForestModel implements FittedModel {
  readonly facts: Readonly<Record<string, number | string>>;
  readonly #task: Task;
  readonly #features: number;
  readonly #trees: TreeEnsemble;

  constructor(
    task: Task,
    features: number,
    trees: TreeEnsemble,
    facts: Readonly<Record<string, number | string>>,
  ) {
    this.#task = task;
    this.#features = features;
    this.#trees = trees;
    this.facts = facts;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const sums = predictTrees(this.#trees, data, rows, new Float64Array(outputCount(this.#task)));
    // Rounding may carry a sum of shares past 1 by a few units in the last place.
    return this.#task.kind === "regression" ? sums : sums.map((p) => Math.min(1, Math.max(0, p)));
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const outputs = outputCount(this.#task);
    const { baseValues, contributions } = treeShap(this.#trees, data, rows, outputs);
    return { space: "identity", baseValues, contributions, margins: this.predict(data, rows) };
  }

  importance(): Float64Array {
    return gainImportance(this.#trees, this.#features);
  }

  save(): SavedModel {
    return {
      header: { version: VERSION, facts: this.facts },
      tensors: ensembleToTensors(this.#trees),
    };
  }
}

function isFacts(value: unknown): value is Record<string, number | string> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((fact) => typeof fact === "number" || typeof fact === "string")
  );
}

/** @throws TreeFormatError for a damaged model, or one that a later version wrote */
export function loadForest(saved: SavedModel, context: LoadContext): ForestModel {
  const { header } = saved;
  if (typeof header !== "object" || header === null || !("version" in header)) {
    throw new TreeFormatError("The stored forest has no version.");
  }
  if (header.version !== VERSION) {
    throw new TreeFormatError(
      `The stored forest has version ${JSON.stringify(header.version)}; this release reads version ${VERSION}.`,
    );
  }
  if (!("facts" in header) || !isFacts(header.facts)) {
    throw new TreeFormatError("The stored forest is damaged: it has no facts.");
  }
  const outputs = outputCount(context.task);
  const features = context.features.length;
  const trees = ensembleFromTensors(saved.tensors, outputs, features, outputs);
  return new ForestModel(context.task, features, trees, header.facts);
}
