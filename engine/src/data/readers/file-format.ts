/** What a file is by its first bytes, so that a wrong format is named instead of misread. */

import { DataError } from "../table.ts";
import type { TableFormat } from "./reading.ts";

const TITLES: Record<TableFormat, string> = {
  csv: "CSV",
  parquet: "Parquet",
  arrow: "Arrow IPC",
  ndjson: "newline-delimited JSON",
};

const WIDE_TEXT = "UTF-16 text";
/** The position is that of the first byte. */
const FOREIGN: readonly (readonly [bytes: string, found: string, position?: number])[] = [
  [
    "PK\x03\x04",
    "a zip archive (or an Excel workbook); save its sheet, or unpack its file, as CSV",
  ],
  ["\xd0\xcf\x11\xe0", "a file of an old version of Microsoft Office; save its sheet as CSV"],
  ["%PDF-", "a PDF, which is uploaded as a document"],
  ["\x89HDF", "HDF5; save its table as Parquet or CSV"],
  ["Obj\x01", "Avro; save its records as Parquet"],
  ["FEA1", "Feather of version 1; save its table as Parquet, or as Feather of version 2"],
  ["SQLite format 3", "an SQLite database; save its table as CSV"],
  ["\x93NUMPY", "an array of NumPy; save it as CSV or Parquet, with a name for each column"],
  ["\x80\x04\x95", "a pickle of Python; save its table as Parquet"],
  ["\x80\x05\x95", "a pickle of Python; save its table as Parquet"],
  ["<stata_dta>", "a file of Stata; save its table as CSV or Parquet"],
  ["$FL2@(#)", "a file of SPSS; save its table as CSV or Parquet"],
  ["RDX2\nX\n", "a file of R; save its table as CSV or Parquet"],
  ["RDX3\nX\n", "a file of R; save its table as CSV or Parquet"],
  ...["<!DOCTYPE html", "<!doctype html", "<html"].map(
    (begin) =>
      [begin, "an HTML page; look at it in a browser, as it may say why it is no table"] as const,
  ),
  ["<?xml", "XML; save its rows as CSV"],
  ["ustar", "a tar archive; unpack it, and send its file", 257],
  ["\x1f\x8b", "compressed several times; compress it once"],
  ["\x28\xb5\x2f\xfd", "compressed several times; compress it once"],
  ["\x04\x22\x4d\x18", "LZ4-compressed; compress it by gzip or Zstandard, or not at all"],
  ["\xfd7zXZ", "xz-compressed; compress it by gzip or Zstandard, or not at all"],
  ["7z\xbc\xaf", "a 7z archive; unpack it, and send its file"],
  ...Array.from(
    "123456789",
    (level) =>
      [
        `BZh${level}1A`,
        "bzip2-compressed; compress it by gzip or Zstandard, or not at all",
      ] as const,
  ),
];
/** Below it are bytes that no text has. */
const FIRST_WHITE_SPACE = 0x09;
/** Of the furthest that is looked for. */
const MAGIC_BYTES = Math.max(...FOREIGN.map(([bytes, , at = 0]) => at + bytes.length));

function startsWith(head: Uint8Array, text: string, at = 0): boolean {
  if (head.length < at + text.length) return false;
  for (let i = 0; i < text.length; i++) if (head[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** What the first bytes say without doubt; null for text and the unknown. */
export function recognise(head: Uint8Array): string | null {
  if (startsWith(head, "PAR1")) return TITLES.parquet;
  if (startsWith(head, "ARROW1")) return TITLES.arrow;
  if (startsWith(head, "\xff\xff\xff\xff")) return TITLES.arrow;
  if (startsWith(head, "\xff\xfe") || startsWith(head, "\xfe\xff")) return WIDE_TEXT;
  // A column may be called so.
  if (startsWith(head, "ORC") && head.some((byte) => byte < FIRST_WHITE_SPACE)) {
    return "ORC; save its table as Parquet";
  }
  return FOREIGN.find(([bytes, , at]) => startsWith(head, bytes, at))?.[1] ?? null;
}

/** Throws where the first bytes speak for something other than `format`. */
export function expectFormat(head: Uint8Array, format: TableFormat): void {
  if (head.length === 0) throw new DataError("The file is empty.");
  const found = recognise(head);
  // Text formats are read in any encoding.
  if (found === WIDE_TEXT && format === "csv") return;
  if (found !== null && found !== TITLES[format]) {
    throw new DataError(`The file was sent as ${TITLES[format]}, but it is ${found}.`);
  }
}

/** The same bytes, once the first of them do not speak for something other than `format`. */
export async function* ofFormat(
  source: AsyncIterable<Uint8Array>,
  format: TableFormat,
): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | null = new Uint8Array(0);
  for await (const chunk of source) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    if (head.length < MAGIC_BYTES) continue;
    expectFormat(head, format);
    yield head;
    head = null;
  }
  if (head === null) return;
  expectFormat(head, format);
  yield head;
}
