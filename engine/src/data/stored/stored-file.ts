/** The Arrow file that holds a table (`table-writer.ts`), as its buffers are read. */

import { DataType, Dictionary, TimeUnit } from "apache-arrow";
import type { ArrowColumn, BytesColumn } from "../arrow/column.ts";
import { decodeColumn } from "../arrow/decode-column.ts";
import { ArrowFileError } from "../arrow/file-error.ts";
import { FileSource } from "../arrow/file-source.ts";
import { type ArrowFile, messagesOf, openArrow, type PlacedMessage } from "../arrow/messages.ts";
import { BatchBody } from "../arrow/record-batch.ts";
import { MAX_FIELDS } from "../readers/arrow.ts";
import { typedValues } from "../readers/arrow-numbers.ts";
import { type StoredMetadata, storedMetadataOf } from "./metadata.ts";

/** Groups of rows to read: all (null), one of them alone, or among all rows those that are true. */
type KeptGroups = readonly boolean[] | number | null;

/** Fields are flat: each has one node and a known number of buffers. */
export class StoredFile {
  readonly metadata: StoredMetadata;
  readonly #source: FileSource;
  readonly #file: ArrowFile;
  readonly #batches: readonly PlacedMessage[];
  readonly #dictionaries = new Map<number, PlacedMessage>();

  readonly #held: Map<number, BytesColumn> | null;

  /** @param holds whether dictionaries stay in memory once they were read */
  constructor(path: string, holds = false) {
    this.#held = holds ? new Map() : null;
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
    this.metadata = storedMetadataOf(file);
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
  numbers(place: number, kept: KeptGroups): Float64Array {
    const out = new Float64Array(this.#rowsOf(kept));
    this.#eachGroup(place, kept, (column, from) => {
      if (column.layout !== "fixed") throw this.#unlike(place);
      const { validity, type } = column;
      const values = typedValues(column);
      if (values instanceof BigUint64Array) throw this.#unlike(place);
      if (values instanceof BigInt64Array) {
        const unit = isMicroseconds(type) ? 1000 : 1;
        // By halves, which is many times as fast as by integers of any length.
        const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
        for (let i = 0; i < values.length; i++) {
          out[from + i] = (halves[2 * i + 1] * 2 ** 32 + (halves[2 * i] >>> 0)) / unit;
        }
      } else out.set(values, from);
      if (validity.bitmap === null) return;
      for (let i = 0; i < values.length; i++) if (validity.isNull(i)) out[from + i] = Number.NaN;
    });
    return out;
  }

  booleans(place: number, kept: KeptGroups): Uint8Array {
    const out = new Uint8Array(this.#rowsOf(kept));
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
  codes(place: number, kept: KeptGroups): Int32Array {
    const out = new Int32Array(this.#rowsOf(kept)).fill(-1);
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

  /** As `texts`, each decoded when it is asked for. */
  textOf(place: number): (code: number) => string {
    const values = this.#dictionaryOf(place);
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return (code) => decoder.decode(values.rows.bytes(code));
  }

  typeOf(place: number): DataType {
    return this.#file.fields[place].type;
  }

  /** That are read. */
  #rowsOf(kept: KeptGroups): number {
    return typeof kept === "number" ? this.rowsOfGroups[kept] : this.metadata.rows;
  }

  #eachGroup(
    place: number,
    kept: KeptGroups,
    take: (column: ArrowColumn, from: number) => void,
  ): void {
    const { type } = this.#file.fields[place];
    const dictionaries = new Map<number, ArrowColumn>();
    if (type instanceof Dictionary) dictionaries.set(type.id, this.#dictionaryOf(place));
    this.#source.open(() => {
      let from = 0;
      for (const [group, { message, read }] of this.#batches.entries()) {
        const { rows } = message.batch;
        if (typeof kept === "number") {
          if (group !== kept) continue;
          from = 0;
        }
        if (kept === null || typeof kept === "number" || kept[group]) {
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
    const held = this.#held?.get(place);
    if (held) return held;
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
    this.#held?.set(place, values);
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
