/** Two models on rows that the runs of both held out, from the files that the runs left. */

import { readFile } from "node:fs/promises";
import {
  compareOutOfFold,
  type HeldOutPredictions,
  type OutOfFoldComparison,
  type OutOfFoldRequest,
  readHeldOut,
} from "@distillery/engine";

/** A model, and local files of its run. */
export interface HeldOutFiles {
  readonly id: string;
  /** Which rows the predictions are of. */
  readonly rows: string;
  readonly predictions: string;
}

export interface HeldOutRequest extends Omit<OutOfFoldRequest, "models"> {
  readonly models: readonly [HeldOutFiles, HeldOutFiles];
}

export async function compareHeldOut({
  models: [one, other],
  ...request
}: HeldOutRequest): Promise<OutOfFoldComparison> {
  return compareOutOfFold({ ...request, models: [await readFiles(one), await readFiles(other)] });
}

const readFiles = async ({ id, rows, predictions }: HeldOutFiles): Promise<HeldOutPredictions> =>
  readHeldOut(id, await readFile(rows), await readFile(predictions));
