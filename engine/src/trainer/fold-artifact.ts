/** What a finished fold leaves in the store: its out-of-fold predictions, kept, and its fit. */

import { packModel, unpackModel } from "../model/packed.ts";

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

export function packPredictions(predictions: Float64Array): Uint8Array {
  return packModel({ header: { kind: "predictions" }, tensors: { predictions } });
}

export function unpackPredictions(bytes: Uint8Array, name: string): Float64Array {
  const { predictions } = unpackModel(bytes, name).tensors;
  if (!(predictions instanceof Float64Array)) throw new Error(`${name} holds no predictions.`);
  return predictions;
}
