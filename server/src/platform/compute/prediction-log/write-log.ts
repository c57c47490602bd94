/** Logged requests as one Parquet file, a row a prediction; every file has the same columns. */

import { parquetFormat } from "../scoring/formats/parquet.ts";
import type {
  OutputCells,
  OutputColumn,
  OutputField,
  OutputType,
} from "../scoring/output-column.ts";
import { type LoggedRequest, loggedRows } from "./logged-request.ts";

const field = (name: string, type: OutputType, nullable = true): OutputField => ({
  name,
  type,
  nullable,
});

/** What is nested is JSON text. */
const LOG_FIELDS = [
  field("prediction_id", "text", false),
  field("row", "integer", false),
  field("time", "timestamp", false),
  field("model_id", "text", false),
  field("request_id", "text"),
  field("latency_ms", "double", false),
  field("inputs", "text", false),
  field("label", "text"),
  field("probabilities", "text"),
  field("set", "text"),
  field("value", "double"),
  field("lower", "double"),
  field("upper", "double"),
  field("quantiles", "text"),
  field("coverage", "double"),
] as const;

export interface LogFile {
  readonly bytes: Uint8Array;
  readonly rows: number;
  /** Rows by the id of the model. */
  readonly models: Readonly<Record<string, number>>;
}

type Cell = string | number | null;
type Row = Readonly<Record<(typeof LOG_FIELDS)[number]["name"], Cell>>;

/** @throws TypeError where a request and its answer are not what the serving threads take and give */
export function writeLog(requests: readonly LoggedRequest[]): LogFile {
  const rows = requests.flatMap(rowsOf);
  const models: Record<string, number> = {};
  for (const { model_id: id } of rows) models[String(id)] = (models[String(id)] ?? 0) + 1;
  const columns = LOG_FIELDS.map((field): OutputColumn => {
    const cells = rows.map((row) => row[field.name]);
    return { ...field, cells: cellsOf(field.type === "text", cells) };
  });
  const head = parquetFormat.head(columns);
  const { bytes, said } = parquetFormat.part(columns, rows.length);
  const placed = { bytes: bytes.length, rows: rows.length, said };
  const tail = parquetFormat.tail(columns, [placed]);
  return { bytes: Buffer.concat([head, bytes, tail]), rows: rows.length, models };
}

const cellsOf = (isText: boolean, cells: readonly Cell[]): OutputCells =>
  isText
    ? cells.map((cell) => (cell === null ? null : String(cell)))
    : Float64Array.from(cells, (cell) => (cell === null ? Number.NaN : Number(cell)));

function rowsOf(request: LoggedRequest): Row[] {
  const inputs = inputsOf(parsed(request.rows));
  const predictions = listOf(parsed(request.answer)["predictions"]);
  if (inputs.length !== predictions.length) {
    throw new TypeError(`${inputs.length} rows have ${predictions.length} predictions`);
  }
  return loggedRows(inputs.length).map((row) => {
    const prediction = recordOf(predictions[row]);
    const [lower, upper] = listOf(prediction["interval"] ?? []);
    return {
      prediction_id: request.predictionId,
      row,
      time: request.time,
      model_id: request.modelId,
      request_id: request.requestId,
      latency_ms: request.ms,
      inputs: JSON.stringify(inputs[row]),
      label: textOf(prediction["label"]),
      probabilities: jsonOf(prediction["probabilities"]),
      set: jsonOf(prediction["set"]),
      value: numberOf(prediction["value"]),
      lower: numberOf(lower),
      upper: numberOf(upper),
      quantiles: jsonOf(prediction["quantiles"]),
      coverage: request.coverage,
    };
  });
}

/** Rows as objects, in whatever form they were sent. */
function inputsOf(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (body["instances"] !== undefined) return listOf(body["instances"]);
  const names = listOf(body["columns"]).map(String);
  return listOf(body["data"]).map((row) => {
    const cells = listOf(row);
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? null]));
  });
}

const parsed = (json: Uint8Array): Readonly<Record<string, unknown>> =>
  recordOf(JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString()));

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError("an object was expected");
  }
  return { ...value };
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError("a list was expected");
  return value;
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);
const jsonOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value);
