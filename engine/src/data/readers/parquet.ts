/**
 * Parquet → columns, one column at a time, or several of few rows: only the columns' own chunks are fetched and
 * decoded, a batch of rows at a time, so that neither the file nor its decoded form is ever held whole.
 */

import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { batchesOf } from "../arrow/batches.ts";
import { type ArrowFile, type ArrowSchema, bytesSource, openArrow } from "../arrow/messages.ts";
import { shown } from "../shown.ts";
import { type Column, DataError } from "../table.ts";
import { buildersOf, MAX_FIELDS } from "./arrow.ts";
import type { ArrowColumnBuilder } from "./arrow-column.ts";
import { arrowFault } from "./arrow-fault.ts";
import { type ByteSource, decompressed } from "./byte-source.ts";
import { expectFormat, recognise } from "./file-format.ts";
import { type ParquetSource, ParquetThread } from "./parquet-thread.ts";
import { ReadBudget } from "./read-limits.ts";
import {
  type BuiltColumn,
  type DataWarning,
  type ReadOptions,
  type TableReading,
  tableOf,
  withStamps,
} from "./reading.ts";

export async function readParquet(
  source: ByteSource,
  options: ReadOptions = {},
): Promise<TableReading> {
  let bytes = 0;
  const budget = new ReadBudget(options.limits);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let held = 0;
  for await (const chunk of decompressed(source, budget, (count) => {
    bytes += count;
  })) {
    held += chunk.length;
    budget.checkHeld(held);
    if (chunks.length === 0 && chunk.length >= 4) expectFormat(chunk, "parquet");
    chunks.push(new Uint8Array(chunk));
    options.onProgress?.({ bytes, rows: 0 });
  }
  return readWhole(new Blob(chunks.splice(0)), options, budget);
}

export async function readParquetFile(
  path: string,
  options: ReadOptions = {},
): Promise<TableReading> {
  return readWhole(path, options, await budgetOf(path, options));
}

/** Yields the wanted columns of a file one after another, none of them held back. @internal */
export async function* parquetColumns(
  path: string,
  options: ReadOptions = {},
): AsyncGenerator<Column> {
  const parquet = await OpenParquet.open(path, options, await budgetOf(path, options));
  try {
    for (let index = 0; index < parquet.columns; index++) {
      const reading = await parquet.column(index);
      if (reading !== null) yield reading.column;
    }
  } finally {
    await parquet.close();
  }
}

async function budgetOf(path: string, { limits }: ReadOptions): Promise<ReadBudget> {
  const budget = new ReadBudget(limits);
  budget.addFile((await stat(path)).size);
  return budget;
}

async function readWhole(
  source: ParquetSource,
  options: ReadOptions,
  budget: ReadBudget,
): Promise<TableReading> {
  const parquet = await OpenParquet.open(source, options, budget);
  try {
    const columns: BuiltColumn[] = [];
    const warnings: DataWarning[] = [];
    for (let index = 0; index < parquet.columns; index++) {
      const read = await parquet.column(index);
      if (read === null) continue;
      const built = withStamps(read, options);
      if (options.onColumn) {
        options.onColumn(built, parquet.rows);
        warnings.push(...built.warnings);
      } else columns.push(built);
      const share = (index + 1) / parquet.columns;
      options.onProgress?.({ bytes: parquet.bytes, rows: Math.floor(parquet.rows * share) });
    }
    const reading = tableOf(parquet.rows, columns, options);
    return { table: reading.table, warnings: [...reading.warnings, ...warnings] };
  } finally {
    await parquet.close();
  }
}

/** Of the cells of columns that are read together: asking for a few of thousands takes the module milliseconds. */
const TOGETHER_BYTES = 4 * 2 ** 20;
const MOST_TOGETHER = 256;
const CELL_BYTES = 8;

class OpenParquet {
  readonly #source: ParquetSource;
  #thread: ParquetThread;
  readonly #schema: ArrowSchema;
  #builders: (ArrowColumnBuilder | null)[];
  readonly #makeBuilders: () => (ArrowColumnBuilder | null)[];
  /** Columns whose rows their builders have. */
  readonly #read = new Set<number>();
  #together: number;
  readonly #checkTexts: () => void;
  readonly #mostBytes: number;
  readonly rows: number;
  /** The size of the file. */
  readonly bytes: number;

