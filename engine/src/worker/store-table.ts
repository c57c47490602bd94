/**
 * Reads a file once, for good: into a table's file (`data/stored/`), column by column, with what the
 * file holds.
 */

import { rmSync } from "node:fs";
import { profileColumn } from "../data/profile.ts";
import type { DataWarning } from "../data/readers/reading.ts";
import { storeFile } from "../data/stored/store-file.ts";
import type { ColumnKind, ColumnSchema } from "../data/table.ts";
import { uncleanColumns } from "../data/unclean-columns.ts";
import type { UploadedFile } from "../trainer/plan/run-table.ts";
import { type Inspection, type ProfileRecord, profileRecord } from "./inspect.ts";

export interface StoreInput {
  readonly file: UploadedFile;
  /** Path of the file to write; nothing is there, nor on those that begin with it and a dot. */
  readonly target: string;
  /** Of the cells of all columns that are held while rows are read; default 64 MiB. */
  readonly heldBytes?: number | undefined;
}

/** @throws DataError where the bytes are not a table of the format; nothing is left at the target then */
export async function storeTable({ file, target, heldBytes }: StoreInput): Promise<Inspection> {
  const first = await store(file, target, heldBytes);
  if (first.rewritten.size === 0) return first.inspection;
  // Rare: a column that was taken for one of numbers or times until a late row.
  rmSync(target);
  const second = await store(
    { ...file, kinds: { ...file.kinds, ...Object.fromEntries(first.rewritten) } },
    target,
    heldBytes,
  );
  const still = first.warnings.filter(
    ({ of, column }) => of === "inference" && column !== undefined && first.rewritten.has(column),
  );
  return {
    ...second.inspection,
    warnings: [...still.map(({ message }) => message), ...second.inspection.warnings],
  };
}

interface Stored {
  readonly inspection: Inspection;
  readonly warnings: readonly DataWarning[];
  /** Kinds of the columns that are to be read once more, as they are written. */
  readonly rewritten: ReadonlyMap<string, ColumnKind>;
}

async function store(
  file: UploadedFile,
  target: string,
  heldBytes: number | undefined,
): Promise<Stored> {
  const columns: ColumnSchema[] = [];
  const profile: ProfileRecord[] = [];
  const unclean: string[] = [];
  const rewritten = new Map<string, ColumnKind>();
  const { rows, warnings, encoding } = await storeFile(
    file.path,
    { ...file, written: "all" },
    {
      ...{ target, heldBytes },
      onColumn({ column, isRewritten }) {
        const { name, kind } = column;
        if (isRewritten) rewritten.set(name, kind);
        const found = profileColumn(column);
        columns.push({ name, kind, nullable: found.missing > 0 });
        profile.push(profileRecord(found));
        unclean.push(...uncleanColumns([column]).map(({ message }) => message));
      },
    },
  );
  const told = [...warnings.map(({ message }) => message), ...unclean];
  const read = { rows, columns, profile, warnings: told };
  return {
    inspection: { ...read, ...(encoding !== undefined && { encoding }) },
    warnings,
    rewritten,
  };
}
