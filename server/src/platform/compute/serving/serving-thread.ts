/**
 * A thread that answers rows. Rows of a REST request come as the body's bytes and leave as the answer's,
 * so that the loop that serves requests neither parses nor checks nor writes them.
 */

import { parentPort, workerData } from "node:worker_threads";
import {
  describeThrown,
  explainRows,
  explanationsOf,
  type Model,
  type PredictOutput,
  predictionsOf,
  predictRows,
  type Rows,
  rowsKindOfModel,
} from "@distillery/engine";
import { parseCells } from "../../input/json.ts";
import { unprocessable } from "../../input/problem.ts";
import type { AnsweredRows, InferredRows } from "../answered-rows.ts";
import { comparePredictions } from "../compare-answers.ts";
import {
  asRowsFault,
  checkRows,
  type ExplanationsAnswer,
  MOST_ROWS,
  MOST_VALUES,
  type Operation,
  type PredictionsAnswer,
  readRows,
} from "../model-rows.ts";
import { inferAnswer } from "../open-inference/infer-answer.ts";
import { type InferRequest, inTensors, readInferRequest } from "../open-inference/infer-request.ts";
import { answerArrow, joinArrow, planArrow, predictArrowPart } from "./answer-arrow.ts";
import { joinParts, planRows, predictPart } from "./answer-parts.ts";
import { answerTogether } from "./answer-together.ts";
import { DriftCounts } from "./drift-counts.ts";
import { LoadedModels } from "./loaded-models.ts";
import type {
  Asked,
  FromThread,
  ModelRequest,
  Outcome,
  PlannedRows,
  RowsBody,
  RowsRequest,
  ThreadSettings,
  ToThread,
} from "./messages.ts";

const { modelBytes }: ThreadSettings = workerData;
const models = new LoadedModels(modelBytes);
const drift = new DriftCounts();

parentPort?.on("message", (message: ToThread) => {
  if (message.kind === "forget") models.forget(message.folder);
  else if (message.kind === "count") said({ counted: drift.take() });
  else void work(message);
});

const said = (message: FromThread, memory: ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, memory);

async function work(message: Exclude<ToThread, { kind: "forget" | "count" }>): Promise<void> {
  const outcomes =
    message.kind === "answer"
      ? await answer(message.asked)
      : [await outcomeOf(async () => void (await models.get(message.folder)))];
  const alone = outcomes.map(withOwnMemory);
  said({ outcomes: alone, loaded: models.folders }, alone.flatMap(ownMemory));
}

/** From here on memory changes hands; smaller pieces are copied. */
const OWN_BYTES = 64 * 1024;

/** Bytes within larger memory, such as Node's pool of 64 KiB, would take all of that along. */
function withOwnMemory(outcome: Outcome): Outcome {
  const value = answered(outcome);
  if (value === null || value.body.byteLength === value.body.buffer.byteLength) return outcome;
  return { value: { ...value, body: new Uint8Array(value.body) } };
}

/** Bytes of an answer that are all that uses their memory change hands without a copy. */
function ownMemory(outcome: Outcome): ArrayBuffer[] {
  const body = answered(outcome)?.body;
  return body?.buffer instanceof ArrayBuffer && body.byteLength > OWN_BYTES ? [body.buffer] : [];
}

/** What has bytes for an answer. */
function answered(outcome: Outcome): { readonly body: Uint8Array } | null {
  const value = "value" in outcome ? outcome.value : null;
  if (typeof value !== "object" || value === null || !("body" in value)) return null;
  const { body } = value;
  return body instanceof Uint8Array ? { ...value, body } : null;
}

async function outcomeOf<Value>(action: () => Value | Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await action() };
  } catch (error) {
    return { thrown: describeThrown(error) };
  }
}

async function answer(asked: readonly Asked[]): Promise<Outcome[]> {
  if (asked.length === 1) return [await outcomeOf(() => answerAlone(asked[0]))];
  return answerMany(asked);
}

