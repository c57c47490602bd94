/**
 * How a delimited text is written, found out from its beginning: the delimiter that splits the first
 * records into the same number of fields, more than one (of several such, the one with the most
 * fields), and whether lines that begin with `#` are comments, because without them it does so better.
 * A first line such as `sep=;`, which Excel writes and reads, declares the delimiter. Where none of these
 * splits the header, runs of blanks may (`blank-runs.ts`).
 *
 * R's `write.table` gives no name to the column of the rows' names, so that the header has a field less than each of
 * the rows. So has one whose rows end with a delimiter too many: there the last fields are empty, and the first are
 * not unique, as names of rows are.
 */

import { BLANKS, blankDialect } from "./blank-runs.ts";
import { type CsvDialect, CsvScanner } from "./csv-scanner.ts";

/** Bytes of a text that tell its dialect. */
export const HEAD_BYTES = 65_536;
const DELIMITERS = [",", ";", "\t", "|"];
const RECORDS = 50;
const QUOTE = 34;
const DECLARATION = /^("?)sep=([,;\t|]|\\t)\1 *(?:[\r\n]|$)/i;

export interface FoundDialect extends Required<CsvDialect> {
  /** Whether the rows begin with a name for which the header has none. */
  readonly hasRowNames: boolean;
  /** Where the header begins in the head, with its quote. */
  readonly headerAt: number;
}

/**
 * @param head of a UTF-8 text, without a byte order mark
 * @param final whether it is all of it
 * @param given what is known and not found out; a delimiter given is taken before one that is declared
 * @returns a comma and no comments where nothing speaks for others; `BLANKS` stands for runs of blanks
 */
export function sniffDialect(
  head: Uint8Array,
  final: boolean,
  given: Partial<Omit<CsvDialect, "isDeclared">> = {},
): FoundDialect {
  const declared = declaredDelimiter(head);
  const isDeclared = declared !== null;
  const known = given.delimiter ?? declared;
  const delimiters = known === null ? DELIMITERS : [known];
  const comments = given.comment === undefined ? ["", "#"] : [given.comment];
  let best: FoundDialect = {
    delimiter: delimiters[0],
    comment: comments[0],
    isDeclared,
    hasRowNames: false,
    headerAt: 0,
  };
  let bestScore = 0;
  for (const comment of comments) {
    for (const delimiter of delimiters) {
      const records = firstRecords(head, final, { delimiter, comment, isDeclared });
      const header = records[0]?.fields ?? 1;
      const hasRowNames = beginWithNames(records, delimiter);
      const fields = hasRowNames ? header + 1 : header;
      if (fields < 2) continue;
      const alike = records.filter((record) => record.fields === header).length / records.length;
      // Agreement counts first; the number of fields decides between equals.
      const score = (hasRowNames ? 1 : alike) + fields / 1e6;
      if (score > bestScore) {
        bestScore = score;
        const headerAt = records[0]?.at ?? 0;
        best = { delimiter, comment, isDeclared, hasRowNames, headerAt };
      }
    }
  }
  if (bestScore > 0 || (known !== null && known !== BLANKS)) return best;
  const blanks = blankDialect(head, final, comments);
  return blanks === null ? best : { delimiter: BLANKS, isDeclared, headerAt: 0, ...blanks };
}

function declaredDelimiter(head: Uint8Array): string | null {
  const [, , written] = DECLARATION.exec(new TextDecoder().decode(head.subarray(0, 32))) ?? [];
  return written === undefined ? null : written === "\\t" ? "\t" : written;
}

interface FirstRecord {
  readonly fields: number;
  readonly first: string;
  readonly endsEmpty: boolean;
  readonly at: number;
}

/** Fewer tell nothing: the header is one of them. */
const LEAST_NAMED = 3;

/** Whether each row has a field more than the header, before the others. */
function beginWithNames(records: readonly FirstRecord[], delimiter: string): boolean {
  const [header, ...rows] = records;
  if (header === undefined || records.length < LEAST_NAMED) return false;
  // A comma is likely in texts of one column; a tab is not.
  if (header.fields < 2 && delimiter !== "\t") return false;
  if (rows.some(({ fields, first }) => fields !== header.fields + 1 || first === "")) return false;
  return (
    !rows.every(({ endsEmpty }) => endsEmpty) &&
    new Set(rows.map(({ first }) => first)).size === rows.length
  );
}

function firstRecords(head: Uint8Array, final: boolean, dialect: CsvDialect): FirstRecord[] {
  const records: FirstRecord[] = [];
  const decoder = new TextDecoder();
  const scanner = new CsvScanner(dialect, (bytes, starts, ends, fields) => {
    const [at, last] = [starts[0], fields - 1];
    records.push({
      fields,
      first: decoder.decode(bytes.subarray(at, ends[0])).trim(),
      endsEmpty: starts[last] === ends[last],
      at: head[at - 1] === QUOTE ? at - 1 : at,
    });
    return records.length < RECORDS;
  });
  // Scanning writes, and the slice of a Buffer is no copy.
  const copy = new Uint8Array(head);
  try {
    scanner.scan(copy, copy.length, final);
  } catch {
    // Under a wrong delimiter quotes may look broken; what was counted so far still speaks.
  }
  return records;
}
