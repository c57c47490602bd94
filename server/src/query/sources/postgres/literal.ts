/**
 * Texts and names inside statements: COPY takes no parameters, and one protocol (the simple one)
 * passes every pooler. A text with a backslash is written as an escape string, which means the same
 * whatever `standard_conforming_strings` is.
 */

import { quoteName as quoteStandardName, quoteText as quoteStandardText } from "../../sql-text.ts";

/** @throws RangeError for a text that PostgreSQL cannot hold; callers check before */
export function quoteText(text: string): string {
  if (text.includes("\0")) throw new RangeError("a text with the character NUL");
  const quoted = quoteStandardText(text);
  return quoted.includes("\\") ? ` E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

/** @throws RangeError for a name that PostgreSQL cannot hold; callers check before */
export function quoteName(name: string): string {
  if (name.includes("\0")) throw new RangeError("a name with the character NUL");
  return quoteStandardName(name);
}

const MAX_NAME_BYTES = 63;

/** Whether something can have this name: a longer one would be cut off and mean another thing. */
export function isName(name: string): boolean {
  return (
    name !== "" &&
    name.isWellFormed() &&
    !name.includes("\0") &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES
  );
}