async function answerAlone(asked: Asked): Promise<unknown> {
  if (asked.kind === "check") {
    readRows(parseCells(asked.body, MOST_VALUES), asked.operation, null);
    return undefined;
  }
  const model = await models.get(asked.request.folder);
  switch (asked.kind) {
    case "predict":
    case "explain":
      checkRows(asked.request.rows, asked.kind, rowsKindOfModel(model));
      return asked.kind === "predict"
        ? predictionsTo(model, asked.request)
        : explanationsTo(model, asked.request);
    case "predictBody":
      return packedPredictions(predictionsTo(model, withRows(model, asked.request, "predict")));
    case "planBody":
      return planBody(model, asked.request);
    case "predictPart":
      return predictPart(model, asked.request, drift);
    case "joinParts":
      return packedOutput(asked.request.modelId, joinParts(model, asked.request));
    case "explainBody": {
      const answer = explanationsTo(model, withRows(model, asked.request, "explain"));
      return packed(answer, answer.explanations.length);
    }
    case "inferBody": {
      const { modelName, signature } = asked.request;
      const infer = readInferRequest(asked.request.body, asked.request.jsonBytes, signature);
      const answer = inferredBy(model, asked.request, infer, asked.request.endpointId);
      const { json, tensors } = inferAnswer(modelName, answer, infer, signature);
      const inferred: InferredRows = {
        body: tensors.length === 0 ? json : Buffer.concat([json, ...tensors]),
        rows: answer.predictions.length,
        jsonBytes: tensors.length === 0 ? null : json.byteLength,
        logged: asked.request.logs
          ? {
              rows: Buffer.from(JSON.stringify(infer.rows)),
              answer: Buffer.from(JSON.stringify(answer)),
            }
          : null,
      };
      return inferred;
    }
    case "compareInfer": {
      const { request } = asked;
      const infer = readInferRequest(request.body, request.jsonBytes, request.signature);
      const other = await models.get(request.given.folder);
      const given = inferredBy(other, request.given, infer);
      const own = inferredBy(model, request, infer);
      return comparePredictions(given.predictions, own.predictions);
    }
    case "predictArrow":
      return answerArrow(model, asked.request);
    case "planArrow":
      return planArrow(model, asked.request) ?? answerArrow(model, asked.request);
    case "predictArrowPart":
      return predictArrowPart(model, asked.request);
    case "joinArrow":
      return joinArrow(model, asked.request);
    case "compareBody": {
      const { answer, ...request } = asked.request;
      const given: PredictionsAnswer = JSON.parse(Buffer.from(answer).toString());
      const own = predictionsTo(model, withRows(model, request, "predict"));
      return comparePredictions(given.predictions, own.predictions);
    }
  }
}

/** Bodies of predictions by one model. */
async function answerMany(asked: readonly Asked[]): Promise<Outcome[]> {
  const requests = asked.flatMap((one) => (one.kind === "predictBody" ? [one.request] : []));
  const loaded = await outcomeOf(() => models.get(requests[0].folder));
  if ("thrown" in loaded) return asked.map(() => loaded);
  const model = loaded.value;
  const read = await Promise.all(
    requests.map((request) => outcomeOf(() => withRows(model, request, "predict"))),
  );
  const rows = read.map((outcome) => ("value" in outcome ? outcome.value : null));
  const together = rowsKindOfModel(model) === "rows" ? answerTogether(model, rows, drift) : [];
  return Promise.all(
    read.map((outcome, at) => {
      if ("thrown" in outcome) return outcome;
      const { value: request } = outcome;
      const answers = together[at];
      return outcomeOf(() =>
        packedPredictions(
          answers ? { model_id: request.modelId, ...answers } : predictionsTo(model, request),
        ),
      );
    }),
  );
}

function planBody(
  model: Model,
  { threads, ...request }: Extract<Asked, { kind: "planBody" }>["request"],
): AnsweredRows | PlannedRows {
  const read = withRows(model, request, "predict");
  const planned = blaming(read.rows, () => planRows(model, { ...read, threads }, drift));
  if (planned === null) return packedPredictions(predictionsTo(model, read));
  if ("tables" in planned) return { ...planned, body: request.body };
  return packedOutput(request.modelId, planned);
}

const packedOutput = (modelId: string, output: PredictOutput): AnsweredRows =>
  packedPredictions({ model_id: modelId, ...predictionsOf(output) });

const withRows = (
  model: Model,
  { body, ...request }: RowsBody,
  operation: Operation,
): RowsRequest => ({
  ...request,
  rows: readRows(parseCells(body, MOST_VALUES), operation, rowsKindOfModel(model)),
});

function predictionsTo(
  model: Model,
  { modelId, endpointId, ...question }: RowsRequest,
): PredictionsAnswer {
  return blaming(question.rows, () => {
    const output = predictRows(model, { ...question, most: MOST_ROWS.predict });
    const answer = { model_id: modelId, ...predictionsOf(output) };
    drift.add(model, { endpointId, modelId }, output);
    return answer;
  });
}

function inferredBy(
  model: Model,
  { modelId, folder }: ModelRequest,
  infer: InferRequest,
  endpointId?: string,
): PredictionsAnswer {
  try {
    const { coverage } = infer;
    // Tensors of bytes have infinities; those of JSON were looked at.
    const rows = readRows(infer.rows, "predict", rowsKindOfModel(model), false);
    return predictionsTo(model, { modelId, folder, endpointId, coverage, rows });
  } catch (error) {
    throw inTensors(error, infer);
  }
}

function explanationsTo(model: Model, { modelId, ...question }: RowsRequest): ExplanationsAnswer {
  if (question.segments !== undefined && rowsKindOfModel(model) !== "sequences") {
    throw unprocessable(
      ["query", "segments"],
      "Only models of sequences are explained over time; leave it out",
      { type: "extra_forbidden" },
    );
  }
  return blaming(question.rows, () => ({
    model_id: modelId,
    ...explanationsOf(explainRows(model, { ...question, most: MOST_ROWS.explain })),
  }));
}

/** What the engine finds wrong with the rows is said of their places in the request. */
function blaming<Answer>(rows: Rows, action: () => Answer): Answer {
  try {
    return action();
  } catch (error) {
    throw asRowsFault(error, rows);
  }
}

const packedPredictions = (answer: PredictionsAnswer): AnsweredRows =>
  packed(answer, answer.predictions.length);

const packed = (answer: object, rows: number): AnsweredRows => ({
  body: Buffer.from(JSON.stringify(answer)),
  rows,
});
