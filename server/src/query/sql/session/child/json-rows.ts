/** Chunks of a result as the text of a JSON array of objects, up to a number of rows and bytes. */

import type { DuckDBDataChunk, DuckDBType } from "@duckdb/node-api";
import { jsonEncoderOf } from "./json-values.ts";

const PIECE_CHARACTERS = 1 << 18;

export interface RowLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

export class JsonRows {
  readonly #columns: readonly { readonly key: string; readonly encode: Encoder }[];
  readonly #limits: RowLimits;
  rows = 0;
  /** Whether a row was left out. */
  truncated = false;
  #bytes = 2;
  #opened = false;

  /** @param names each once: rows are objects */
  constructor(names: readonly string[], types: readonly DuckDBType[], limits: RowLimits) {
    this.#columns = types.map((type, index) => ({
      key: `${index === 0 ? "{" : ","}${JSON.stringify(names[index])}:`,
      encode: jsonEncoderOf(type),
    }));
    this.#limits = limits;
  }

  /** The text of the array's next rows, in pieces; nothing more is taken once `truncated`. */
  *encode(chunk: DuckDBDataChunk): Generator<Buffer> {
    const columns = this.#columns.map(({ key, encode }, index) => {
      const vector = chunk.getColumnVector(index);
      return { key, text: (row: number) => encode(vector.getItem(row)) };
    });
    let piece = "";
    for (let row = 0; row < chunk.rowCount; row++) {
      if (this.rows >= this.#limits.maxRows) {
        this.truncated = true;
        break;
      }
      let text = this.rows === 0 ? "[" : ",";
      for (const column of columns) text += column.key + column.text(row);
      text += "}";
      const bytes = Buffer.byteLength(text);
      if (this.#bytes + bytes > this.#limits.maxBytes) {
        this.truncated = true;
        break;
      }
      this.#bytes += bytes;
      this.#opened = true;
      this.rows += 1;
      piece += text;
      if (piece.length >= PIECE_CHARACTERS) {
        yield Buffer.from(piece);
        piece = "";
      }
    }
    if (piece !== "") yield Buffer.from(piece);
  }

  *end(): Generator<Buffer> {
    yield Buffer.from(this.#opened ? "]" : "[]");
  }
}

type Encoder = ReturnType<typeof jsonEncoderOf>;

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
