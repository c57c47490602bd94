/** Addresses of electronic mail; normalised to lowercase. */

import { type Kind, typedValue } from "./kind.ts";
import { readByFinding } from "./pointed-at.ts";
import type { TypedValue } from "./value.ts";

const EMAIL =
  /(?<![\w.+%-])[\w][\w.+%-]{0,63}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9-]{1,63}){0,5}\.[A-Za-z]{2,24}(?![\w@])/g;

function findEmails(text: string): TypedValue[] {
  if (!text.includes("@")) return [];
  return [...text.matchAll(EMAIL)].map((match) =>
    typedValue("email", match.index, match.index + match[0].length, match[0].toLowerCase(), 0.99),
  );
}

export const EMAIL_KIND: Kind = {
  find: findEmails,
  read: (text, conventions) => readByFinding(findEmails, text, conventions),
};
