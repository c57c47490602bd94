/**
 * What a model's predictions are as columns: their names and types, known before a row is read, and their
 * cells. `docs/decisions/batch-predictions.md` lists the names.
 */

import {
  type BlendExplanation,
  hasClasses,
  type ModelDocument,
  outputCount,
  type PredictOutput,
  taskType,
} from "@distillery/engine";
import { z } from "zod";
import type { OutputCells, OutputField, OutputType } from "./output-column.ts";

/** What is asked for beside the predictions. */
export interface PredictionOptions {
  /** Whether intervals, or sets of classes, are columns too. */
  readonly intervals: boolean;
  /** Of them; absent = that of the run. */
  readonly coverage?: number | undefined;
  readonly contributions: boolean;
  /** Before every name. */
  readonly prefix: string;
}

/** What of a model the columns depend on. */
export type DescribedModel = Pick<ModelDocument, "task" | "conformal" | "columns" | "card">;

/** Rows that a model has answered. */
export interface Answered {
  readonly output: PredictOutput;
  readonly explained: BlendExplanation | null;
}

export interface PredictionColumn extends OutputField {
  of(answered: Answered): OutputCells;
}

/** @param explained columns that contributions are told of */
export function predictionColumns(
  model: DescribedModel,
  { intervals, contributions, prefix }: PredictionOptions,
  explained: readonly string[] = model.columns.map(({ name }) => name),
): PredictionColumn[] {
  return [
    ...keyColumns(model),
    ...(hasClasses(model.task) ? labelColumns(model) : valueColumns(model)),
    ...(intervals ? uncertaintyColumns(model) : []),
    ...(contributions ? contributionColumns(model, explained) : []),
  ].map((column) => ({ ...column, name: prefix + column.name }));
}

const column = (
  name: string,
  type: OutputType,
  of: PredictionColumn["of"],
  nullable = true,
): PredictionColumn => ({ name, type, nullable, of });

const configSchema = z.object({
  task: z.object({
    sequenceColumn: z.string().nullish(),
    seriesColumns: z.array(z.string()).nullish(),
    timeColumn: z.string().nullish(),
  }),
});

/** Which prediction it is, where rows are not predicted one by one. */
function keyColumns({ task, card }: DescribedModel): PredictionColumn[] {
  const framed = taskType(task.kind).framing;
  if (framed === null) return [];
  const { sequenceColumn, seriesColumns, timeColumn } = configSchema.parse(card.config).task;
  const texts =
    (read: (key: Readonly<Record<string, unknown>>) => unknown) =>
    ({ output }: Answered): OutputCells =>
      (output.keys ?? []).map((key) => textOf(read(key)));
  if (framed.kind === "sequences") {
    return [
      column(
        sequenceColumn ?? "id",
        "text",
        texts(({ id }) => id),
      ),
    ];
  }
  return [
    ...(seriesColumns ?? []).map((name) =>
      column(
        name,
        "text",
        texts(({ series }) => seriesSchema.parse(series)[name]),
      ),
    ),
    column(
      timeColumn ?? "time",
      "text",
      texts(({ time }) => time),
    ),
  ];
}

const seriesSchema = z.record(z.string(), z.string());

const textOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : String(value);

function valueColumns({ task }: DescribedModel): PredictionColumn[] {
  const outputs = outputCount(task);
  const levels = task.quantiles ?? [];
  if (outputs === 1) {
    return [
      column("prediction", "double", ({ output }) => output.values),
      ...levels.map((level, k) =>
        column(`quantile_${level}`, "double", ({ output: { quantiles, values } }) =>
          quantiles ? every(quantiles, levels.length, k) : missing(values.length),
        ),
      ),
    ];
  }
  const middle = taskType(task.kind).central(task) ?? 0;
  return [
    column("prediction", "double", ({ output }) => every(output.values, outputs, middle)),
    ...levels.map((level, k) =>
      column(`quantile_${level}`, "double", ({ output }) => every(output.values, outputs, k)),
    ),
  ];
}

function labelColumns({ task }: DescribedModel): PredictionColumn[] {
  const { classes } = task;
  const outputs = outputCount(task);
  return [
    column("prediction", "text", ({ output }) =>
      Array.from(output.labels ?? [], (label) => classes[label] ?? null),
    ),
    ...classes.map((name, k) =>
      column(`probability_${name}`, "double", ({ output: { values } }) => {
        if (outputs > 1) return every(values, outputs, k);
        return k === 1 ? values : values.map((p) => 1 - p);
      }),
    ),
  ];
}

function uncertaintyColumns({ task }: DescribedModel): PredictionColumn[] {
  const { classes } = task;
  if (hasClasses(task)) {
    return [
      column("prediction_set", "text", ({ output: { sets, labels } }) =>
        Array.from(labels ?? [], (_, row) =>
          sets === null
            ? null
            : JSON.stringify(
                classes.filter((_name, k) => sets.members[row * classes.length + k] === 1),
              ),
        ),
      ),
    ];
  }
  return (["lower", "upper"] as const).map((end) =>
    column(
      `prediction_${end}`,
      "double",
      ({ output: { intervals, values } }) => intervals?.bounds?.[end] ?? missing(values.length),
    ),
  );
}

function contributionColumns(
  { task }: DescribedModel,
  explained: readonly string[],
): PredictionColumn[] {
  const several = hasClasses(task) && outputCount(task) > 1;
  const outputs = several ? task.classes.map((name) => `${name}_`) : [""];
  return outputs.flatMap((of, k) => [
    column(
      `base_value${of === "" ? "" : `_${of.slice(0, -1)}`}`,
      "double",
      ({ explained: found }) =>
        Float64Array.from(found?.predictions ?? [], () => found?.baseValues[k] ?? Number.NaN),
    ),
    ...explained.map((name) =>
      column(`contribution_${of}${name}`, "double", ({ explained: found }) => {
        const at = found?.columns.indexOf(name) ?? -1;
        return Float64Array.from(
          found?.contributions ?? [],
          (byOutput) => byOutput[k]?.[at] ?? (at < 0 ? 0 : Number.NaN),
        );
      }),
    ),
  ]);
}

/** One of several numbers a row. */
function every(values: Float64Array, width: number, at: number): Float64Array {
  const taken = new Float64Array(values.length / width);
  for (let row = 0; row < taken.length; row++) taken[row] = values[row * width + at] ?? Number.NaN;
  return taken;
}

const missing = (rows: number): Float64Array => new Float64Array(rows).fill(Number.NaN);
