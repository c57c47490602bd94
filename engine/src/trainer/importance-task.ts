/**
 * What the selected model relies on: the importance its fits report, and by permutation on rows
 * that they did not learn from. Each fold is weighed with its own fits on its own validation rows.
 */

import { deriveKey } from "../compute/random.ts";
import { type Calibration, type CombinationLayer, Combiner, labelsAt } from "../ensemble/index.ts";
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
import { dataOfFold, type PreparedRun } from "./prepared.ts";

/** Of each column's shuffling, which is then averaged over. */
export const IMPORTANCE_REPEATS = 3;

export interface FoldMember {
  readonly family: string;
  readonly weight: number;
  readonly calibration: Calibration | null;
  readonly packed: Uint8Array;
}

export interface ImportanceInput {
  readonly run: PreparedRun;
  /** The selected members' fits, by fold. */
  readonly folds: readonly (readonly FoldMember[])[];
  readonly layer: CombinationLayer | null;
  readonly threshold: number | null;
  readonly randomState: number;
  /** Rows, over all folds, that columns are shuffled for. */
  readonly rows: number;
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
  readonly calibration: Calibration | null;
  readonly model: FittedModel;
}

export function importance(input: ImportanceInput): ImportanceOutput {
  const { run, folds, randomState, rows } = input;
  const groups = groupByColumn(run.data.features);
  const byFit: WeighedImportance[] = [];
  const byColumn = new Map(groups.map(({ name }) => [name, { importance: 0, variance: 0 }]));
  const metric = metricByName(run.plan.metrics[0]);
  for (const [fold, members] of folds.entries()) {
    const data = dataOfFold(run, fold);
    const models = members.map((member) => ({
      weight: member.weight,
      calibration: member.calibration,
      model: load(run, member, fold),
    }));
    for (const { weight, model } of models) byFit.push({ weight, importance: model.importance() });
    const found = permutationImportance({
      data,
      rows: run.folds[fold].valid,
      target: run.target,
      weights: run.weights,
      predict: (shuffled) => {
        const values = combined(run, models, input.layer, shuffled);
        return input.threshold !== null && metric.needs === "label"
          ? labelsAt(values, input.threshold)
          : values;
      },
      metric,
      groups,
      repeats: IMPORTANCE_REPEATS,
      key: deriveKey(randomState, "importance", fold),
      maximumRows: Math.ceil(rows / folds.length),
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

function combined(
  run: PreparedRun,
  models: readonly WeighedModel[],
  layer: CombinationLayer | null,
  data: PreparedRun["data"],
): Float64Array {
  const combiner = new Combiner(run.task, layer, data.rows);
  for (const { weight, calibration, model } of models) {
    combiner.add(weight, calibration, model.predict(data, null));
  }
  return combiner.result();
}
