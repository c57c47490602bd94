/** CSV (RFC 4180) with a line of names: UTF-8, lines end in LF, a missing cell is empty. */

import { formatTimestamp } from "@distillery/engine/reading";
import { type OutputColumn, valueAt } from "../output-column.ts";
import type { OutputFormat } from "./format.ts";

const NOTHING = new Uint8Array();

export const csvFormat: OutputFormat = {
  mediaType: "text/csv",
  extension: "csv",
  head: (fields) => Buffer.from(`${fields.map(({ name }) => quoted(name)).join(",")}\n`),
  part(columns, rows) {
    const lines = new Array<string>(rows);
    for (let row = 0; row < rows; row++) {
      let line = "";
      for (const [at, column] of columns.entries())
        line += `${at === 0 ? "" : ","}${cell(column, row)}`;
      lines[row] = line;
    }
    return { bytes: Buffer.from(rows === 0 ? "" : `${lines.join("\n")}\n`), said: null };
  },
  tail: () => NOTHING,
};

function cell(column: OutputColumn, row: number): string {
  const value = valueAt(column, row);
  if (value === null) return "";
  if (column.type === "timestamp" && typeof value === "number") return formatTimestamp(value);
  // An empty text is no missing cell.
  return typeof value === "string" ? quoted(value) : String(value);
}

const quoted = (text: string): string =>
  text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
