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
  if (startsWith(head, "PK\x03\x04")) return "a zip archive (or an Excel workbook)";
  if (startsWith(head, "\xff\xfe") || startsWith(head, "\xfe\xff")) return WIDE_TEXT;
  if (startsWith(head, "\x28\xb5\x2f\xfd")) return "zstd-compressed";
  if (startsWith(head, "BZh")) return "bzip2-compressed";
  return null;
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
