/** Short ways to fit gbdt in this folder's tests. */

import { deriveKey } from "../../../compute/random.ts";
import type { EncodedData } from "../../../data/encoded.ts";
import type { Parameters } from "../../../search/space.ts";
import type { Task } from "../../../tasks/index.ts";
import type { FitContext, FittedModel } from "../../family.ts";
import { gbdt } from "../family.ts";

export const REGRESSION: Task = { kind: "regression", classes: [] };
export const BINCLASS: Task = { kind: "binclass", classes: ["no", "yes"] };
export const MULTICLASS: Task = { kind: "multiclass", classes: ["a", "b", "c"] };

/** Plain boosting: no subsampling, no regularisation. */
export const PLAIN: Parameters = {
  n_estimators: 20,
  learning_rate: 0.2,
  num_leaves: 8,
  min_data_in_leaf: 1,
  feature_fraction: 1,
  bagging_fraction: 1,
  lambda_l1: 0,
  lambda_l2: 0,
};

export function allRows(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, row) => row);
}

export function contextOf(
  task: Task,
  data: EncodedData,
  target: ArrayLike<number>,
  changes: Partial<FitContext> = {},
): FitContext {
  return {
    task,
    data,
    target: Float64Array.from(target),
    softTarget: null,
    weights: null,
    trainRows: allRows(data.rows),
    validRows: null,
    key: deriveKey(3, "gbdt-test"),
    monotone: {},
    ...changes,
  };
}

export function fit(
  task: Task,
  data: EncodedData,
  target: ArrayLike<number>,
  parameters: Parameters = {},
  changes: Partial<FitContext> = {},
): FittedModel {
  return gbdt.fit(contextOf(task, data, target, changes), { ...PLAIN, ...parameters });
}
