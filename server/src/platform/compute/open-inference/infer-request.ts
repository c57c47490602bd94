/** A request of the Open Inference Protocol v2 as rows, and what its answer is to hold. */

import type { Rows } from "@distillery/engine";
import { z } from "zod";
import { parseCells } from "../../input/json.ts";
import { UnprocessableError, unprocessable } from "../../input/problem.ts";
import { bodyErrors } from "../../input/validation-errors.ts";
import { coverageQuery, MOST_ROWS, MOST_VALUES } from "../model-rows.ts";
import { type Cell, DATATYPES, readList, readTensor, TensorError } from "./tensors.ts";

/** What of a model says how tensors become its rows. */
export interface Signature {
  readonly columns: readonly { readonly name: string; readonly kind: string }[];
  /** In the order of the probabilities. */
  readonly classes: readonly string[];
}

const tensor = z.looseObject({
  name: z.string(),
  // A tensor without elements would say how many rows there are at no price.
  shape: z.array(z.int().min(1)).min(1).max(2),
  datatype: z.enum(DATATYPES),
  parameters: z.looseObject({ binary_data_size: z.int().min(0).optional() }).optional(),
  data: z.array(z.unknown()).optional(),
});

/** The JSON of a request. */
export const inferRequestSchema = z.looseObject({
  id: z.string().optional(),
  parameters: z
    .looseObject({ binary_data_output: z.boolean().optional(), coverage: coverageQuery })
    .optional(),
  inputs: z.array(tensor),
  outputs: z
    .array(
      z.looseObject({
        name: z.string(),
        parameters: z.looseObject({ binary_data: z.boolean().optional() }).optional(),
      }),
    )
    .optional(),
});

/** Where the cells of a column stand: the input, the first of its elements, and how far apart they are. */
interface Place {
  readonly input: number;
  readonly at: number;
  readonly step: number;
}

export interface InferRequest {
  readonly id: string | undefined;
  readonly rows: Rows;
  /** By column of the rows. */
  readonly places: readonly Place[];
  readonly coverage: number | undefined;
  /** The outputs to send, by name, each as bytes or as a list; null = all. */
  readonly outputs: ReadonlyMap<string, boolean> | null;
  /** Whether outputs of which nothing is said are sent as bytes. */
  readonly isBinary: boolean;
}

/** What is wrong with a request's rows, at the tensors that they were; other errors as they are. */
export function inTensors(error: unknown, { places }: InferRequest): unknown {
  if (!(error instanceof UnprocessableError)) return error;
  if (places.length === 0 && error.detail.some(({ loc }) => loc[1] === "instances")) {
    return unprocessable(
      ["body", "inputs"],
      "the model takes rows: send a tensor for each of its columns",
    );
  }
  return new UnprocessableError(
    error.detail.map((item) => {
      const [, member, first, column] = item.loc;
      if (member !== "data" && member !== "columns") return item;
      const place = places[Number(member === "data" ? column : first)];
      const inInput =
        place === undefined
          ? []
          : member === "columns"
            ? [place.input, "name"]
            : [place.input, "data", Number(first) * place.step + place.at];
      return { ...item, loc: ["body", "inputs", ...inInput] };
    }),
  );
}

/**
 * @param jsonBytes how much of the body is JSON; the tensors' bytes follow. Null = all of it
 * @throws UnprocessableError
 */
export function readInferRequest(
  body: Uint8Array,
  jsonBytes: number | null,
  signature: Signature,
): InferRequest {
  const length = jsonBytes ?? body.byteLength;
  if (length > body.byteLength) {
    throw unprocessable(
      ["header", "inference-header-content-length"],
      `the body has ${body.byteLength} bytes`,
    );
  }
  const json = parseCells(body.subarray(0, length), MOST_VALUES);
  const parsed = inferRequestSchema.safeParse(json);
  if (!parsed.success) {
    throw new UnprocessableError(bodyErrors(parsed.error, json, inferRequestSchema));
  }
  const { id, inputs, outputs, parameters } = parsed.data;
  const isBinary = parameters?.binary_data_output ?? false;
  return {
    id,
    ...rowsOf(inputs, body.subarray(length), signature),
    coverage: parameters?.coverage,
    outputs: outputs
      ? new Map(outputs.map((o) => [o.name, o.parameters?.binary_data ?? isBinary]))
      : null,
    isBinary,
  };
}

function rowsOf(
  inputs: readonly z.infer<typeof tensor>[],
  binary: Uint8Array,
  signature: Signature,
): Pick<InferRequest, "rows" | "places"> {
  if (inputs.length === 0) return { rows: {}, places: [] };
  const columns = new Set<string>();
  const cells: (Place & { readonly list: readonly Cell[] })[] = [];
  const [count = 0] = inputs[0].shape;
  let offset = 0;
  let elements = 0;
  for (const [index, input] of inputs.entries()) {
    const { name, shape, datatype, data } = input;
    const fail = (member: string, why: string) =>
      unprocessable(["body", "inputs", index, member], why);
    const [rows = 0, width = 1] = shape;
    if (rows > MOST_ROWS.predict) {
      throw fail("shape", `at most ${MOST_ROWS.predict} rows: send them in several requests`);
    }
    if (rows !== count) throw fail("shape", `the first tensor has ${count} rows, this ${rows}`);
    elements += rows * width;
    if (elements > MOST_VALUES) {
      throw fail("shape", `at most ${MOST_VALUES} elements in all tensors together`);
    }
    const size = input.parameters?.binary_data_size;
    let list: readonly Cell[];
    try {
      if (size === undefined) list = readList(datatype, data ?? [], rows * width);
      else {
        if (offset + size > binary.byteLength) {
          throw new TensorError(`only ${binary.byteLength - offset} bytes are left of the body`);
        }
        list = readTensor(datatype, binary.subarray(offset, offset + size), rows * width);
        offset += size;
      }
    } catch (error) {
      if (error instanceof TensorError) throw fail("data", error.message);
      throw error;
    }
    const names = namesOf(name, width, signature);
    if (names === null) {
      const wide = signature.columns.filter(({ kind }) => kind === "numeric").length;
      const why = `a column has the shape [n] or [n, 1], all numeric columns in one tensor have [n, ${wide}]`;
      throw fail("shape", why);
    }
    for (const [at, column] of names.entries()) {
      if (columns.has(column)) throw fail("name", `the column ${column} is here twice`);
      columns.add(column);
      cells.push({ input: index, list, at, step: width });
    }
  }
  if (offset !== binary.byteLength) {
    throw unprocessable(
      ["body", "inputs"],
      `${binary.byteLength - offset} bytes of the body belong to no tensor`,
    );
  }
  const data = Array.from({ length: count }, (_, row) =>
    cells.map(({ list, at, step }) => list[row * step + at] ?? null),
  );
  const places = cells.map(({ input, at, step }) => ({ input, at, step }));
  return { rows: { columns: [...columns], data }, places };
}

/** The columns of a tensor: the one of its name, or all numeric ones in the order of the card. */
function namesOf(name: string, width: number, { columns }: Signature): string[] | null {
  if (width === 1) return [name];
  const numeric = columns.filter(({ kind }) => kind === "numeric");
  return numeric.length === width ? numeric.map((column) => column.name) : null;
}
