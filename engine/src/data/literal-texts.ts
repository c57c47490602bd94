/**
 * Texts that stand for a missing cell (`readers/missing.ts`) as a model reads them: missing, in whatever format
 * they come, unless its training data held them as texts or categories of their own.
 */

import type { SourceColumn } from "./feature-schema.ts";
import { isMissingText } from "./readers/missing.ts";
import type { Column } from "./table.ts";

/** Those that the texts hold, trimmed, sorted: they were kept as they are, so they say something. */
export function literalTexts(
  texts: readonly (string | null)[],
  rows: Uint32Array | null,
): readonly string[] {
  const found = new Set<string>();
  const count = rows?.length ?? texts.length;
  for (let i = 0; i < count; i++) {
    const trimmed = texts[rows === null ? i : rows[i]]?.trim();
    if (trimmed !== undefined && isMissingText(trimmed)) found.add(trimmed);
  }
  return [...found].toSorted();
}

/** Whether the column has no value where this text stands. */
export function standsForMissing(source: SourceColumn, text: string): boolean {
  const trimmed = text.trim();
  if (!isMissingText(trimmed)) return false;
  if (source.kind === "categorical") return !source.categories.includes(text);
  return source.kind !== "text" || source.literalTexts?.includes(trimmed) === false;
}

/** The column of the source's kind, with such cells missing. */
export function withoutStandIns(source: SourceColumn, column: Column): Column {
  const stands = (text: string | null): boolean => text !== null && standsForMissing(source, text);
  if (column.kind === "text") {
    return { ...column, values: column.values.map((text) => (stands(text) ? null : text)) };
  }
  if (column.kind !== "categorical") return column;
  const missing = column.categories.map(stands);
  if (!missing.includes(true)) return column;
  return { ...column, codes: column.codes.map((code) => (missing[code] ? -1 : code)) };
}
