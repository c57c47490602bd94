/** A loaded model, as this package hands it out. */

import { explainRows, predictRows } from "../../src/answers/answer.ts";
import { explanationsOf } from "../../src/answers/explanations.ts";
import { predictionsOf } from "../../src/answers/predictions.ts";
import { modelFault } from "../../src/answers/row-faults.ts";
import { type Rows as Question, rowsKindOf } from "../../src/answers/rows.ts";
import type { Model as EngineModel } from "../../src/model/model.ts";
import { questionOf } from "./rows.ts";
import { RowsError } from "./rows-error.ts";
import type {
  ExplainOptions,
  Explanations,
  Model,
  ModelCard,
  ModelColumn,
  ModelTask,
  Predictions,
  PredictOptions,
  Rows,
} from "./types.ts";

export class Predictor implements Model {
  readonly task: ModelTask;
  readonly labelColumn: string;
  readonly columns: readonly ModelColumn[];
  readonly card: ModelCard;
  #model: EngineModel | null;

  constructor(model: EngineModel) {
    const { task, labelColumn, columns, card } = model.document;
    this.task = task;
    this.labelColumn = labelColumn;
    this.columns = columns;
    this.card = card;
    this.#model = model;
  }

  predict(rows: Rows = {}, { coverage }: PredictOptions = {}): Predictions {
    return this.#answer(rows, (model, question) =>
      predictionsOf(predictRows(model, { rows: question, coverage })),
    );
  }

  explain(rows: Rows = {}, { segments }: ExplainOptions = {}): Explanations {
    return this.#answer(rows, (model, question) =>
      explanationsOf(explainRows(model, { rows: question, segments })),
    );
  }

  dispose(): void {
    this.#model = null;
  }

  #answer<Answer>(rows: Rows, answer: (model: EngineModel, question: Question) => Answer): Answer {
    if (this.#model === null) throw new Error("The model was disposed of.");
    const question = questionOf(rows, rowsKindOf(this.#model));
    try {
      return answer(this.#model, question);
    } catch (error) {
      const fault = modelFault(error, question);
      throw fault === null ? error : new RowsError([fault], { cause: error });
    }
  }
}
