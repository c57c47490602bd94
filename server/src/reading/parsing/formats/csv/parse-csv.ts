/** Delimited text (RFC 4180, and what programs write instead) as one table with a header row. */

import { CsvError, parse } from "csv-parse/sync";
import { asOneLine } from "../../characters.ts";
import { type ParsingLimits, requireNodesWithin } from "../../limits.ts";
import type { Cell, Line, ParsedDocument } from "../../normal-form.ts";

const DELIMITERS = [",", ";", "\t", "|"] as const;

/** Lines that the delimiter is found from. */
const LOOKED_AT = 50;

/** Characters of a row. */
const MAX_RECORD = 1 << 20;

/** Null for a text of one column, which is no table. @throws DocumentFault `too_large` */
export function parseCsv(text: string, limits: ParsingLimits): ParsedDocument | null {
  const delimiter = delimiterOf(text);
  if (delimiter === null) return null;
  requireNodesWithin(cellsIn(text, delimiter), "cells", limits);
  const warnings: string[] = [];
  const records = recordsOf(text, delimiter, warnings);
  if (records === null) return null;
  const rows = records.map((record) => record.map((value): Cell => ({ lines: linesOf(value) })));
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

/** Quotes that do not pair are characters. Null where nothing pairs. */
function recordsOf(text: string, delimiter: string, warnings: string[]): string[][] | null {
  const options = {
    delimiter,
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD,
  };
  for (const quote of ['"', false] as const) {
    try {
      return parse(text, { ...options, quote });
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      warnings.push("Quotes in the file are unbalanced; they were read literally.");
    }
  }
  return null;
}

/** At most: delimiters in quotes count too. */
function cellsIn(text: string, delimiter: string): number {
  let cells = 1;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === delimiter || character === "\n" || character === "\r") cells += 1;
  }
  return cells;
}

/** That which parts most rows into the same number of fields, outside quotes. */
function delimiterOf(text: string): string | null {
  const start = text.slice(0, 64 << 10);
  let best: string | null = null;
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    const counts =
      fieldCounts(start, delimiter, true) ?? fieldCounts(start, delimiter, false) ?? [];
    const usual = mode(counts.filter((count) => count > 1));
    if (usual === null) continue;
    const score = counts.filter((count) => count === usual).length + usual / 1000;
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

/** Fields of the first rows that are not empty; null where a quote is not closed. */
function fieldCounts(text: string, delimiter: string, hasQuotes: boolean): number[] | null {
  const counts: number[] = [];
  let fields = 1;
  let isEmpty = true;
  let isQuoted = false;
  for (const character of text) {
    if (character === '"' && hasQuotes) isQuoted = !isQuoted;
    if (!isQuoted && (character === "\n" || character === "\r")) {
      if (!isEmpty) counts.push(fields);
      if (counts.length === LOOKED_AT) return counts;
      fields = 1;
      isEmpty = true;
      continue;
    }
    isEmpty = false;
    if (!isQuoted && character === delimiter) fields += 1;
  }
  if (!isEmpty) counts.push(fields);
  return isQuoted ? null : counts;
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
