/** What `collect.ts` writes, one line of JSON a configuration and data set, and the tables of it. */

import { existsSync, readFileSync } from "node:fs";
import { parameterValueSchema } from "../../../engine/src/search/parameter-value.ts";
import type { Parameters } from "../../../engine/src/search/space.ts";
import { TASK_KINDS, type TaskKind } from "../../../engine/src/tasks/index.ts";

export interface CollectedLine {
  readonly family: string;
  readonly task: TaskKind;
  /** The number of the configuration within its family and task. */
  readonly index: number;
  /** A point of the space of entries; null = the defaults. */
  readonly point: Parameters | null;
  readonly dataset: string;
  /** Null where the fit failed. */
  readonly loss: number | null;
  readonly seconds: number;
}

export function readLines(path: string): CollectedLine[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line, i) => parseLine(JSON.parse(line), `${path}, line ${i + 1}`));
}

function parseLine(value: unknown, where: string): CollectedLine {
  const record: Record<string, unknown> = { ...(typeof value === "object" ? value : null) };
  const { family, task, index, point, dataset, loss, seconds } = record;
  const kind = TASK_KINDS.find((each) => each === task);
  if (
    typeof family !== "string" ||
    kind === undefined ||
    typeof index !== "number" ||
    typeof point !== "object" ||
    typeof dataset !== "string" ||
    (typeof loss !== "number" && loss !== null) ||
    typeof seconds !== "number"
  ) {
    throw new TypeError(`${where} is no line of a collection.`);
  }
  const values =
    point === null
      ? null
      : Object.fromEntries(
          Object.entries(point).map(([name, each]) => [name, parameterValueSchema.parse(each)]),
        );
  return { family, task: kind, index, point: values, dataset, loss, seconds };
}

/** The configurations of one family and task, with one loss a data set; NaN = failed. */
export interface LossTable {
  readonly datasets: readonly string[];
  readonly points: readonly (Parameters | null)[];
  readonly losses: readonly (readonly number[])[];
}

/** Configurations that have been tried on all data sets, in the order of their numbers. */
export function lossTable(
  lines: readonly CollectedLine[],
  family: string,
  task: TaskKind,
): LossTable {
  const own = lines.filter((line) => line.family === family && line.task === task);
  const datasets = [...new Set(own.map(({ dataset }) => dataset))].sort();
  const rows = new Map<number, CollectedLine[]>();
  for (const line of own) rows.set(line.index, [...(rows.get(line.index) ?? []), line]);
  const complete = [...rows.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, row]) => row)
    .filter((row) => row.length === datasets.length);
  return {
    datasets,
    points: complete.map(([{ point }]) => point),
    losses: complete.map((row) =>
      datasets.map((name) => row.find(({ dataset }) => dataset === name)?.loss ?? Number.NaN),
    ),
  };
}
