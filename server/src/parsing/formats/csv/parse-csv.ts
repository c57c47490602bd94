/** Delimited text (RFC 4180, and what programs write instead) as one table with a header row. */

import { CsvError, parse } from "csv-parse/sync";
import { asOneLine } from "../../characters.ts";
import { DocumentFault } from "../../document-fault.ts";
import type { ParsingLimits } from "../../limits.ts";
import type { Cell, Line, ParsedDocument } from "../../normal-form.ts";

const DELIMITERS = [",", ";", "\t", "|"] as const;

/** Lines that the delimiter is found from. */
const LOOKED_AT = 50;

/** Null for a text of one column, which is no table. @throws DocumentFault `too_large` */
export function parseCsv(text: string, limits: ParsingLimits): ParsedDocument | null {
  const delimiter = delimiterOf(text);
  if (delimiter === null) return null;
  const warnings: string[] = [];
  const records = recordsOf(text, delimiter, warnings);
  let cells = 0;
  const rows = records.map((record): Cell[] => {
    cells += record.length;
    if (cells > limits.nodes) {
      throw new DocumentFault(
        "too_large",
        `The table has more than ${limits.nodes} cells. Upload it as a dataset, or split it.`,
      );
    }
    return record.map((value) => ({ lines: linesOf(value) }));
  });
  return {
    version: 1,
    mediaType: delimiter === "\t" ? "text/tab-separated-values" : "text/csv",
    title: null,
    pages: [
      {
        number: 1,
        width: null,
        height: null,
        blocks: [{ kind: "table", headerRows: rows.length > 1 ? 1 : 0, rows }],
      },
    ],
    warnings,
  };
}

function linesOf(value: string): Line[] {
  return value.split(/\r\n|[\n\r]/u).flatMap((part) => {
    const text = asOneLine(part);
    return text === "" ? [] : { spans: [{ text, box: null }] };
  });
}

/** Quotes that do not pair are characters. */
function recordsOf(text: string, delimiter: string, warnings: string[]): string[][] {
  const options = {
    delimiter,
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: 4 << 20,
  };
  try {
    return parse(text, options);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    warnings.push(
      `Quotes in the file do not pair (${error.message}); they were read as they stand.`,
    );
    return parse(text, { ...options, quote: false });
  }
}

/** That which parts most lines into the same number of fields, outside quotes. */
function delimiterOf(text: string): string | null {
  const lines = text
    .slice(0, 64 << 10)
    .split(/\r\n|[\n\r]/u)
    .filter((line) => line.trim() !== "")
    .slice(0, LOOKED_AT);
  let best: string | null = null;
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    const counts = lines.map((line) => fieldsOf(line, delimiter));
    const usual = mode(counts.filter((count) => count > 1));
    if (usual === null) continue;
    const score = counts.filter((count) => count === usual).length + usual / 1000;
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

function fieldsOf(line: string, delimiter: string): number {
  let fields = 1;
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) fields += 1;
  }
  return fields;
}

/** The most frequent; of several, the first. */
function mode(numbers: readonly number[]): number | null {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  let best: number | null = null;
  for (const [number, count] of counts) {
    if (best === null || count > counts.get(best)!) best = number;
  }
  return best;
}
