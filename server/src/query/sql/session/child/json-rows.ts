/** Chunks of a result as the text of a JSON array of objects, up to a number of rows and bytes. */

import { type DuckDBDataChunk, type DuckDBType, DuckDBVector } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import { jsonEncoderOf } from "./json-values.ts";
import { numberedMembers } from "./numbered-members.ts";
import { firstRowTooLong, type RowLimits } from "./row-limits.ts";

const PIECE_CHARACTERS = 1 << 18;

export class JsonRows {
  readonly #columns: readonly {
    readonly key: string;
    readonly encode: Encoder;
    /** What its values are read as, where that is another type. */
    readonly readAs: DuckDBType | null;
  }[];
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
      readAs: numberedMembers(type),
    }));
    this.#limits = limits;
  }

  /** The text of the array's next rows, in pieces; nothing more is taken once `truncated`. */
  *encode(chunk: DuckDBDataChunk): Generator<Buffer> {
    const columns = this.#columns.map(({ key, encode, readAs }, index) => {
      const vector =
        readAs === null
          ? chunk.getColumnVector(index)
          : DuckDBVector.create(
              duckdb.data_chunk_get_vector(chunk.chunk, index),
              chunk.rowCount,
              readAs,
            );
      return { key, text: (row: number) => encode(vector.getItem(row)) };
    });
    let piece = "";
    for (let row = 0; row < chunk.rowCount; row++) {
      if (this.rows >= this.#limits.maxRows) {
        this.truncated = true;
        break;
      }
      const text = textOfRow(columns, row);
      const bytes = text === null ? Number.POSITIVE_INFINITY : Buffer.byteLength(text) + 1;
      if (this.#bytes + bytes > this.#limits.maxBytes) {
        if (this.rows === 0) throw firstRowTooLong(this.#limits);
        this.truncated = true;
        break;
      }
      this.#bytes += bytes;
      this.#opened = true;
      this.rows += 1;
      piece += this.rows === 1 ? `[${text}` : `,${text}`;
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

interface RowColumn {
  readonly key: string;
  readonly text: (row: number) => string;
}

/** Null where it is longer than any text. */
function textOfRow(columns: readonly RowColumn[], row: number): string | null {
  let text = "";
  try {
    for (const column of columns) text += column.key + column.text(row);
  } catch (error) {
    if (isTooLong(error)) return null;
    throw error;
  }
  return `${text}}`;
}

/** What V8 throws where texts are put together, and Node where one is made of bytes. */
const isTooLong = (error: unknown): boolean =>
  error instanceof Error &&
  /^Invalid string length$|^Cannot create a string longer than /.test(error.message);

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
