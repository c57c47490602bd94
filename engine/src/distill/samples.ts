/** Rows of a table as a teacher sees them: raw cells, as JSON holds them. */

import { z } from "zod";
import { formatTimestamp } from "../data/readers/timestamp-text.ts";
import { COLUMN_KINDS, type Column, type Table } from "../data/table.ts";
import { type Task, taskSchema } from "../tasks/index.ts";
import type { TeacherCell, TeacherSamples } from "./teacher.ts";

/** Of the sequences of one question, unless one is longer. */
const QUESTION_STEPS = 100_000;

/**
 * Rows `first` … `first + count` - 1; or as many sequences.
 *
 * @param offsets of sequences, the place of each one's first step in the table, and of the end
 */
export function samplesOf(
  task: Task,
  table: Table,
  first: number,
  count: number,
  offsets: Uint32Array | null = null,
): TeacherSamples {
  const rows = Array.from({ length: count }, (_, i) =>
    table.columns.map((column): TeacherCell => {
      if (offsets === null) return cellOf(column, first + i);
      const [from, to] = [offsets[first + i], offsets[first + i + 1]];
      return Array.from({ length: to - from }, (_step, k) => cellOf(column, from + k));
    }),
  );
  return {
    task,
    featureNames: table.columns.map(({ name }) => name),
    kinds: table.columns.map(({ kind }) => kind),
    rows,
  };
}

/** JSON has no infinity: such a cell counts as missing. */
function cellOf(column: Column, row: number): Exclude<TeacherCell, readonly unknown[]> {
  switch (column.kind) {
    case "numeric":
      return Number.isFinite(column.values[row]) ? column.values[row] : null;
    case "timestamp":
      return Number.isFinite(column.values[row]) ? formatTimestamp(column.values[row]) : null;
    case "boolean":
      return column.values[row] === 255 ? null : column.values[row] === 1;
    case "categorical":
      return column.codes[row] < 0 ? null : column.categories[column.codes[row]];
    case "text":
      return column.values[row];
  }
}

/**
 * How many rows, or sequences, make one question.
 *
 * @param rows at most
 */
export function questionSize(
  first: number,
  total: number,
  rows: number,
  offsets: Uint32Array | null,
): number {
  const most = Math.min(rows, total - first);
  if (offsets === null) return most;
  let count = 1;
  while (count < most && offsets[first + count + 1] - offsets[first] <= QUESTION_STEPS) count++;
  return count;
}

/** Rows for a model: where each cell of a sample is a list, one a step; else the samples as they are. */
export function stepsOfSamples(rows: TeacherSamples["rows"]): readonly (readonly TeacherCell[])[] {
  return rows.flatMap((cells) => {
    const [first] = cells;
    if (!Array.isArray(first)) return [cells];
    return first.map((_, step) =>
      cells.map((cell): TeacherCell => (Array.isArray(cell) ? cell[step] : cell)),
    );
  });
}

const cellSchema = z.union([z.number(), z.string(), z.boolean(), z.null()]);
const samplesSchema = z.object({
  task: taskSchema,
  featureNames: z.array(z.string()),
  kinds: z.array(z.enum(COLUMN_KINDS)),
  rows: z.array(z.array(z.union([cellSchema, z.array(cellSchema)]))),
});

export function packSamples(samples: TeacherSamples): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(samples));
}

export function readSamples(bytes: Uint8Array): TeacherSamples {
  return samplesSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}
