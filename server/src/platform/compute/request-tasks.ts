/**
 * The module that the threads of requests load: what answers rows. Rows of a REST request come as the
 * body's bytes and leave as the answer's, so that the loop that serves requests neither parses nor
 * checks nor writes them.
 */

import {
  explain as explainRows,
  predict as predictRows,
  type Rows,
  rowsKindOf,
  task,
} from "@distillery/engine";
import { parseCells } from "../input/json.ts";
import { unprocessable } from "../input/problem.ts";
import {
  asRowsFault,
  checkRows,
  type ExplanationsAnswer,
  MOST_ROWS,
  MOST_VALUES,
  type Operation,
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
  /** Of an explanation of one sequence: stretches of time that are told apart. */
  readonly segments?: number | undefined;
}

export type RowsRequest = ModelRequest & { readonly rows: Rows };
/** `body`: the JSON of the rows. */
export type RowsBody = ModelRequest & { readonly body: Uint8Array };

export const predict = task(async (request: RowsRequest) => {
  checkRows(request.rows, "predict", await rowsKindOf(request.folder));
  return predictionsOf(request);
});
export const explain = task(async (request: RowsRequest) => {
  checkRows(request.rows, "explain", await rowsKindOf(request.folder));
  return explanationsOf(request);
});
export const predictBody = task(async ({ body, ...request }: RowsBody) =>
  bytesOf(await predictionsOf({ ...request, rows: await rowsFor(request, body, "predict") })),
);
export const explainBody = task(async ({ body, ...request }: RowsBody) =>
  bytesOf(await explanationsOf({ ...request, rows: await rowsFor(request, body, "explain") })),
);

/** Finds what is wrong with rows that no model is asked about. */
export const checkBody = task(
  ({ body, operation }: { readonly body: Uint8Array; readonly operation: Operation }) => {
    readRows(parseCells(body, MOST_VALUES), operation, null);
  },
);

async function predictionsOf({ modelId, ...input }: RowsRequest): Promise<PredictionsAnswer> {
  try {
    const output = await predictRows({ ...input, most: MOST_ROWS.predict });
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
  if (input.segments !== undefined && (await rowsKindOf(input.folder)) !== "sequences") {
    throw unprocessable(
      ["query", "segments"],
      "Only models of sequences are explained over time; leave it out",
      { type: "extra_forbidden" },
    );
  }
  try {
    const output = await explainRows({ ...input, most: MOST_ROWS.explain });
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

const rowsFor = async (
  { folder }: ModelRequest,
  body: Uint8Array,
  operation: Operation,
): Promise<Rows> => readRows(parseCells(body, MOST_VALUES), operation, await rowsKindOf(folder));

const bytesOf = (answer: object): Uint8Array => Buffer.from(JSON.stringify(answer));
