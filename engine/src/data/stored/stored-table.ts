/**
 * A table in its file (`table-writer.ts`): the columns look like those of any table, and their cells are
 * read when they are asked for.
 */

import { DataType, Dictionary, TimeUnit } from "apache-arrow";
import type { ArrowColumn, BytesColumn } from "../arrow/column.ts";
import { decodeColumn } from "../arrow/decode-column.ts";
import { ArrowFileError } from "../arrow/file-error.ts";
import { FileSource } from "../arrow/file-source.ts";
import { type ArrowFile, messagesOf, openArrow, type PlacedMessage } from "../arrow/messages.ts";
import { BatchBody } from "../arrow/record-batch.ts";
import { bindFilter } from "../filter/bind-filter.ts";
import type { FilterNode } from "../filter/filter-node.ts";
import { MAX_FIELDS } from "../readers/arrow.ts";
import { typedValues } from "../readers/arrow-numbers.ts";
import {
  type CategoricalColumn,
  type Column,
  DataError,
  type RowRange,
  type Table,
} from "../table.ts";
import { ColumnCache } from "./column-cache.ts";
import { keptGroups } from "./kept-groups.ts";
import {
  METADATA_KEY,
  type StoredColumn,
  type StoredMetadata,
  storedMetadataSchema,
} from "./metadata.ts";
import { groupsOf } from "./statistics.ts";

/** Reading a column again costs little, where all that is done with it is done while it is at hand. */
const HELD_BYTES = 64 * 2 ** 20;

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
  const cache = new ColumnCache(heldBytes ?? HELD_BYTES);
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
  { name, kind, slashed }: StoredColumn,
  place: number,
  kept: readonly boolean[] | null,
  cache: ColumnCache,
): Column {
  const { rows } = file.metadata;
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
        : withKind(column, { kind, ...(slashed ? { slashed } : {}) });
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

/** Fields are flat: each has one node and a known number of buffers. */
class StoredFile {
  readonly metadata: StoredMetadata;
  readonly #source: FileSource;
  readonly #file: ArrowFile;
  readonly #batches: readonly PlacedMessage[];
  readonly #dictionaries = new Map<number, PlacedMessage>();

  constructor(path: string) {
    this.#source = new FileSource(path);
    const { file, batches } = this.#source.open(() => {
      const opened = openArrow(this.#source, MAX_FIELDS);
      const found: PlacedMessage[] = [];
      for (const placed of messagesOf(opened)) {
        if (placed.message.kind === "batch") found.push(placed);
        else this.#dictionaries.set(placed.message.id, placed);
      }
      return { file: opened, batches: found };
    });
    this.#file = file;
    this.#batches = batches;
    this.metadata = metadataOf(file);
    const { rows, columns } = this.metadata;
    const covered = this.rowsOfGroups.reduce((sum, count) => sum + count, 0);
    if (covered !== rows || columns.length > file.fields.length) {
      throw new ArrowFileError("the file contradicts its own header");
    }
  }

  get rowsOfGroups(): number[] {
    return this.#batches.map(({ message }) => message.batch.rows);
  }

  /** Missing ones are NaN, and those of groups that are left out 0. */
  numbers(place: number, kept: readonly boolean[] | null): Float64Array {
    const out = new Float64Array(this.metadata.rows);
    this.#eachGroup(place, kept, (column, from) => {
      if (column.layout !== "fixed") throw this.#unlike(place);
      const { validity, type } = column;
      const values = typedValues(column);
      if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
        const unit = isMicroseconds(type) ? 1000 : 1;
        for (let i = 0; i < values.length; i++) out[from + i] = Number(values[i]) / unit;
      } else out.set(values, from);
      if (validity.bitmap === null) return;
      for (let i = 0; i < values.length; i++) if (validity.isNull(i)) out[from + i] = Number.NaN;
    });
    return out;
  }

  booleans(place: number, kept: readonly boolean[] | null): Uint8Array {
    const out = new Uint8Array(this.metadata.rows);
    this.#eachGroup(place, kept, (column, from) => {
      if (column.layout !== "bool") throw this.#unlike(place);
      const { bits, validity, length } = column;
      for (let i = 0; i < length; i++) {
        out[from + i] = validity.isNull(i) ? 255 : (bits[i >> 3] >> (i & 7)) & 1;
      }
    });
    return out;
  }

  /** Missing ones, and those of groups that are left out, are -1. */
  codes(place: number, kept: readonly boolean[] | null): Int32Array {
    const out = new Int32Array(this.metadata.rows).fill(-1);
    this.#eachGroup(place, kept, (column, from) => {
      // Of missing cells alone no dictionary is read.
      if (column.layout === "null") return;
      if (column.layout !== "dictionary") throw this.#unlike(place);
      for (let i = 0; i < column.length; i++) out[from + i] = column.indexAt(i);
    });
    return out;
  }

  texts(place: number): string[] {
    const values = this.#dictionaryOf(place);
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return Array.from({ length: values.length }, (_, code) =>
      decoder.decode(values.rows.bytes(code)),
    );
  }

  #eachGroup(
    place: number,
    kept: readonly boolean[] | null,
    take: (column: ArrowColumn, from: number) => void,
  ): void {
    const { type } = this.#file.fields[place];
    const dictionaries = new Map<number, ArrowColumn>();
    if (type instanceof Dictionary) dictionaries.set(type.id, this.#dictionaryOf(place));
    this.#source.open(() => {
      let from = 0;
      for (const [group, { message, read }] of this.#batches.entries()) {
        const { rows } = message.batch;
        if (kept === null || kept[group]) {
          const body = new BatchBody(message.batch, read, { maxBytes: Number.MAX_SAFE_INTEGER });
          body.skip(place, BUFFERS_OF_FIELD * place);
          const column = decodeColumn(type, body, dictionaries);
          if (column.length !== rows) throw this.#unlike(place);
          take(column, from);
        }
        from += rows;
      }
    });
  }

  #dictionaryOf(place: number): BytesColumn {
    const { type } = this.#file.fields[place];
    const placed = type instanceof Dictionary ? this.#dictionaries.get(type.id) : undefined;
    if (placed === undefined) throw this.#unlike(place);
    const { message, read } = placed;
    const values = this.#source.open(() =>
      decodeColumn(
        (type as Dictionary).dictionary,
        new BatchBody(message.batch, read, { maxBytes: Number.MAX_SAFE_INTEGER }),
        new Map(),
      ),
    );
    if (values.layout !== "bytes") throw this.#unlike(place);
    return values;
  }

  #unlike(place: number): ArrowFileError {
    const { name } = this.#file.fields[place];
    return new ArrowFileError(`the field ${JSON.stringify(name)} is not of its column's kind`);
  }
}

/** Every field has one node, its bits of validity and its values. */
const BUFFERS_OF_FIELD = 2;

function isMicroseconds(type: DataType): boolean {
  return DataType.isTimestamp(type) && type.unit === TimeUnit.MICROSECOND;
}

function metadataOf({ metadata }: ArrowFile): StoredMetadata {
  const json = metadata.get(METADATA_KEY);
  if (json === undefined) throw new ArrowFileError("the file is not that of a table");
  return storedMetadataSchema.parse(JSON.parse(json));
}
