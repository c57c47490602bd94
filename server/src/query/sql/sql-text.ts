/** Names and texts as SQL has them. */

/** @param name any text without NUL */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function quoteTexts(texts: readonly string[]): string {
  return `[${texts.map(quoteText).join(", ")}]`;
}
