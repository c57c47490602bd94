/** Reading the table of a run. */

import { readTableFromFile } from "../data/readers/read-table.ts";
import type { Table } from "../data/table.ts";
import { taskType } from "../tasks/index.ts";
import type { PlanInput } from "./prepare.ts";

/** The table, with the label as it is written where it names classes. */
export async function readRunTable({
  file,
  config,
}: PlanInput): Promise<{ readonly table: Table; readonly warnings: readonly string[] }> {
  const { taskKind, labelColumn } = config.task;
  const written = taskType(taskKind).target === "class" ? [labelColumn] : [];
  const { table, warnings } = await readTableFromFile(file.path, { ...file, written });
  return { table, warnings: warnings.map(({ message }) => message) };
}
