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
const FOREIGN: readonly (readonly [bytes: string, found: string])[] = [
  [
    "PK\x03\x04",
    "a zip archive (or an Excel workbook); save its sheet, or unpack its file, as CSV",
  ],
  ["\xd0\xcf\x11\xe0", "a file of an old version of Microsoft Office; save its sheet as CSV"],
  ["%PDF-", "a PDF, which is uploaded as a document"],
  ["\x89HDF", "HDF5; save its table as Parquet or CSV"],
  ["\x28\xb5\x2f\xfd", "zstd-compressed"],
  ["\xfd7zXZ", "xz-compressed"],
  ["7z\xbc\xaf", "a 7z archive"],
  ...Array.from("123456789", (level) => [`BZh${level}1A`, "bzip2-compressed"] as const),
];
/** Of the longest that is looked for. */
const MAGIC_BYTES = 6;

function startsWith(head: Uint8Array, text: string): boolean {
  if (head.length < text.length) return false;
  for (let i = 0; i < text.length; i++) if (head[i] !== text.charCodeAt(i)) return false;
  return true;
}

/** What the first bytes say without doubt; null for text and the unknown. */
export function recognise(head: Uint8Array): string | null {
  if (startsWith(head, "PAR1")) return TITLES.parquet;
  if (startsWith(head, "ARROW1")) return TITLES.arrow;
  if (startsWith(head, "\xff\xff\xff\xff")) return TITLES.arrow;
  if (startsWith(head, "\xff\xfe") || startsWith(head, "\xfe\xff")) return WIDE_TEXT;
  return FOREIGN.find(([bytes]) => startsWith(head, bytes))?.[1] ?? null;
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
