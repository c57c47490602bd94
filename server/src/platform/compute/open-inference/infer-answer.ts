/** Predictions as the tensors of an answer of the Open Inference Protocol v2. */

import { unprocessable } from "../../input/problem.ts";
import type { PredictionsAnswer } from "../model-rows.ts";
import type { InferRequest, Signature } from "./infer-request.ts";
import { type Cell, type Datatype, writeTensor } from "./tensors.ts";

type Prediction = PredictionsAnswer["predictions"][number];

interface Tensor {
  readonly name: string;
  readonly datatype: Datatype;
  readonly shape: readonly number[];
  readonly cells: readonly Cell[];
}

export interface InferAnswer {
  readonly json: Uint8Array;
  /** Those that are sent as bytes, in their order. */
  readonly tensors: readonly Uint8Array[];
}

/** @param modelName as the request has it @throws UnprocessableError for an output that there is not */
export function inferAnswer(
  modelName: string,
  { model_id, predictions, warnings }: PredictionsAnswer,
  request: Pick<InferRequest, "id" | "outputs" | "isBinary">,
  signature: Signature,
): InferAnswer {
  const tensors = tensorsOf(predictions, signature);
  const known = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const wanted = request.outputs ?? new Map(tensors.map(({ name }) => [name, request.isBinary]));
  const sent: Uint8Array[] = [];
  const outputs = [...wanted].map(([name, isBinary], at) => {
    const tensor = known.get(name);
    if (tensor === undefined) {
      const names = [...known.keys()].join(", ");
      throw unprocessable(
        ["body", "outputs", at, "name"],
        `there is no ${name} here; ${names} are`,
      );
    }
    const { datatype, shape, cells } = tensor;
    if (!isBinary) return { name, datatype, shape, data: cells };
    const bytes = writeTensor(datatype, cells);
    sent.push(bytes);
    return { name, datatype, shape, parameters: { binary_data_size: bytes.byteLength } };
  });
  const json = {
    model_name: modelName,
    model_version: model_id,
    ...(request.id === undefined ? {} : { id: request.id }),
    ...(warnings.length === 0 ? {} : { parameters: { warnings: warnings.join(" ") } }),
    outputs,
  };
  return { json: Buffer.from(JSON.stringify(json)), tensors: sent };
}

/** Every member that the predictions have, as a tensor. */
function tensorsOf(predictions: readonly Prediction[], { classes }: Signature): Tensor[] {
  const rows = predictions.length;
  const first: Prediction | undefined = predictions[0];
  if (first === undefined) return [];
  const has = (member: string): boolean => member in first;
  const column = (name: string, datatype: Datatype, of: (p: Prediction) => Cell): Tensor => ({
    name,
    datatype,
    shape: [rows],
    cells: predictions.map(of),
  });
  const table = (
    name: string,
    datatype: Datatype,
    width: number,
    of: (p: Prediction) => readonly Cell[],
  ): Tensor => ({ name, datatype, shape: [rows, width], cells: predictions.flatMap(of) });
  const tensors: Tensor[] = [];
  if (has("id")) tensors.push(column("id", "BYTES", (p) => ("id" in p ? (p.id ?? null) : null)));
  if (has("series")) {
    tensors.push(column("series", "BYTES", (p) => ("series" in p ? JSON.stringify(p.series) : "")));
    tensors.push(column("time", "BYTES", (p) => ("time" in p ? String(p.time) : "")));
  }
  if ("label" in first) {
    const none = classes.map(() => null);
    tensors.push(
      column("label", "BYTES", (p) => ("label" in p ? p.label : null)),
      table("probabilities", "FP64", classes.length, (p) =>
        "label" in p ? classes.map((name) => p.probabilities[name] ?? null) : none,
      ),
    );
    if (has("set")) {
      tensors.push(
        table("set", "BOOL", classes.length, (p) =>
          "label" in p ? classes.map((name) => p.set?.includes(name) ?? false) : none,
        ),
      );
    }
    return tensors;
  }
  tensors.push(column("value", "FP64", (p) => ("value" in p ? p.value : null)));
  if (has("interval")) {
    tensors.push(
      table("interval", "FP64", 2, (p) => ("interval" in p && p.interval) || [null, null]),
    );
  }
  if ("quantiles" in first && first.quantiles) {
    const levels = Object.keys(first.quantiles);
    tensors.push(
      table("quantiles", "FP64", levels.length, (p) =>
        levels.map((level) => ("quantiles" in p ? (p.quantiles?.[level] ?? null) : null)),
      ),
    );
  }
  return tensors;
}
