/** The task that a worker runs to evaluate models on a file. */

import { loadModel } from "../model/load-read.ts";
import { modelFolder } from "../model/model-folder.ts";
import { parseRowSketch } from "../model/row-sketch.ts";
import type { TableFile } from "../trainer/plan/run-table.ts";
import { type EvaluationRequest, evaluate, readEvaluated } from "./evaluate.ts";
import { type Evaluation, evaluationSchema } from "./evaluation-document.ts";
import { type TellProgress, writeProgress } from "./evaluation-progress.ts";
import { evaluationPage } from "./page.ts";

/** What models are evaluated on. */
export interface EvaluationInput extends Omit<EvaluationRequest, "models"> {
  readonly file: TableFile;
  /** The first is what the others are compared with; each lies in a local folder. */
  readonly models: readonly {
    readonly id: string;
    readonly folder: string;
    /** Where it is known, and told, that it learned all of these rows: they are not looked for. */
    readonly learnedAll?: boolean;
  }[];
  /** Of `newProgressWords`, where somebody looks how far it is. */
  readonly progress?: Int32Array;
}

/** What was found, and its page. */
export interface EvaluationOutput {
  readonly evaluation: Evaluation;
  readonly html: string;
}

export async function evaluateFile({
  file,
  models,
  progress,
  ...request
}: EvaluationInput): Promise<EvaluationOutput> {
  const loaded = await Promise.all(
    models.map(async ({ id, folder, learnedAll = false }) => {
      const read = modelFolder(folder);
      const model = await loadModel(read);
      const file = learnedAll ? undefined : model.document.rowSketch?.file;
      return { id, model, sketch: file ? parseRowSketch(await read(file), file) : null };
    }),
  );
  const table = await readEvaluated(file, loaded[0].model.document.labelColumn);
  const tell: TellProgress | undefined = progress && ((now) => writeProgress(progress, now));
  const evaluation = evaluationSchema.parse(evaluate(table, { ...request, models: loaded }, tell));
  return { evaluation, html: await evaluationPage(evaluation) };
}
