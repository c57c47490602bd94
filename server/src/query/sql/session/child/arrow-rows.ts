/**
 * Chunks of a result as an Arrow IPC stream, up to a number of rows and bytes. Warnings are a JSON list
 * in the schema's metadata, where there are any.
 */

import type { DuckDBDataChunk, DuckDBType } from "@duckdb/node-api";
import { ArrowStreamEncoder } from "../../../arrow/result-batches.ts";
import { firstRowTooLong, type RowLimits } from "./row-limits.ts";

const WARNINGS = "warnings";

export class ArrowRows {
  readonly #encoder: ArrowStreamEncoder;
  readonly #limits: RowLimits;
  #started = false;
  /** Whether a row was left out. */
  truncated = false;

  constructor(
    names: readonly string[],
    types: readonly DuckDBType[],
    limits: RowLimits & { readonly warnings: readonly string[] },
  ) {
    const { warnings } = limits;
    this.#encoder = new ArrowStreamEncoder(
      types.map((type, index) => ({ name: names[index]!, type })),
      new Map(warnings.length === 0 ? [] : [[WARNINGS, JSON.stringify(warnings)]]),
    );
    this.#limits = limits;
  }

  get rows(): number {
    return this.#encoder.rows;
  }

  *encode(chunk: DuckDBDataChunk): Generator<Uint8Array> {
    yield* this.#start();
    const wanted = Math.min(chunk.rowCount, this.#limits.maxRows - this.rows);
    const { rows, messages } = this.#encoder.appendWithin(chunk, wanted, this.#limits.maxBytes);
    if (wanted > 0 && this.rows === 0) throw firstRowTooLong(this.#limits);
    yield* messages;
    this.truncated = rows < chunk.rowCount;
  }

  *end(): Generator<Uint8Array> {
    yield* this.#start();
    yield* this.#encoder.end();
  }

  *#start(): Generator<Uint8Array> {
    if (this.#started) return;
    this.#started = true;
    yield this.#encoder.start();
  }
}
