/** Reading the table of a run. */

import type { ArenaHandle } from "../../compute/arena.ts";
import type { CrewDesk } from "../../compute/crew-desk.ts";
import { type ReadTableOptions, readTableFromFile } from "../../data/readers/read-table.ts";
import { storeFile } from "../../data/stored/store-file.ts";
import { openStoredTable } from "../../data/stored/stored-table.ts";
import type { Table } from "../../data/table.ts";
import { taskType } from "../../tasks/index.ts";
import type { RunConfig } from "../config/config.ts";

/** A table in a file as it was sent, and how to read it. */
export interface UploadedFile
  extends Pick<ReadTableOptions, "format" | "kinds" | "columns" | "limits" | "encoding"> {
  readonly path: string;
}

/** A table's own file, which knows its columns' kinds. */
export interface StoredTableFile {
  readonly path: string;
  readonly format: "stored";
}

/** A table in a file, and how to read it. */
export type TableFile = UploadedFile | StoredTableFile;

/** Of data that several threads bin. */
export interface Helped {
  readonly arena: ArenaHandle;
  readonly desk: CrewDesk;
}

/** What a plan is made of. */
export interface PlanInput {
  readonly file: TableFile;
  readonly config: RunConfig;
  /** Of a run under a time budget that was begun so many seconds ago. Absent: the clock is not asked. */
  readonly spent?: { readonly seconds: number; readonly threads: number };
  /** Where the run's data is to lie, and threads meet that help to bin it. Absent: it is binned alone. */
  readonly helped?: Helped;
  /** Path of a file to be made, which the table's columns are then read from; absent: they are held. */
  readonly spool?: string;
}

/** The table, with the label as it is written where it names classes. */
export async function readRunTable({
  file,
  config,
  spool,
}: PlanInput): Promise<{ readonly table: Table; readonly warnings: readonly string[] }> {
  const { taskKind, labelColumn } = config.task;
  if (file.format === "stored") return openStoredTable(file.path, { filter: config.filter });
  const written = taskType(taskKind).target === "class" ? [labelColumn] : [];
  const reading = { ...file, written };
  if (spool === undefined) {
    const { table, warnings } = await readTableFromFile(file.path, reading);
    return { table, warnings: warnings.map(({ message }) => message) };
  }
  const { warnings } = await storeFile(file.path, reading, { target: spool });
  const { table } = openStoredTable(spool, { filter: config.filter });
  return { table, warnings: warnings.map(({ message }) => message) };
}
