/**
 * The module that the threads of requests load: what answers rows. Rows of a REST request come as the
 * body's bytes and leave as the answer's, so that the loop that serves requests neither parses nor
 * checks nor writes them.
 */

import {
  explain as explainRows,
  predict as predictRows,
  type Rows,
  task,
} from "@distillery/engine";
import { parseCells } from "../input/json.ts";
import {
  asRowsFault,
  type ExplanationsAnswer,
  MOST_ROWS,
  MOST_VALUES,
  type PredictionsAnswer,
  readRows,
  toExplanations,
  toPredictions,
} from "./model-rows.ts";

/** What rows are asked of. */
export interface ModelRequest {
  readonly modelId: string;
  /** A local copy of the model's directory. */
  readonly folder: string;
  /** Of intervals and sets; absent = what the run was asked for. */
  readonly coverage?: number | undefined;
}

export type RowsRequest = ModelRequest & { readonly rows: Rows };
/** `body`: the JSON of the rows. */
export type RowsBody = ModelRequest & { readonly body: Uint8Array };

export const predict = task(predictionsOf);
export const explain = task(explanationsOf);
export const predictBody = task(async ({ body, ...request }: RowsBody) =>
  bytesOf(await predictionsOf({ ...request, rows: rowsOf(body, MOST_ROWS.predict) })),
);
export const explainBody = task(async ({ body, ...request }: RowsBody) =>
  bytesOf(await explanationsOf({ ...request, rows: rowsOf(body, MOST_ROWS.explain) })),
);

/** Finds what is wrong with rows that no model is asked about. */
export const checkBody = task(
  ({ body, most }: { readonly body: Uint8Array; readonly most: number }) => {
    rowsOf(body, most);
  },
);

async function predictionsOf({ modelId, ...input }: RowsRequest): Promise<PredictionsAnswer> {
  try {
    const output = await predictRows(input);
    return {
      model_id: modelId,
      predictions: toPredictions(output),
      warnings: [...output.warnings],
    };
  } catch (error) {
    throw asRowsFault(error, input.rows);
  }
}

async function explanationsOf({ modelId, ...input }: RowsRequest): Promise<ExplanationsAnswer> {
  try {
    const output = await explainRows(input);
    return {
      model_id: modelId,
      space: output.space,
      explanations: toExplanations(output),
      warnings: [...output.warnings],
    };
  } catch (error) {
    throw asRowsFault(error, input.rows);
  }
}

const rowsOf = (body: Uint8Array, most: number): Rows =>
  readRows(parseCells(body, MOST_VALUES), most);

const bytesOf = (answer: object): Uint8Array => Buffer.from(JSON.stringify(answer));
