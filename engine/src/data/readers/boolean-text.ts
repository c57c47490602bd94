/**
 * Booleans written as text.
 *
 * Inference takes a column for boolean only where every value is `true` or `false` (in any case):
 * `yes`/`no` and the like stay categories, so that a label keeps its own words. A column that is
 * declared boolean may also use yes/no, y/n, t/f, on/off and 1/0.
 */

const TRUE_WORDS = new Set(["true", "t", "yes", "y", "on", "1"]);
const FALSE_WORDS = new Set(["false", "f", "no", "n", "off", "0"]);

/** 1, 0, or null where the text is no boolean. */
export function parseBoolean(text: string): 0 | 1 | null {
  const word = text.trim().toLowerCase();
  if (TRUE_WORDS.has(word)) return 1;
  return FALSE_WORDS.has(word) ? 0 : null;
}

/** Whether inference may take a column with this value for boolean. */
export function isPlainBoolean(text: string): boolean {
  const word = text.toLowerCase();
  return word === "true" || word === "false";
}
