/** Chunks of a result as the text of a JSON array of objects, up to a number of rows and bytes. */

import type { DuckDBDataChunk, DuckDBType } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import { type ColumnWriter, columnWriterOf } from "./json-columns.ts";
import { JsonText, RowTooLong } from "./json-text.ts";
import { firstRowTooLong, type RowLimits } from "./row-limits.ts";

const PIECE_CHARACTERS = 1 << 18;

export class JsonRows {
  readonly #columns: readonly { readonly key: string; readonly writerOf: ColumnWriter }[];
  readonly #limits: RowLimits;
  rows = 0;
  /** Whether a row was left out. */
  truncated = false;
  /** Of the array so far, with the bracket that ends it. */
  #bytes = 2;

  /** @param names each once: rows are objects */
  constructor(names: readonly string[], types: readonly DuckDBType[], limits: RowLimits) {
    this.#columns = types.map((type, index) => ({
      key: `${index === 0 ? "{" : ","}${JSON.stringify(names[index])}:`,
      writerOf: columnWriterOf(type),
    }));
    this.#limits = limits;
  }

  /** The text of the array's next rows, in pieces; nothing more is taken once `truncated`. */
  *encode(chunk: DuckDBDataChunk): Generator<Buffer> {
    const columns = this.#columns.map(({ key, writerOf }, index) => ({
      key,
      write: writerOf(duckdb.data_chunk_get_vector(chunk.chunk, index), chunk.rowCount),
    }));
    let piece = "";
    for (let row = 0; row < chunk.rowCount; row++) {
      const text = this.rows < this.#limits.maxRows ? this.#textOf(columns, row) : null;
      if (text === null) {
        if (this.rows === 0) throw firstRowTooLong(this.#limits);
        this.truncated = true;
        break;
      }
      this.#bytes += text.bytes + 1;
      piece += this.rows === 0 ? "[" : ",";
      this.rows += 1;
      if (text.parts.length > 0) {
        yield Buffer.from(piece);
        yield* text.parts;
        piece = "";
      }
      piece += text.tail;
      if (piece.length >= PIECE_CHARACTERS) {
        yield Buffer.from(piece);
        piece = "";
      }
    }
    if (piece !== "") yield Buffer.from(piece);
  }

  *end(): Generator<Buffer> {
    yield Buffer.from(this.rows > 0 ? "]" : "[]");
  }

  /** Null where it has no room. */
  #textOf(columns: readonly RowColumn[], row: number): JsonText | null {
    const room = this.#limits.maxBytes - this.#bytes - 1;
    const text = new JsonText(room);
    try {
      for (const { key, write } of columns) {
        text.add(key);
        write(row, text);
      }
      text.add("}");
    } catch (error) {
      if (error instanceof RowTooLong) return null;
      throw error;
    }
    return text.bytes <= room ? text : null;
  }
}

interface RowColumn {
  readonly key: string;
  readonly write: ReturnType<ColumnWriter>;
}

/** Names of which none comes twice: later ones get a number, as in `total`, `total_1`. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const given = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 1; given.has(unique); number++) {
      const next = `${name}_${number}`;
      if (!taken.has(next)) unique = next;
    }
    given.add(unique);
    return unique;
  });
}
