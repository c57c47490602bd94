/**
 * What the selected model relies on: the importance its fits report, and by permutation on rows
 * that they did not learn from. Each fold is weighed with its own fits on its own validation rows.
 */

import { deriveKey } from "../compute/random.ts";
import { groupByColumn } from "../explain/feature-group.ts";
import {
  blendImportance,
  mostImportantFirst,
  type WeighedImportance,
} from "../explain/importance.ts";
import { permutationImportance } from "../explain/permutation-importance.ts";
import type { FittedModel } from "../families/family.ts";
import { familyById } from "../families/index.ts";
import { metricByName } from "../metrics/index.ts";
import { unpackModel } from "../model/packed.ts";
import { outputCount } from "../tasks/task.ts";
import { dataOfFold, type PreparedRun } from "./prepared.ts";

/** Enough rows for a stable order of columns, whatever the size of the data. */
const SCORED_ROWS = 2000;
const REPEATS = 3;

export interface FoldMember {
  readonly family: string;
  readonly weight: number;
  readonly packed: Uint8Array;
}

export interface ImportanceInput {
  readonly run: PreparedRun;
  /** The selected members' fits, by fold. */
  readonly folds: readonly (readonly FoldMember[])[];
  readonly randomState: number;
}

export interface ColumnImportance {
  readonly column: string;
  readonly importance: number;
  readonly deviation?: number;
}

export interface ImportanceOutput {
  readonly gain: readonly ColumnImportance[];
  readonly permutation: readonly ColumnImportance[];
}

interface WeighedModel {
  readonly weight: number;
  readonly model: FittedModel;
}

export function importance({ run, folds, randomState }: ImportanceInput): ImportanceOutput {
  const groups = groupByColumn(run.data.features);
  const byFit: WeighedImportance[] = [];
  const byColumn = new Map(groups.map(({ name }) => [name, { importance: 0, variance: 0 }]));
  const metric = metricByName(run.plan.metrics[0]);
  for (const [fold, members] of folds.entries()) {
    const data = dataOfFold(run, fold);
    const models = members.map((member) => ({
      weight: member.weight,
      model: load(run, member, fold),
    }));
    for (const { weight, model } of models) byFit.push({ weight, importance: model.importance() });
    const found = permutationImportance({
      data,
      rows: run.folds[fold].valid,
      target: run.target,
      weights: run.weights,
      predict: (shuffled) => blended(models, shuffled, outputCount(run.task)),
      metric,
      groups,
      repeats: REPEATS,
      key: deriveKey(randomState, "importance", fold),
      maximumRows: Math.ceil(SCORED_ROWS / folds.length),
    });
    for (const { name, importance: rise, deviation } of found) {
      const column = byColumn.get(name);
      if (!column) continue;
      column.importance += rise / folds.length;
      column.variance += (deviation / folds.length) ** 2;
    }
  }
  return {
    gain: blendImportance(byFit, groups).map(({ name, importance: share }) => ({
      column: name,
      importance: share,
    })),
    permutation: mostImportantFirst(
      Array.from(byColumn, ([name, column]) => ({
        name,
        importance: column.importance,
        deviation: Math.sqrt(column.variance),
      })),
    ).map(({ name, ...rest }) => ({ column: name, ...rest })),
  };
}

function load(run: PreparedRun, member: FoldMember, fold: number): FittedModel {
  const family = familyById(member.family);
  if (!family) throw new Error(`There is no model family ${member.family}.`);
  const data = dataOfFold(run, fold);
  return family.load(unpackModel(member.packed, `the fit of fold ${fold}`), {
    task: run.task,
    features: data.features,
    bins: family.reads === "bins" ? (data.binned?.bins ?? null) : null,
  });
}

function blended(
  models: readonly WeighedModel[],
  data: PreparedRun["data"],
  outputs: number,
): Float64Array {
  const sum = new Float64Array(data.rows * outputs);
  for (const { weight, model } of models) {
    const part = model.predict(data, null);
    for (let i = 0; i < sum.length; i++) sum[i] += weight * part[i];
  }
  return sum;
}
