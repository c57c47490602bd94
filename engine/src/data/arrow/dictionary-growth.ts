/**
 * Dictionaries that grow (`DictionaryBatch.isDelta`): the values of all their batches behind one another.
 * Room doubles, so that a dictionary which grows often costs what it holds and not that for each growth;
 * columns that were made before go on seeing their own values.
 */

import { OffsetRows } from "./byte-rows.ts";
import {
  ALL_VALID,
  type ArrowColumn,
  BoolColumn,
  BytesColumn,
  FixedColumn,
  NullColumn,
  Validity,
} from "./column.ts";
import { ArrowFileError } from "./file-error.ts";

const MAX_DICTIONARY_BYTES = 2 ** 30;
const MAX_VALUES = 2 ** 31 - 1;

/** Where the values of a grown column lie, to be grown on. */
const GROWTHS = new WeakMap<ArrowColumn, Growth>();

interface Growth {
  /** @returns the column of all values so far; null where the values are of another layout */
  add(more: ArrowColumn): ArrowColumn | null;
}

/** The values of `known`, and those of `more` behind them. @throws ArrowFileError */
export function grown(known: ArrowColumn, more: ArrowColumn): ArrowColumn {
  if (known.length + more.length > MAX_VALUES)
    throw new ArrowFileError("a dictionary has too many values", { fault: "limit" });
  let growth = GROWTHS.get(known) ?? null;
  if (growth === null) {
    growth = growthOf(known);
    growth?.add(known);
  }
  const column = growth?.add(more) ?? null;
  if (growth === null || column === null)
    throw new ArrowFileError(
      "a dictionary of nested values is extended by a delta, which is not supported",
      {
        fault: "unsupported",
      },
    );
  GROWTHS.delete(known);
  GROWTHS.set(column, growth);
  return column;
}

function growthOf(column: ArrowColumn): Growth | null {
  switch (column.layout) {
    case "null":
      return new NullGrowth();
    case "fixed":
      return new FixedGrowth(column);
    case "bool":
      return new BoolGrowth();
    case "bytes":
      return new BytesGrowth(column.isText);
    default:
      return null;
  }
}

class NullGrowth implements Growth {
  #length = 0;

  add(more: ArrowColumn): ArrowColumn {
    this.#length += more.length;
    return new NullColumn(this.#length);
  }
}

class FixedGrowth implements Growth {
  readonly #like: FixedColumn;
  readonly #values = new Room();
  readonly #validity = new ValidityGrowth();

  constructor(like: FixedColumn) {
    this.#like = like;
  }

  add(more: ArrowColumn): ArrowColumn | null {
    const { type, width } = this.#like;
    if (more.layout !== "fixed" || more.width !== width) return null;
    this.#values.append(more.values.subarray(0, more.length * width));
    const validity = this.#validity.add(more.validity, more.length);
    return new FixedColumn(type, this.#validity.length, validity, width, this.#values.all());
  }
}

class BoolGrowth implements Growth {
  readonly #bits = new BitRoom();
  readonly #validity = new ValidityGrowth();

  add(more: ArrowColumn): ArrowColumn | null {
    if (more.layout !== "bool") return null;
    const { bits } = more;
    this.#bits.append(more.length, (row) => ((bits[row >> 3]! >> (row & 7)) & 1) === 1);
    const validity = this.#validity.add(more.validity, more.length);
    return new BoolColumn(this.#validity.length, validity, this.#bits.all());
  }
}

class BytesGrowth implements Growth {
  readonly #isText: boolean;
  readonly #data = new Room();
  readonly #validity = new ValidityGrowth();
  #offsets = new Float64Array(64);
  #isChecked = true;

  constructor(isText: boolean) {
    this.#isText = isText;
  }

  add(more: ArrowColumn): ArrowColumn | null {
    if (more.layout !== "bytes" || more.isText !== this.#isText) return null;
    const before = this.#validity.length;
    const validity = this.#validity.add(more.validity, more.length);
    const needed = this.#validity.length + 1;
    if (needed > this.#offsets.length) {
      const offsets = new Float64Array(2 * needed);
      offsets.set(this.#offsets.subarray(0, before + 1));
      this.#offsets = offsets;
    }
    for (let row = 0; row < more.length; row++) {
      if (!more.validity.isNull(row)) this.#data.append(more.rows.bytes(row));
      this.#offsets[before + row + 1] = this.#data.length;
    }
    this.#isChecked &&= more.rows.isChecked;
    const offsets = this.#offsets.subarray(0, needed);
    const rows = new OffsetRows(offsets, this.#data.all(), this.#isChecked);
    return new BytesColumn(rows, validity, this.#isText);
  }
}

class ValidityGrowth {
  readonly #bits = new BitRoom();
  #hasNulls = false;

  get length(): number {
    return this.#bits.length;
  }

  add(more: Validity, count: number): Validity {
    this.#hasNulls ||= more.bitmap !== null;
    this.#bits.append(count, (row) => !more.isNull(row));
    return this.#hasNulls ? new Validity(this.#bits.all()) : ALL_VALID;
  }
}

/** Bytes behind one another. */
class Room {
  #bytes = new Uint8Array(64);
  length = 0;

  append(more: Uint8Array): void {
    const length = this.length + more.length;
    if (length > MAX_DICTIONARY_BYTES)
      throw new ArrowFileError("a dictionary needs more than 1 GiB", { fault: "limit" });
    if (length > this.#bytes.length) {
      const bytes = new Uint8Array(2 * length);
      bytes.set(this.#bytes.subarray(0, this.length));
      this.#bytes = bytes;
    }
    this.#bytes.set(more, this.length);
    this.length = length;
  }

  all(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.length);
  }
}

/** Bits behind one another. */
class BitRoom {
  #bytes = new Uint8Array(64);
  length = 0;

  append(count: number, isSet: (row: number) => boolean): void {
    const needed = Math.ceil((this.length + count) / 8);
    if (needed > this.#bytes.length) {
      const bytes = new Uint8Array(2 * needed);
      bytes.set(this.#bytes.subarray(0, Math.ceil(this.length / 8)));
      this.#bytes = bytes;
    }
    for (let row = 0; row < count; row++, this.length++)
      if (isSet(row)) this.#bytes[this.length >> 3]! |= 1 << (this.length & 7);
  }

  all(): Uint8Array {
    return this.#bytes.subarray(0, Math.ceil(this.length / 8));
  }
}
