/** A sum of shape functions: predicts by looking cells up, explains itself exactly, and is saved and loaded. */

import { Arena } from "../../compute/arena.ts";
import { kernelsOf } from "../../compute/kernels.ts";
import { withScratch } from "../../compute/scratch.ts";
import type { BinnedData, EncodedData, FeatureBins } from "../../data/encoded.ts";
import { outputCount, type Task, typeOf } from "../../tasks/index.ts";
import type { Explanation, FittedModel, SavedModel } from "../family.ts";
import type { TreesFormula } from "../formula.ts";
import type { LearningCurve } from "../learning-curve.ts";
import { shapeTrees } from "./shape-trees.ts";
import { type Shape, shapeImportance, termCells } from "./shapes.ts";

export const GAM_VERSION = 1;

export interface GamState {
  /** One an output. */
  readonly base: Float64Array;
  readonly shapes: readonly Shape[];
  readonly bins: readonly FeatureBins[];
  readonly facts: Readonly<Record<string, number | string>>;
}

export class GamModel implements FittedModel {
  readonly facts: Readonly<Record<string, number | string>>;
  /** Of the fit that made it; null once loaded. */
  curve: LearningCurve | null = null;
  readonly #task: Task;
  readonly #state: GamState;

  constructor(task: Task, state: GamState) {
    this.#task = task;
    this.#state = state;
    this.facts = state.facts;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    return linked(this.#task, data, this.#margins(data, rows));
  }

  #margins(data: EncodedData, rows: Uint32Array | null): Float64Array {
    const { base, shapes } = this.#state;
    const outputs = base.length;
    const count = rows?.length ?? data.rows;
    const margins = Float64Array.from({ length: count * outputs }, (_, at) => base[at % outputs]);
    for (const shape of shapes) {
      const cells = termCells(data, binnedOf(data), shape, rows);
      const { values } = shape;
      for (let i = 0; i < count; i++) {
        const cell = cells[i] * outputs;
        for (let k = 0; k < outputs; k++) margins[i * outputs + k] += values[cell + k];
      }
    }
    return margins;
  }

  /** A pair's value is shared by halves: Shapley's values of a term whose means along both features are 0. */
  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const { base, shapes, bins } = this.#state;
    const outputs = base.length;
    const count = rows?.length ?? data.rows;
    const contributions = new Float64Array(count * bins.length * outputs);
    for (const shape of shapes) {
      const cells = termCells(data, binnedOf(data), shape, rows);
      const share = 1 / shape.features.length;
      for (const feature of shape.features) {
        for (let i = 0; i < count; i++) {
          const to = (i * bins.length + feature) * outputs;
          for (let k = 0; k < outputs; k++) {
            contributions[to + k] += share * shape.values[cells[i] * outputs + k];
          }
        }
      }
    }
    return {
      space: typeOf(this.#task).link,
      baseValues: base.slice(),
      contributions,
      margins: this.#margins(data, rows),
    };
  }

  formula(): TreesFormula {
    const { base, shapes, bins } = this.#state;
    return { kind: "trees", trees: shapeTrees(shapes, bins, base.length), base, sums: "margins" };
  }

  importance(): Float64Array {
    return shapeImportance(this.#state.shapes, this.#state.bins.length);
  }

  shapes(): readonly Shape[] {
    return this.#state.shapes;
  }

  save(): SavedModel {
    const { base, shapes, facts } = this.#state;
    return {
      header: {
        version: GAM_VERSION,
        facts,
        terms: shapes.map(({ features, height, width }) => ({ features, height, width })),
      },
      tensors: {
        base,
        values: joined(shapes.map(({ values }) => values)),
        deviations: joined(shapes.map(({ deviations }) => deviations)),
        covers: joined(shapes.map(({ covers }) => covers)),
        lines: Uint8Array.from(shapes.flatMap(({ lines }) => lines.flatMap((own) => [...own]))),
      },
    };
  }
}

/** Predictions from margins, rows × outputs. */
export function linked(task: Task, data: EncodedData, margins: Float64Array): Float64Array {
  const { link, arrange } = typeOf(task);
  const outputs = outputCount(task);
  if (link === "identity" || margins.length === 0) return arrange(margins, outputs);
  const arena = Arena.attach(data.arena);
  const predictions = withScratch(arena, (scratch) => {
    const placed = scratch.f64(margins);
    kernelsOf(arena).toProbabilities(placed, margins.length / outputs, outputs);
    return arena.f64(placed, margins.length).slice();
  });
  return arrange(predictions, outputs);
}

function binnedOf({ binned }: EncodedData): BinnedData {
  if (binned === null) throw new Error("gam reads bins, and this data was encoded without them.");
  return binned;
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
