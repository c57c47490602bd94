/**
 * Which delimiter a delimited text uses: the one that splits the first records into the same
 * number of fields, more than one; of several such, the one with the most fields.
 */

import { CsvScanner } from "./csv-scanner.ts";

const CANDIDATES = [",", ";", "\t", "|"].map((text) => text.charCodeAt(0));
const RECORDS = 50;

/** The character code of the delimiter; a comma where nothing speaks for another. */
export function sniffDelimiter(head: Uint8Array, final: boolean): number {
  let best = CANDIDATES[0];
  let bestScore = 0;
  for (const candidate of CANDIDATES) {
    const counts = fieldCounts(head, final, candidate);
    const header = counts[0] ?? 1;
    if (header < 2) continue;
    const alike = counts.filter((count) => count === header).length / counts.length;
    // Agreement counts first; the number of fields decides between equals.
    const score = alike + header / 1e6;
    if (score > bestScore) {
      bestScore = score;
      best = candidate;
    }
  }
  return best;
}

function fieldCounts(head: Uint8Array, final: boolean, delimiter: number): number[] {
  const counts: number[] = [];
  const scanner = new CsvScanner(delimiter, (_bytes, _starts, _ends, fields) => {
    counts.push(fields);
    return counts.length < RECORDS;
  });
  const copy = head.slice();
  try {
    scanner.scan(copy, copy.length, final);
  } catch {
    // Under a wrong delimiter quotes may look broken; what was counted so far still speaks.
  }
  return counts;
}
