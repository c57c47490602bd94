/** A file of any format that is read, column by column into a table's own file, so that no more than one column is in memory. */

import { rmSync } from "node:fs";
import { collectPassingArrays } from "../../compute/garbage.ts";
import { CellSpool } from "../readers/cell-spool.ts";
import { type ReadTableOptions, readTableFromFile } from "../readers/read-table.ts";
import type { BuiltColumn, DataWarning } from "../readers/reading.ts";
import { StoredTableWriter } from "./table-writer.ts";

export interface StoreFileOptions {
  /** Path of the file to write; nothing is there, nor on those that begin with it and a dot. */
  readonly target: string;
  /** Bytes of the cells of all columns that are held while rows are read; default 64 MiB. */
  readonly heldBytes?: number | undefined;
  /** Hears of each column, while it is at hand. */
  readonly onColumn?: (built: BuiltColumn) => void;
}

export interface StoredReading {
  readonly rows: number;
  /** All that reading had to say. */
  readonly warnings: readonly DataWarning[];
  /** As `TableReading.encoding`. */
  readonly encoding?: string;
}

/** @throws DataError where the bytes are not a table of the format; nothing is left at the target then */
export async function storeFile(
  path: string,
  reading: ReadTableOptions,
  { target, heldBytes, onColumn }: StoreFileOptions,
): Promise<StoredReading> {
  const spool = new CellSpool(`${target}.cells`, heldBytes);
  const writer = new StoredTableWriter(target);
  try {
    const { table, warnings, encoding } = await readTableFromFile(path, {
      ...reading,
      spool,
      onColumn(built, rows) {
        onColumn?.(built);
        writer.add(built, rows);
        collectPassingArrays();
      },
    });
    writer.finish(warnings.filter(({ of }) => of === undefined).map(({ message }) => message));
    return { rows: table.rows, warnings, ...(encoding !== undefined && { encoding }) };
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  } finally {
    spool.close();
    writer.close();
  }
}
