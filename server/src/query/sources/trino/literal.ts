/** Texts and names inside Trino's statements: standard SQL, without escapes but the doubled quote. */

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
