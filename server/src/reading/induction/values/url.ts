/** Addresses of the web, with or without their scheme; the host in lowercase, no slash at the end. */

import { type Kind, typedValue, withoutOverlaps } from "./kind.ts";
import { readByFinding } from "./pointed-at.ts";
import type { TypedValue } from "./value.ts";

const WITH_SCHEME = /(?<![\w@.-])(?:https?:\/\/|ftp:\/\/|www\.)[^\s<>"'()[\]{}]{2,400}/gi;
/** A host alone, all in lowercase or all in capitals: `Liability.IN` lacks a space. */
const HOST =
  /(?<![\w@./-])(?:[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){0,3}\.(?:com|org|net|edu|gov|info|io|eu|de|fr|nl|es|pt|pl|ch|se|dk|no|ie|co\.uk|co\.in|com\.my|com\.au|com\.br)|[A-Z0-9][A-Z0-9-]{1,62}\.(?:COM|ORG|NET|DE|FR|NL|PL|COM\.MY|CO\.UK))(?:\/[^\s<>"'()[\]{}]{0,300})?(?![\w@-]|\.\w)/g;

function findUrls(text: string): TypedValue[] {
  if (!text.includes(".")) return [];
  const found: TypedValue[] = [];
  for (const [pattern, certainty] of [
    [WITH_SCHEME, 0.98],
    [HOST, 0.7],
  ] as const) {
    for (const match of text.matchAll(pattern)) {
      const written = match[0].replace(/[.,;:!?]{1,8}$/, "");
      const end = match.index + written.length;
      found.push(typedValue("url", match.index, end, normalUrl(written), certainty));
    }
  }
  return withoutOverlaps(found);
}

function normalUrl(written: string): string {
  const [, scheme = "", host = "", rest = ""] =
    /^([a-z]+:\/\/)?([^/?#]*)([\s\S]*)$/i.exec(written) ?? [];
  return `${scheme.toLowerCase()}${host.toLowerCase()}${rest.replace(/\/$/, "")}`;
}

export const URL_KIND: Kind = {
  find: findUrls,
  read: (text, conventions) => readByFinding(findUrls, text, conventions),
};
