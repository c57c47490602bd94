/**
 * Texts that stand for a missing cell in formats without a null of their own (CSV), and in text
 * that is read as numbers, booleans or times. They are matched exactly, after trimming; `none` in
 * lower case is left alone, since real data use it as a category.
 */
export const MISSING_TOKENS: readonly string[] = [
  "",
  "?",
  "NA",
  "N/A",
  "n/a",
  "#N/A",
  "<NA>",
  "NaN",
  "nan",
  "NAN",
  "-nan",
  "-NaN",
  "null",
  "NULL",
  "Null",
  "None",
  "NaT",
];

const tokens = new Set(MISSING_TOKENS);
const longest = Math.max(...MISSING_TOKENS.map((token) => token.length));

export function isMissingText(text: string): boolean {
  return text.length <= longest && tokens.has(text);
}

/** The same of bytes[start, end), without making a string of anything longer than a token. */
export function isMissingBytes(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > longest) return false;
  let text = "";
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]);
  return tokens.has(text);
}
