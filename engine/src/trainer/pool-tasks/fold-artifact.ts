/** What a finished fold leaves in the store: its out-of-fold predictions, kept, and its fit. */

import { z } from "zod";
import type { LearningCurve } from "../../families/learning-curve.ts";
import { packModel, unpackModel } from "../../model/packed.ts";

/** Fits that the model does not need are dropped when it is written. */
export const FITS = "fits/";
/** Out-of-fold predictions stay, for whatever is computed from them later. */
export const PREDICTIONS = "predictions/";

function suffix(trial: number, fold: number): string {
  return `${String(trial).padStart(5, "0")}-${String(fold).padStart(2, "0")}`;
}

/** The name of a packed model (see `model/packed.ts`). */
export function fitArtifact(trial: number, fold: number): string {
  return `${FITS}${suffix(trial, fold)}`;
}

export function predictionsArtifact(trial: number, fold: number): string {
  return `${PREDICTIONS}${suffix(trial, fold)}`;
}

/**
 * Final out-of-fold predictions of a selection, cross-fitted: row-major over `outOfFoldRows`; and of
 * two classes its labels.
 */
export const SELECTIONS = "selection/";

/** The name of the artifact of one model of a run, by its place. */
export function selectionArtifact(selection: number): string {
  return `${SELECTIONS}${selection}/predictions`;
}

export function packPredictions(
  predictions: Float64Array,
  curve: LearningCurve | null = null,
): Uint8Array {
  const header = { kind: "predictions", ...(curve ? { curve } : {}) };
  return packModel({ header, tensors: { predictions } });
}

export interface PackedSelection {
  readonly predictions: Float64Array;
  /** 0 or 1, one a row; null where the task has not two classes. */
  readonly labels: Float64Array | null;
  /** Of each member, one a series; null where it has the same weight for all. */
  readonly bySeries: readonly Float64Array[] | null;
}

export function packSelection({ predictions, labels, bySeries }: PackedSelection): Uint8Array {
  const weights = (bySeries ?? []).map((each, member) => [weightsName(member), each] as const);
  const tensors = {
    predictions,
    ...(labels ? { labels: Uint8Array.from(labels) } : {}),
    ...Object.fromEntries(weights),
  };
  return packModel({ header: { kind: "predictions" }, tensors });
}

const weightsName = (member: number): string => `weights_${member}`;

/** Of each member of a selection, its weights for each series; null where all series have the same. */
export function unpackSeriesWeights(
  bytes: Uint8Array,
  name: string,
  members: number,
): Float64Array[] | null {
  const { tensors } = unpackModel(bytes, name);
  if (!(weightsName(0) in tensors)) return null;
  return Array.from({ length: members }, (_, member) => {
    const weights = tensors[weightsName(member)];
    if (weights instanceof Float64Array) return weights;
    throw new Error(`${name} holds no weights of member ${member}.`);
  });
}

export function unpackLabels(bytes: Uint8Array, name: string): Float64Array | null {
  const { labels } = unpackModel(bytes, name).tensors;
  // Runs of before kept numbers of eight bytes.
  return labels ? Float64Array.from(labels) : null;
}

const curveHeader = z.object({
  curve: z
    .object({ loss: z.string(), iterations: z.array(z.number()), values: z.array(z.number()) })
    .optional(),
});

/** How the fit that made the predictions went; null where its family has no iterations to show. */
export function unpackCurve(bytes: Uint8Array, name: string): LearningCurve | null {
  return curveHeader.parse(unpackModel(bytes, name).header).curve ?? null;
}

export function unpackPredictions(bytes: Uint8Array, name: string): Float64Array {
  const { predictions } = unpackModel(bytes, name).tensors;
  if (!(predictions instanceof Float64Array)) throw new Error(`${name} holds no predictions.`);
  return predictions;
}
