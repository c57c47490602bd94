/**
 * Logged predictions whose label is known. Files are many and small: they are read here, in milliseconds,
 * and not by the reader of untrusted tables, which starts a thread for each.
 */

import { zstdDecompressSync } from "node:zlib";
import type { LabelledAnswer } from "@distillery/engine";
import { parquetReadObjects } from "hyparquet";
import { z } from "zod";

export interface LogToLabel {
  /** A file as `writeLog` makes them. */
  readonly file: Uint8Array;
  /** By `labelKey`. */
  readonly labels: Readonly<Record<string, string>>;
  /** Whether what was sent is wanted too. */
  readonly withInputs: boolean;
}

/** A prediction, with what turned out to be true as it was said. */
export interface LabelledPrediction {
  readonly key: string;
  readonly modelId: string;
  readonly label: string;
  /** JSON, as it was sent; empty where it is not wanted. */
  readonly inputs: string;
  /** Whether the request asked for a level of the interval or set. */
  readonly hasOwnCoverage: boolean;
  readonly answer: Omit<LabelledAnswer, "target">;
}

export const labelKey = (predictionId: string, row: number): string => `${predictionId} ${row}`;

const numbers = z.record(z.string(), z.number());
const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .nullable()
    .transform((text) => (text === null ? undefined : schema.parse(JSON.parse(text))));
const number = z
  .number()
  .nullable()
  .transform((value) => value ?? undefined);

const loggedRow = z.object({
  prediction_id: z.string(),
  row: z.number(),
  model_id: z.string(),
  inputs: z.string().default(""),
  label: z
    .string()
    .nullable()
    .transform((text) => text ?? undefined),
  probabilities: json(numbers),
  set: json(z.array(z.string())),
  value: number,
  lower: number,
  upper: number,
  quantiles: json(numbers),
  coverage: number,
});

export async function labelledRows({
  file,
  labels,
  withInputs,
}: LogToLabel): Promise<LabelledPrediction[]> {
  const rows = await parquetReadObjects({
    file: {
      byteLength: file.byteLength,
      slice: (start, end) => new Uint8Array(file.subarray(start, end)).buffer,
    },
    columns: Object.keys(loggedRow.shape).filter((name) => withInputs || name !== "inputs"),
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
  });
  return rows.flatMap((row): LabelledPrediction[] => {
    const key = labelKey(String(row["prediction_id"]), Number(row["row"]));
    const said = labels[key];
    if (said === undefined) return [];
    const { model_id, inputs, coverage, lower, upper, ...read } = loggedRow.parse(row);
    const { label, probabilities, set, value, quantiles } = read;
    const interval =
      lower === undefined || upper === undefined ? undefined : ([lower, upper] as const);
    return [
      {
        key,
        modelId: model_id,
        label: said,
        inputs,
        hasOwnCoverage: coverage !== undefined,
        answer: { label, probabilities, set, value, interval, quantiles },
      },
    ];
  });
}
