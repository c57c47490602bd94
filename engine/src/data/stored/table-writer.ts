/**
 * Writes a table's file: columns come one after the other, each whole, and lie in the file by groups of
 * rows. What came is kept meanwhile in a second file beside it, so that no more than one column is ever
 * in memory.
 */

import { closeSync, openSync, readSync, rmSync } from "node:fs";
import {
  type Data,
  type DataType,
  Dictionary,
  Field,
  type Int8,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Utf8,
} from "apache-arrow";
import { inMebibytes } from "../readers/read-limits.ts";
import type { BuiltColumn } from "../readers/reading.ts";
import { shown } from "../shown.ts";
import { type Column, DataError } from "../table.ts";
import { ArrowFileWriter, writeAll } from "./arrow-file-writer.ts";
import {
  GROUP_ROWS,
  METADATA_KEY,
  type StoredColumn,
  type StoredMetadata,
  timeFormOf,
} from "./metadata.ts";
import { type PhysicalColumn, physicalColumn } from "./physical-column.ts";
import { groupsOf, hasMissing, statisticsOf } from "./statistics.ts";

/** Where the spooled bytes of a field begin. */
interface Spooled {
  readonly name: string;
  readonly type: DataType;
  readonly values: number;
  /** Bits of a value. */
  readonly width: number;
  /** A bit a row; null where no cell is missing. */
  readonly validity: number | null;
  readonly dictionary: { readonly offsets: number; readonly data: number; readonly count: number };
}

const NO_DICTIONARY = { offsets: 0, data: 0, count: 0 };
/** Arrow's offsets of texts have 32 bits. */
const MOST_TEXT_BYTES = 2 ** 31 - 1;

export class StoredTableWriter {
  readonly #path: string;
  readonly #spoolPath: string;
  readonly #spool: number;
  #position = 0;
  #rows = 0;
  readonly #columns: { readonly spooled: Spooled; readonly said: StoredColumn }[] = [];
  /** By the place of their column. */
  readonly #written = new Map<number, Spooled>();

  readonly #groupRows: number;

  /**
   * @param path of a new file
   * @param groupRows a multiple of 8
   */
  constructor(path: string, groupRows = GROUP_ROWS) {
    this.#path = path;
    this.#groupRows = groupRows;
    this.#spoolPath = `${path}.columns`;
    this.#spool = openSync(this.#spoolPath, "wx+", 0o600);
  }

