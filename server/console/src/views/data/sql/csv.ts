/** Rows as CSV (RFC 4180), made piece by piece. */

import { type QueryResult, valueText } from "./result.ts";

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** An empty text is quoted, so that it is not taken for a missing value. */
function field(text: string | null): string {
  if (text === null) return "";
  return text === "" || NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvOf({ columns, rows }: Pick<QueryResult, "columns" | "rows">): Blob {
  const lines = [columns.map(({ name }) => field(name)).join(",")];
  for (const row of rows) {
    lines.push(columns.map(({ name }) => field(valueText(row[name]))).join(","));
  }
  return new Blob([lines.join("\r\n"), "\r\n"], { type: "text/csv" });
}
