/** Predictions as an Arrow IPC stream, a column each of what JSON answers. */

import type { PredictOutput } from "@distillery/engine";
import {
  type Data,
  type DataType,
  Field,
  Float64,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableToIPC,
  Utf8,
} from "apache-arrow";

interface Column {
  readonly name: string;
  readonly data: Data<DataType>;
}

/**
 * `value` with `lower` and `upper`; or `label`, `probability_` and the name of each class, and `set`. The
 * model's id and the warnings (a JSON list) are in the schema's metadata.
 */
export function arrowAnswer(modelId: string, output: PredictOutput): Uint8Array {
  const columns = output.labels === null ? ofValues(output) : ofClasses(output, output.labels);
  const metadata = new Map([
    ["model_id", modelId],
    ["warnings", JSON.stringify(output.warnings)],
  ]);
  const fields = columns.map(({ name, data }) => new Field(name, data.type, data.nullCount > 0));
  const schema = new Schema(fields, metadata);
  const length = output.values.length / output.outputs;
  const children = columns.map(({ data }) => data);
  const rows = makeData({ type: new Struct(fields), length, nullCount: 0, children });
  return tableToIPC(new Table(schema, new RecordBatch(schema, rows)), "stream");
}

function ofValues({ values, intervals }: PredictOutput): Column[] {
  const value = { name: "value", data: numbers(values) };
  if (intervals === null) return [value];
  const { bounds } = intervals;
  return [
    value,
    { name: "lower", data: bounds ? numbers(bounds.lower) : absent(values.length) },
    { name: "upper", data: bounds ? numbers(bounds.upper) : absent(values.length) },
  ];
}

function ofClasses({ task, values, outputs, sets }: PredictOutput, labels: Uint32Array): Column[] {
  const { classes } = task;
  const columns: Column[] = [{ name: "label", data: names(classes, labels) }];
  for (const [k, name] of classes.entries()) {
    const probabilities = Float64Array.from(labels, (_, row) =>
      outputs > 1 ? values[row * outputs + k] : k === 1 ? values[row] : 1 - values[row],
    );
    columns.push({ name: `probability_${name}`, data: numbers(probabilities) });
  }
  if (sets === null) return columns;
  const members: number[] = [];
  const offsets = new Int32Array(labels.length + 1);
  for (let row = 0; row < labels.length; row++) {
    for (let k = 0; k < classes.length; k++) {
      if (sets.members[row * classes.length + k] === 1) members.push(k);
    }
    offsets[row + 1] = members.length;
  }
  const child = names(classes, members);
  const type = new List(new Field("item", child.type, false));
  const data = makeData({
    type,
    length: labels.length,
    nullCount: 0,
    valueOffsets: offsets,
    child,
  });
  return [...columns, { name: "set", data }];
}

const numbers = (values: Float64Array): Data<Float64> =>
  makeData({ type: new Float64(), length: values.length, nullCount: 0, data: values });

const absent = (length: number): Data<Float64> =>
  makeData({
    type: new Float64(),
    length,
    nullCount: length,
    data: new Float64Array(length),
    nullBitmap: new Uint8Array((length + 7) >> 3),
  });

function names(all: readonly string[], indices: ArrayLike<number>): Data<Utf8> {
  const encoded = all.map((name) => Buffer.from(name));
  const valueOffsets = new Int32Array(indices.length + 1);
  for (let at = 0; at < indices.length; at++) {
    valueOffsets[at + 1] = valueOffsets[at] + encoded[indices[at]].length;
  }
  const data = new Uint8Array(valueOffsets[indices.length]);
  for (let at = 0; at < indices.length; at++) data.set(encoded[indices[at]], valueOffsets[at]);
  return makeData({ type: new Utf8(), length: indices.length, nullCount: 0, valueOffsets, data });
}