  /** @throws DataError for texts that no file holds */
  add({ column, written }: Pick<BuiltColumn, "column" | "written">, rows: number): void {
    this.#rows = rows;
    const place = this.#columns.length;
    const { name, kind } = column;
    const statistics = statisticsOf(column, rows, this.#groupRows);
    this.#columns.push({
      spooled: this.#spoolColumn(column, 2 * place, hasMissing(statistics)),
      said: {
        name,
        kind,
        ...(column.kind === "timestamp" && timeFormOf(column)),
        statistics,
      },
    });
    if (written === undefined) return;
    const lacks = written.codes.some((code) => code < 0);
    this.#written.set(place, this.#spoolColumn(written, 2 * place + 1, lacks));
  }

  /** Writes the file of the columns that came. @param warnings see `StoredMetadata` */
  finish(warnings: readonly string[]): void {
    const fields = [...this.#columns.map(({ spooled }) => spooled)];
    const columns = this.#columns.map(({ said }, place): StoredColumn => {
      const written = this.#written.get(place);
      return written ? { ...said, written: fields.push(written) - 1 } : said;
    });
    const metadata: StoredMetadata = {
      version: 1,
      rows: this.#rows,
      groupRows: this.#groupRows,
      columns,
      warnings: [...warnings],
    };
    const schema = new Schema(
      named(fields).map(({ name, type }) => new Field(name, type, true)),
      new Map([[METADATA_KEY, JSON.stringify(metadata)]]),
    );
    const file = new ArrowFileWriter(this.#path, schema);
    try {
      for (const { type, dictionary } of fields) {
        if (type instanceof Dictionary) file.dictionary(this.#dictionary(dictionary), type.id);
      }
      for (const { from, to } of groupsOf(this.#rows, this.#groupRows)) {
        const children = fields.map((field) => this.#group(field, from, to));
        const type = new Struct(schema.fields);
        const data = makeData({ type, length: to - from, nullCount: 0, children });
        file.batch(new RecordBatch(schema, data));
      }
      file.end();
    } finally {
      file.closeFile();
    }
  }

  /** Removes what is kept beside the file. */
  close(): void {
    closeSync(this.#spool);
    rmSync(this.#spoolPath, { force: true });
  }

  /**
   * @param id of its dictionary
   * @param lacks whether cells are missing
   */
  #spoolColumn(column: Column, id: number, lacks: boolean): Spooled {
    const physical = physicalColumn(column, id);
    const { layout } = physical;
    return {
      name: column.name,
      type: physical.type,
      width: layout === "bits" ? 1 : 8 * physical.values.BYTES_PER_ELEMENT,
      values: this.#append(bytesOf(layout === "bits" ? packed(physical.values) : physical.values)),
      validity: lacks ? this.#append(validity(column)) : null,
      dictionary: layout === "dictionary" ? this.#spoolTexts(column.name, physical) : NO_DICTIONARY,
    };
  }

  #spoolTexts(
    name: string,
    { dictionary }: Extract<PhysicalColumn, { layout: "dictionary" }>,
  ): Spooled["dictionary"] {
    const offsets = new Int32Array(dictionary.length + 1);
    const data = this.#position;
    let bytes = 0;
    for (const [code, text] of dictionary.entries()) {
      const encoded = Buffer.from(text);
      bytes += encoded.length;
      if (bytes > MOST_TEXT_BYTES) {
        throw new DataError(
          `Column ${shown(name)} has texts of more than ${inMebibytes(MOST_TEXT_BYTES)}, which is the limit of a column.`,
          { column: name },
        );
      }
      this.#gather(encoded);
      offsets[code + 1] = bytes;
    }
    this.#flush();
    return { data, offsets: this.#append(bytesOf(offsets)), count: dictionary.length };
  }

  #group({ type, values, width, validity: bits }: Spooled, from: number, to: number): Data {
    const [length, start] = [to - from, (from * width) / 8];
    const data = this.#read(values + start, Math.ceil((length * width) / 8));
    const nullBitmap = bits === null ? null : this.#read(bits + from / 8, Math.ceil(length / 8));
    const nullCount = nullBitmap === null ? 0 : length - setBits(nullBitmap);
    const shared = { type, length, nullCount, ...(nullCount > 0 ? { nullBitmap } : {}) };
    // The types are those of numbers, bits and indices, which all have one buffer of values.
    return type instanceof Dictionary
      ? makeData({ ...shared, type, data })
      : makeData({ ...shared, type: type as Int8, data });
  }

  #dictionary({ offsets, data, count }: Spooled["dictionary"]): Data {
    const bytes = this.#read(offsets, 4 * (count + 1));
    const valueOffsets = new Int32Array(bytes.buffer, bytes.byteOffset, count + 1);
    return makeData({
      type: new Utf8(),
      length: count,
      nullCount: 0,
      valueOffsets,
      data: this.#read(data, valueOffsets[count]),
    });
  }

  readonly #gathered = Buffer.allocUnsafe(1 << 20);
  #gatheredBytes = 0;

  /** Small pieces are written together. */
  #gather(bytes: Buffer): void {
    if (this.#gatheredBytes + bytes.length > this.#gathered.length) this.#flush();
    if (bytes.length > this.#gathered.length) {
      this.#append(bytes);
      return;
    }
    this.#gatheredBytes += bytes.copy(this.#gathered, this.#gatheredBytes);
  }

  #flush(): void {
    this.#append(this.#gathered.subarray(0, this.#gatheredBytes));
    this.#gatheredBytes = 0;
  }

  /** @returns where they lie */
  #append(bytes: Uint8Array): number {
    const at = this.#position;
    writeAll(this.#spool, bytes);
    this.#position += bytes.length;
    return at;
  }

  #read(at: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const count = readSync(this.#spool, bytes, done, length - done, at + done);
      if (count === 0) throw new Error("the spooled part of a table is missing");
      done += count;
    }
    return bytes;
  }
}

/** Names of their own for the fields of written cells, which stand behind the columns. */
function named(fields: readonly Spooled[]): Spooled[] {
  const taken = new Set<string>();
  return fields.map((field) => {
    let { name } = field;
    while (taken.has(name)) name += " (as written)";
    taken.add(name);
    return { ...field, name };
  });
}

const bytesOf = (values: ArrayBufferView): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** A bit a boolean; missing ones are 0. */
function packed(values: Uint8Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  for (let i = 0; i < values.length; i++) if (values[i] === 1) bits[i >> 3] |= 1 << (i & 7);
  return bits;
}

/** A bit a row, set where its cell is there. */
function validity(column: Column): Uint8Array {
  switch (column.kind) {
    case "numeric":
    case "timestamp":
      return bitsWhere(column.values, (value) => !Number.isNaN(value));
    case "boolean":
      return bitsWhere(column.values, (value) => value !== 255);
    case "categorical":
      return bitsWhere(column.codes, (code) => code >= 0);
    case "text":
      return bitsWhere(column.values, (text) => text !== null);
  }
}

function bitsWhere<T>(values: ArrayLike<T>, isThere: (value: T) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  for (let i = 0; i < values.length; i++) if (isThere(values[i])) bits[i >> 3] |= 1 << (i & 7);
  return bits;
}

function setBits(bytes: Uint8Array): number {
  let count = 0;
  for (let byte of bytes) for (; byte !== 0; byte &= byte - 1) count++;
  return count;
}
