/** Rows of a table as a teacher sees them: raw cells, as JSON holds them. */

import { z } from "zod";
import { formatTimestamp } from "../data/readers/timestamp-text.ts";
import { COLUMN_KINDS, type Column, type Table } from "../data/table.ts";
import { type Task, taskSchema } from "../tasks/index.ts";
import type { TeacherCell, TeacherSamples } from "./teacher.ts";

/** Rows `first` … `first + count` - 1. */
export function samplesOf(task: Task, table: Table, first: number, count: number): TeacherSamples {
  const rows = Array.from({ length: count }, (_, i) =>
    table.columns.map((column) => cellOf(column, first + i)),
  );
  return {
    task,
    featureNames: table.columns.map(({ name }) => name),
    kinds: table.columns.map(({ kind }) => kind),
    rows,
  };
}

/** JSON has no infinity: such a cell counts as missing. */
function cellOf(column: Column, row: number): TeacherCell {
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

const samplesSchema = z.object({
  task: taskSchema,
  featureNames: z.array(z.string()),
  kinds: z.array(z.enum(COLUMN_KINDS)),
  rows: z.array(z.array(z.union([z.number(), z.string(), z.boolean(), z.null()]))),
});

export function packSamples(samples: TeacherSamples): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(samples));
}

export function readSamples(bytes: Uint8Array): TeacherSamples {
  return samplesSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}
