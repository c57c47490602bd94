/** Names and texts as standard SQL has them, DuckDB's and Trino's, too; NUL is the caller's to refuse. */

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A list of DuckDB. */
export function quoteTexts(texts: readonly string[]): string {
  return `[${texts.map(quoteText).join(", ")}]`;
}
