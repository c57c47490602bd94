/** A model of this service as a teacher: it predicts in the pool, on a local copy of its files. */

import {
  type ComputePool,
  classOrder,
  DataError,
  inOrder,
  type ModelDocument,
  type ModelFile,
  type ModelTaskInput,
  type PredictOutput,
  stepsOfSamples,
  type Teacher,
  TeacherError,
  type TeacherSamples,
} from "@distillery/engine";

/** Rows of one task of the pool, or steps of sequences. */
const TASK_ROWS = 4096;

export interface ModelTeacherOptions {
  readonly id: string;
  readonly document: Pick<ModelDocument, "task" | "columns">;
  readonly files: readonly ModelFile[];
  /** A local copy of the model's directory. */
  readonly folder: string;
  readonly pool: ComputePool;
}

export class PooledModelTeacher implements Teacher {
  readonly name: string;
  readonly columns: readonly string[];
  readonly bytes: number;
  readonly batchRows: number;
  readonly #options: ModelTeacherOptions;

  constructor(options: ModelTeacherOptions) {
    const { id, document, files, pool } = options;
    this.name = `model ${id}`;
    this.columns = document.columns.map(({ name }) => name);
    this.bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    // A question keeps every thread busy for a while.
    this.batchRows = 4 * pool.threads * TASK_ROWS;
    this.#options = options;
  }

  async predict({ task, featureNames, rows }: TeacherSamples, signal: AbortSignal) {
    const order = classOrder(this.name, this.#options.document.task, task);
    const parts: Promise<PredictOutput>[] = [];
    for (let from = 0, to = 0; from < rows.length; from = to) {
      for (let steps = 0; to < rows.length && (to === from || steps < TASK_ROWS); to++) {
        const [cell] = rows[to];
        steps += Array.isArray(cell) ? cell.length : 1;
      }
      const data = stepsOfSamples(rows.slice(from, to));
      parts.push(this.#predictPart({ columns: featureNames, data }, signal));
    }
    // All end before the first failure is told.
    const ended = await Promise.allSettled(parts);
    const outputs = ended.map((part) => {
      if (part.status === "rejected") throw this.#faultOf(part.reason);
      return part.value;
    });
    const perRow = outputs[0]?.outputs ?? 1;
    const values = new Float64Array(rows.length * perRow);
    let at = 0;
    for (const part of outputs) {
      values.set(part.values, at);
      at += part.values.length;
    }
    return inOrder(values, perRow, order);
  }

  #predictPart(rows: ModelTaskInput["rows"], signal: AbortSignal): Promise<PredictOutput> {
    const { pool, folder } = this.#options;
    return pool.run<ModelTaskInput, PredictOutput>("predict", { folder, rows }, { signal });
  }

  #faultOf(error: unknown): unknown {
    if (!(error instanceof DataError)) return error;
    return new TeacherError(
      `The teacher ${this.name} cannot read the rows: ${error.message}`,
      error,
    );
  }
}
