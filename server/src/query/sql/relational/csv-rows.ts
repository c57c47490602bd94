/**
 * A warehouse's rows on their way into a session's folder: CSV as `Warehouse.read` gives it, written
 * as it comes, and read back without anything being guessed.
 */

import { open } from "node:fs/promises";
import type { Field } from "apache-arrow";
import { arrowTypeName } from "../../arrow/arrow-type-name.ts";
import { duckdbTypeOf } from "../../arrow/duckdb-type.ts";
import { quoteName, quoteText } from "../../sql-text.ts";
import { exactCast } from "../exact-cast.ts";
import type { StageBudget } from "../scan.ts";

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
/** The reader drops one, which must not be the first value's. */
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);
/** What DuckDB takes when nothing is said. */
const USUAL_RECORD_BYTES = 2_000_000;
const SHOWN_CHARACTERS = 100;

export interface WrittenRows {
  readonly bytes: number;
  /** Of the longest row, so that the reader has room for it. */
  readonly longestRecord: number;
}

/** @param path of a new file @throws ScanError when the budget is spent, and what the rows throw */
export async function writeRows(
  rows: AsyncIterable<Uint8Array>,
  path: string,
  budget: StageBudget,
): Promise<WrittenRows> {
  const file = await open(path, "wx", 0o600);
  const records = new RecordLengths();
  let bytes = 0;
  try {
    await file.writeFile(BYTE_ORDER_MARK);
    for await (const chunk of rows) {
      budget.take(chunk.byteLength);
      bytes += chunk.byteLength;
      records.add(chunk);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
  return { bytes, longestRecord: records.longest() };
}

/** Rows without columns, which are line feeds. */
export async function countRows(
  rows: AsyncIterable<Uint8Array>,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  let count = 0;
  let bytes = 0;
  for await (const chunk of rows) {
    bytes += chunk.byteLength;
    for (const byte of chunk) if (byte === LINE_FEED) count++;
  }
  return { rows: count, bytes };
}

/** @param fields the columns that the file has, in its order; at least one */
export function rowsSql(
  table: string,
  path: string,
  fields: readonly Field[],
  longestRecord: number,
): string {
  const values = fields.map(
    (field, index) => `${value(table, `c${index}`, field)} AS ${quoteName(field.name)}`,
  );
  const columns = fields.map((_, index) => `'c${index}': 'VARCHAR'`);
  const settings = [
    quoteText(path),
    "auto_detect=false",
    "header=false",
    "skip=0",
    "delim=','",
    `quote='"'`,
    `escape='"'`,
    "comment=''",
    "new_line='\\n'",
    "nullstr=''",
    "allow_quoted_nulls=false",
    "hive_partitioning=false",
    "compression='none'",
    `columns={${columns.join(", ")}}`,
    ...(longestRecord >= USUAL_RECORD_BYTES ? [`max_line_size=${2 * longestRecord}`] : []),
  ];
  return `SELECT ${values.join(", ")} FROM read_csv(${settings.join(", ")})`;
}

function value(table: string, source: string, field: Field): string {
  const type = duckdbTypeOf(field);
  const text = checked(table, source, type, field);
  if (field.nullable) return text;
  const message = `${table}: the column ${field.name} has a NULL, and its definition says that it has none`;
  return `coalesce(${text}, error(${quoteText(message)}))`;
}

function checked(table: string, source: string, type: string, field: Field): string {
  if (type === "VARCHAR") return source;
  if (type === "BLOB") return `unhex(${source})`;
  const before = quoteText(`${table}: the column ${field.name} has `);
  const after = quoteText(`, which is not of type ${arrowTypeName(field.type)}`);
  return `coalesce(${exactCast(source, field)}, CASE WHEN ${source} IS NOT NULL THEN error(${before} || left(${source}, ${SHOWN_CHARACTERS}) || ${after}) END)`;
}

/** Lengths of rows whose quoted fields may hold line feeds. */
class RecordLengths {
  #isQuoted = false;
  #current = 0;
  #longest = 0;

  add(chunk: Uint8Array): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (byte === LINE_FEED && !this.#isQuoted) {
        this.#longest = Math.max(this.#longest, this.#current + at + 1 - start);
        this.#current = 0;
        start = at + 1;
      }
    }
    this.#current += chunk.length - start;
  }

  longest(): number {
    return Math.max(this.#longest, this.#current);
  }
}
