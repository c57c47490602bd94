/** From a source to a model that answers. */

import { loadModel as loadFiles } from "../../src/model/load.ts";
import { compileKernels } from "./kernel-module.ts";
import { Predictor } from "./predictor.ts";
import { type Fetch, filesOf } from "./source.ts";
import type { LoadOptions, Model, ModelSource } from "./types.ts";

export async function load(
  source: ModelSource,
  { kernels }: LoadOptions,
  fetchBytes: Fetch,
): Promise<Model> {
  const files = await filesOf(source, fetchBytes);
  await compileKernels(kernels);
  return new Predictor(await loadFiles(files));
}
