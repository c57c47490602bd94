/** The task that a worker runs to evaluate models on a file. */

import { loadModel } from "../model/load.ts";
import { modelFolder } from "../model/model-folder.ts";
import type { TableFile } from "../trainer/run-table.ts";
import { type EvaluationRequest, evaluate, readEvaluated } from "./evaluate.ts";
import { type Evaluation, evaluationSchema } from "./evaluation-document.ts";
import { evaluationPage } from "./page.ts";

/** What models are evaluated on. */
export interface EvaluationInput extends Omit<EvaluationRequest, "models"> {
  readonly file: TableFile;
  /** The first is what the others are compared with; each lies in a local folder. */
  readonly models: readonly { readonly id: string; readonly folder: string }[];
}

/** What was found, and its page. */
export interface EvaluationOutput {
  readonly evaluation: Evaluation;
  readonly html: string;
}

export async function evaluateFile({
  file,
  models,
  ...request
}: EvaluationInput): Promise<EvaluationOutput> {
  const loaded = await Promise.all(
    models.map(async ({ id, folder }) => ({ id, model: await loadModel(modelFolder(folder)) })),
  );
  const table = await readEvaluated(file, loaded[0].model.document.labelColumn);
  const evaluation = evaluationSchema.parse(evaluate(table, { ...request, models: loaded }));
  return { evaluation, html: await evaluationPage(evaluation) };
}
