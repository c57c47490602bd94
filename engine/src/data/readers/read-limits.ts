/**
 * What reading one table may take. A small file can stand for a huge table (runs, dictionaries,
 * compression), so that what a file announces and what it turns out to hold are both counted.
 */

import { shown } from "../shown.ts";
import { DataError } from "../table.ts";
import type { CellSpool } from "./cell-spool.ts";

/** What one table may hold at most. */
export interface ReadLimits {
  readonly columns: number;
  /** Bytes of the table in memory: 9 a cell, and texts three times (as bytes, as text, as a key). */
  readonly tableBytes: number;
  /**
   * Bytes of the table, or of the unpacked file, to one byte of the file as it was sent. No table below
   * `ratioFreeBytes` is refused for it, and no file that unpacks to less than `unpackedFreeBytes`.
   */
  readonly unpackedRatio: number;
  readonly ratioFreeBytes: number;
  readonly unpackedFreeBytes: number;
  /** Bytes of one line or row of text. */
  readonly rowBytes: number;
  /** Bytes of one text. */
  readonly cellBytes: number;
}

const MIB = 2 ** 20;

/** The limits of readers that are given none. */
export const READ_LIMITS: ReadLimits = {
  columns: 16_384,
  tableBytes: 4096 * MIB,
  unpackedRatio: 500,
  ratioFreeBytes: 512 * MIB,
  unpackedFreeBytes: 64 * MIB,
  rowBytes: 64 * MIB,
  cellBytes: 16 * MIB,
};

const CELL_BYTES = 9;
const TEXT_COPIES = 3;

/** Of reading in a bounded process, beside what the readers count. */
export type LimitName = keyof ReadLimits | "memoryBytes" | "readSeconds";

/** A table is larger than it may be. */
export class DataLimitError extends DataError {
  /** The name of the limit, and what it is set to. */
  readonly limit: LimitName;
  readonly maximum: number;

  constructor(
    limit: LimitName,
    maximum: number,
    message: string,
    where: { column?: string; row?: number } = {},
  ) {
    super(message, where);
    this.limit = limit;
    this.maximum = maximum;
  }
}

/** Counts what one table takes while it is read. */
export class ReadBudget {
  readonly limits: ReadLimits;
  /** Where cells go that are not held; null = all are. */
  readonly spool: CellSpool | null;
  #fileBytes = 0;
  #textBytes = 0;

  constructor(limits: ReadLimits = READ_LIMITS, spool: CellSpool | null = null) {
    this.limits = limits;
    this.spool = spool;
  }

  /** Bytes of the file, as it was sent, that were read or lie there to be read. */
  addFile(bytes: number): void {
    this.#fileBytes += bytes;
  }

  checkColumns(count: number): void {
    const { columns } = this.limits;
    if (count <= columns) return;
    throw new DataLimitError(
      "columns",
      columns,
      `A table may have at most ${columns} columns; the file has more.`,
    );
  }

  /** @param unpacked bytes of the file so far, with its compression undone */
  checkUnpacked(unpacked: number): void {
    this.#checkRatio(unpacked, "The file unpacks to", this.limits.unpackedFreeBytes);
  }

  /** @param bytes that are held whole, unpacked: they count as the table does */
  checkHeld(bytes: number): void {
    const { tableBytes } = this.limits;
    if (bytes <= tableBytes) return;
    throw new DataLimitError(
      "tableBytes",
      tableBytes,
      `The file unpacks to more than ${inMebibytes(tableBytes)}, which is the limit for compressed files of this format; send it as it was before.`,
    );
  }

  /** @param rows read so far, or announced */
  checkTable(rows: number, columns: number): void {
    const bytes = rows * columns * CELL_BYTES + this.#textBytes;
    const { tableBytes } = this.limits;
    if (bytes > tableBytes) {
      throw new DataLimitError(
        "tableBytes",
        tableBytes,
        `The table takes more than ${inMebibytes(tableBytes)} of memory, which is the limit: it has ${rows} rows or more, of ${columns} columns${this.#textBytes > bytes / 2 ? ", and long texts" : ""}.`,
        { row: rows },
      );
    }
    this.#checkRatio(bytes, "The table takes", this.limits.ratioFreeBytes);
  }

  /** A text that no row before had. */
  addText(bytes: number, column: string, row: number): void {
    const { cellBytes, tableBytes } = this.limits;
    if (bytes > cellBytes) {
      throw new DataLimitError(
        "cellBytes",
        cellBytes,
        `Column ${shown(column)} has a text of ${inMebibytes(bytes)} in row ${row}; a text may have at most ${inMebibytes(cellBytes)}.`,
        { column, row },
      );
    }
    this.#textBytes += TEXT_COPIES * bytes;
    if (this.#textBytes > tableBytes) this.checkTable(row, 1);
  }

  /** @param bytes of a record that is not at its end yet */
  checkRecord(bytes: number, row: number, hint = ""): void {
    const { rowBytes } = this.limits;
    if (bytes <= rowBytes) return;
    throw new DataLimitError(
      "rowBytes",
      rowBytes,
      `Row ${row} is longer than ${inMebibytes(rowBytes)}, which is the limit of a row${hint}.`,
      { row },
    );
  }

  #checkRatio(bytes: number, what: string, freeBytes: number): void {
    const { unpackedRatio } = this.limits;
    if (bytes <= freeBytes || bytes <= unpackedRatio * this.#fileBytes) return;
    throw new DataLimitError(
      "unpackedRatio",
      unpackedRatio,
      `${what} more than ${inMebibytes(bytes)}, over ${unpackedRatio} times the ${this.#fileBytes} bytes of the file as it was sent, which is the limit.`,
    );
  }
}

export function inMebibytes(bytes: number): string {
  return bytes < MIB ? `${bytes} bytes` : `${Math.floor(bytes / MIB)} MiB`;
}
