/**
 * A table in its file (`table-writer.ts`): the columns look like those of any table, and their cells are
 * read when they are asked for.
 */

import { ArrowFileError } from "../arrow/file-error.ts";
import { bindFilter } from "../filter/bind-filter.ts";
import type { FilterNode } from "../filter/filter-node.ts";
import {
  type CategoricalColumn,
  type Column,
  DataError,
  type RowRange,
  type Table,
} from "../table.ts";
import { ColumnCache } from "./column-cache.ts";
import { keptGroups } from "./kept-groups.ts";
import { type StoredColumn, type StoredMetadata, timeFormOf } from "./metadata.ts";
import { groupsOf } from "./statistics.ts";
import { StoredFile } from "./stored-file.ts";

/** Of a table that fits in. */
const HELD_BYTES = 64 * 2 ** 20;
/** Of a larger one: reading a column again costs little, where all that is done with it is done while it is at hand. */
const PART_BYTES = 16 * 2 ** 20;

export interface StoredTableOptions {
  /** Only groups of rows are read that may have rows which it lets through (`Table.ranges`). */
  readonly filter?: FilterNode | null | undefined;
  /** Bytes of columns that are held. */
  readonly heldBytes?: number | undefined;
}

export interface StoredTable {
  /** With all that was kept of cells as they were written. */
  readonly table: Table;
  readonly warnings: readonly string[];
}

/** @throws DataError where the file is none of `table-writer.ts` */
export function openStoredTable(path: string, options: StoredTableOptions = {}): StoredTable {
  try {
    const file = new StoredFile(path);
    return { table: tableOf(file, options), warnings: file.metadata.warnings };
  } catch (cause) {
    if (cause instanceof DataError || !(cause instanceof ArrowFileError)) throw cause;
    throw new DataError("The table's file is damaged.", { cause });
  }
}

function tableOf(file: StoredFile, { filter, heldBytes }: StoredTableOptions): Table {
  const { metadata } = file;
  const kept = filter ? groupsFor(file, filter) : null;
  const fits = 8 * metadata.rows * metadata.columns.length <= HELD_BYTES;
  const cache = new ColumnCache(heldBytes ?? (fits ? HELD_BYTES : PART_BYTES));
  const columns = metadata.columns.map((said, place) => columnOf(file, said, place, kept, cache));
  const written = new Map<string, CategoricalColumn>();
  for (const { name, written: place } of metadata.columns) {
    if (place !== undefined) written.set(name, categories(file, name, place, kept, cache));
  }
  return {
    rows: metadata.rows,
    columns,
    ...(written.size > 0 ? { written } : {}),
    ...(kept?.includes(false) ? { ranges: rangesOf(kept, metadata) } : {}),
  };
}

/** Null where all are read; what is wrong with a filter is told by its selection. */
function groupsFor(file: StoredFile, filter: FilterNode): readonly boolean[] | null {
  const { columns } = file.metadata;
  try {
    return keptGroups(bindFilter(filter, columns), file.rowsOfGroups, (name) => {
      const place = columns.findIndex((column) => column.name === name);
      const { statistics } = columns[place];
      return { statistics, categories: () => file.texts(place) };
    });
  } catch (error) {
    if (error instanceof DataError) return null;
    throw error;
  }
}

function rangesOf(kept: readonly boolean[], { rows, groupRows }: StoredMetadata): RowRange[] {
  return groupsOf(rows, groupRows).filter((_, group) => kept[group]);
}

function columnOf(
  file: StoredFile,
  stored: StoredColumn,
  place: number,
  kept: readonly boolean[] | null,
  cache: ColumnCache,
): Column {
  const { rows } = file.metadata;
  const { name, kind } = stored;
  switch (kind) {
    case "categorical":
      return categories(file, name, place, kept, cache);
    case "numeric":
    case "timestamp": {
      const read = cache.cells(() => {
        const cells = file.numbers(place, kept);
        return { cells, bytes: cells.byteLength };
      });
      const column = {
        name,
        get values() {
          return read();
        },
      };
      return kind === "numeric"
        ? withKind(column, { kind })
        : withKind(column, { kind, ...timeFormOf(stored) });
    }
    case "boolean": {
      const read = cache.cells(() => {
        const cells = file.booleans(place, kept);
        return { cells, bytes: cells.byteLength };
      });
      return {
        kind,
        name,
        get values() {
          return read();
        },
      };
    }
    case "text": {
      const read = cache.cells(() => {
        const texts = file.texts(place);
        const codes = file.codes(place, kept);
        const cells: (string | null)[] = new Array(rows).fill(null);
        for (let row = 0; row < rows; row++) if (codes[row] >= 0) cells[row] = texts[codes[row]];
        return { cells, bytes: 8 * rows + bytesOf(texts) };
      });
      return {
        kind,
        name,
        get values() {
          return read();
        },
      };
    }
  }
}

/** The members of both; a getter stays one. */
function withKind<A extends object, B extends object>(column: A, members: B): A & B {
  return Object.assign(column, members);
}

function categories(
  file: StoredFile,
  name: string,
  place: number,
  kept: readonly boolean[] | null,
  cache: ColumnCache,
): CategoricalColumn {
  const codes = cache.cells(() => {
    const cells = file.codes(place, kept);
    return { cells, bytes: cells.byteLength };
  });
  const texts = cache.cells(() => {
    const cells = file.texts(place);
    return { cells, bytes: bytesOf(cells) };
  });
  return {
    kind: "categorical",
    name,
    get codes() {
      return codes();
    },
    get categories() {
      return texts();
    },
  };
}

/** As strings of one byte a unit, with their heads. */
const bytesOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.length + 24, 0);
