/**
 * How a delimited text is written, found out from its beginning: the delimiter that splits the first
 * records into the same number of fields, more than one (of several such, the one with the most
 * fields), and whether lines that begin with `#` are comments, because without them it does so better.
 * A first line such as `sep=;`, which Excel writes and reads, declares the delimiter. Where none of these
 * splits the header, runs of blanks may (`blank-runs.ts`).
 */

import { BLANKS, blankDialect } from "./blank-runs.ts";
import { type CsvDialect, CsvScanner } from "./csv-scanner.ts";

/** Bytes of a text that tell its dialect. */
export const HEAD_BYTES = 65_536;
const DELIMITERS = [",", ";", "\t", "|"];
const RECORDS = 50;
const DECLARATION = /^("?)sep=([,;\t|]|\\t)\1 *(?:[\r\n]|$)/i;

export interface FoundDialect extends Required<CsvDialect> {
  /** Whether the rows, which blanks separate, begin with a name for which the header has none. */
  readonly hasRowNames: boolean;
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
  };
  let bestScore = 0;
  for (const comment of comments) {
    for (const delimiter of delimiters) {
      const counts = fieldCounts(head, final, { delimiter, comment, isDeclared });
      const header = counts[0] ?? 1;
      if (header < 2) continue;
      const alike = counts.filter((count) => count === header).length / counts.length;
      // Agreement counts first; the number of fields decides between equals.
      const score = alike + header / 1e6;
      if (score > bestScore) {
        bestScore = score;
        best = { delimiter, comment, isDeclared, hasRowNames: false };
      }
    }
  }
  if (bestScore > 0 || (known !== null && known !== BLANKS)) return best;
  const blanks = blankDialect(head, final, comments);
  return blanks === null ? best : { delimiter: BLANKS, isDeclared, ...blanks };
}

function declaredDelimiter(head: Uint8Array): string | null {
  const [, , written] = DECLARATION.exec(new TextDecoder().decode(head.subarray(0, 32))) ?? [];
  return written === undefined ? null : written === "\\t" ? "\t" : written;
}

function fieldCounts(head: Uint8Array, final: boolean, dialect: CsvDialect): number[] {
  const counts: number[] = [];
  const scanner = new CsvScanner(dialect, (_bytes, _starts, _ends, fields) => {
    counts.push(fields);
    return counts.length < RECORDS;
  });
  // Scanning writes, and the slice of a Buffer is no copy.
  const copy = new Uint8Array(head);
  try {
    scanner.scan(copy, copy.length, final);
  } catch {
    // Under a wrong delimiter quotes may look broken; what was counted so far still speaks.
  }
  return counts;
}