  private constructor(
    source: ParquetSource,
    thread: ParquetThread,
    schema: ArrowSchema,
    builders: (ArrowColumnBuilder | null)[],
    makeBuilders: () => (ArrowColumnBuilder | null)[],
    checkTexts: () => void,
    rows: number,
    bytes: number,
    mostBytes: number,
  ) {
    this.#source = source;
    this.#mostBytes = mostBytes;
    this.#checkTexts = checkTexts;
    this.#thread = thread;
    this.#schema = schema;
    this.#makeBuilders = makeBuilders;
    this.#builders = builders;
    this.#together = Math.min(
      MOST_TOGETHER,
      Math.max(1, Math.floor(TOGETHER_BYTES / (CELL_BYTES * rows))),
    );
    this.rows = rows;
    this.bytes = bytes;
  }

  static async open(
    source: ParquetSource,
    options: ReadOptions,
    budget: ReadBudget,
  ): Promise<OpenParquet> {
    const blob = typeof source === "string" ? await openAsBlob(source) : source;
    await checkEnds(blob);
    const thread = new ParquetThread(source);
    try {
      const { schema, rows, columns } = await thread.open();
      budget.checkColumns(columns);
      const wanted = Math.min(rows, options.maxRows ?? Number.POSITIVE_INFINITY);
      if (wanted === 0) throw new DataError("The file has columns, but no rows.");
      const fields = decoded(schema);
      const makeBuilders = (): (ArrowColumnBuilder | null)[] => buildersOf(fields, options, budget);
      const builders = makeBuilders();
      // What the footer announces is believed only to refuse it: batches are counted as they come.
      const kept = builders.filter((builder) => builder !== null).length;
      const check = (): void => budget.checkTable(wanted, kept);
      check();
      return new OpenParquet(
        source,
        thread,
        fields,
        builders,
        makeBuilders,
        check,
        wanted,
        blob.size,
        budget.limits.tableBytes,
      );
    } catch (fault) {
      await thread.close();
      throw fault;
    }
  }

  get columns(): number {
    return this.#builders.length;
  }

  /** Column `index`, or null where it is not wanted. */
  async column(index: number): Promise<BuiltColumn | null> {
    if (this.#builders[index] === null) return null;
    if (!this.#read.has(index)) await this.#readFrom(index);
    const builder = this.#builders[index];
    this.#builders[index] = null;
    return builder?.finish() ?? null;
  }

  /** Reads the column and those behind it that are read together with it. */
  async #readFrom(index: number): Promise<void> {
    const together: number[] = [];
    for (let at = index; at < this.columns && together.length < this.#together; at++) {
      if (this.#builders[at] !== null) together.push(at);
    }
    try {
      await this.#readColumns(together);
    } catch (fault) {
      if (together.length === 1 || !(fault instanceof DataError)) throw fault;
      // Which of them is at fault is seen where each is read by itself.
      await this.#beginAgain();
      await this.#readColumns([index]);
    }
  }

  /** With a thread and builders as if nothing had been read: the thread may have ended. */
  async #beginAgain(): Promise<void> {
    this.#together = 1;
    await this.#thread.close();
    this.#thread = new ParquetThread(this.#source);
    await this.#thread.open();
    const left = this.#builders;
    this.#builders = this.#makeBuilders().map((made, at) => (left[at] === null ? null : made));
    this.#read.clear();
  }

  async #readColumns(indices: readonly number[]): Promise<void> {
    const builders = indices.flatMap((index) => this.#builders[index] ?? []);
    const columns = indices.map((index) => ({ name: this.#schema.fields[index].name, index }));
    let rows = 0;
    const request = { kind: "columns" as const, columns, rows: this.rows };
    for await (const ipc of this.#thread.columns(request, this.#mostBytes)) {
      rows += addStream(ipc, builders, rows);
      this.#checkTexts();
    }
    if (rows !== this.rows) {
      const [{ name }] = columns;
      throw new DataError(
        `The Parquet file declares ${this.rows} rows, but column ${shown(name)} has ${rows}.`,
        { column: name },
      );
    }
    for (const index of indices) this.#read.add(index);
  }

  async close(): Promise<void> {
    await this.#thread.close();
  }
}

/** @returns how many rows the stream of the builders' columns has */
function addStream(
  ipc: Uint8Array,
  builders: readonly ArrowColumnBuilder[],
  before: number,
): number {
  try {
    let rows = 0;
    for (const batch of batchesOf(decoded(ipc), [...builders.keys()])) {
      for (const [at, builder] of builders.entries()) builder.add(batch.columns[at], batch.rows);
      rows += batch.rows;
    }
    return rows;
  } catch (cause) {
    throw arrowFault(cause, before, "Parquet");
  }
}

function decoded(ipc: Uint8Array): ArrowFile {
  try {
    return openArrow(bytesSource(ipc), MAX_FIELDS);
  } catch (cause) {
    throw arrowFault(cause, 0, "Parquet");
  }
}

/** A Parquet file begins and ends with `PAR1`; one that does not was cut or is no Parquet. */
async function checkEnds(blob: Blob): Promise<void> {
  const head = new Uint8Array(await blob.slice(0, 8).arrayBuffer());
  if (new TextDecoder("latin1").decode(head.subarray(0, 4)) === "PARE") {
    throw new DataError("The Parquet file is encrypted; send it without encryption.");
  }
  expectFormat(head, "parquet");
  if (recognise(head) !== "Parquet") {
    throw new DataError("The file was sent as Parquet, but it is not.");
  }
  const tail = new Uint8Array(await blob.slice(-4).arrayBuffer());
  if (blob.size < 12 || recognise(tail) !== "Parquet") {
    throw new DataError("The Parquet file is cut short: its footer is missing.");
  }
}
