/**
 * A table in its file (`table-writer.ts`), read one group of rows after another, so that a table of any
 * length takes the memory of one group.
 */

import { DataType } from "apache-arrow";
import { ArrowFileError } from "../arrow/file-error.ts";
import type { StampForm } from "../readers/stamps.ts";
import { type Column, type ColumnSchema, DataError, type RowRange, type Table } from "../table.ts";
import { type StoredColumn, timeFormOf } from "./metadata.ts";
import { groupsOf } from "./statistics.ts";
import { StoredFile } from "./stored-file.ts";

/** A column as all of its rows are. */
export interface GroupedColumn extends ColumnSchema {
  /** Of numbers that are all whole: which they take; null = they are not, or no numbers. */
  readonly integerBits: 32 | 64 | null;
  /** Of times that were written as numbers. */
  readonly stamp?: StampForm | undefined;
}

/** A table that is read group by group. */
export interface StoredGroups {
  readonly rows: number;
  readonly columns: readonly GroupedColumn[];
  readonly groups: readonly RowRange[];
  /** Of the original's reading, as of `openStoredTable`. */
  readonly warnings: readonly string[];
  /**
   * The rows of one group.
   *
   * @param names of the columns to read; others are left out
   */
  table(group: number, names: ReadonlySet<string>): Table;
  /** The rows of one group in one column, by its place in `columns`. */
  column(group: number, place: number): Column;
  /** Every category of a column, of all groups. */
  categories(name: string): readonly string[];
}

/** @throws {DataError} where the file is none of `table-writer.ts` */
export function openStoredGroups(path: string): StoredGroups {
  return asTold(() => {
    const file = new StoredFile(path, true);
    const { rows, groupRows, columns, warnings } = file.metadata;
    const groups = groupsOf(rows, groupRows);
    return {
      rows,
      groups,
      warnings,
      columns: columns.map(({ name, kind, stamp, statistics }, place) => ({
        name,
        kind,
        stamp,
        nullable: statistics.missing.some((count) => count > 0),
        integerBits: integerBitsOf(file.typeOf(place)),
      })),
      table: (group, names) =>
        asTold(() => ({
          rows: groups[group].to - groups[group].from,
          columns: columns.flatMap((said, place) =>
            names.has(said.name) ? [columnOf(file, said, place, group)] : [],
          ),
        })),
      column: (group, place) => asTold(() => columnOf(file, columns[place], place, group)),
      categories: (name) =>
        asTold(() => file.texts(columns.findIndex((each) => each.name === name))),
    };
  });
}

function integerBitsOf(type: DataType): GroupedColumn["integerBits"] {
  if (!DataType.isInt(type)) return null;
  return type.bitWidth === 64 ? 64 : 32;
}

function columnOf(file: StoredFile, column: StoredColumn, place: number, group: number): Column {
  const { name, kind } = column;
  switch (kind) {
    case "numeric":
      return { kind, name, values: file.numbers(place, group) };
    case "timestamp":
      return { kind, name, values: file.numbers(place, group), ...timeFormOf(column) };
    case "boolean":
      return { kind, name, values: file.booleans(place, group) };
    case "categorical":
    case "text": {
      const codes = file.codes(place, group);
      const categories = presentTexts(file, place, codes);
      if (kind === "categorical") return { kind, name, codes, categories };
      return { kind, name, values: Array.from(codes, (code) => categories[code] ?? null) };
    }
  }
}

/** Of a long dictionary only what the group has is decoded; its codes are renumbered, in place. */
function presentTexts(file: StoredFile, place: number, codes: Int32Array): string[] {
  const textOf = file.textOf(place);
  const renumbered = new Map<number, number>();
  const texts: string[] = [];
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row];
    if (code < 0) continue;
    let present = renumbered.get(code);
    if (present === undefined) {
      present = texts.push(textOf(code)) - 1;
      renumbered.set(code, present);
    }
    codes[row] = present;
  }
  return texts;
}

function asTold<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof ArrowFileError)) throw cause;
    throw new DataError("The table's file is damaged.", { cause });
  }
}
