/** Addresses of the web, with or without their scheme; the host in lowercase, no slash at the end. */

import { type Kind, typedValue } from "./kind.ts";
import { readByFinding } from "./pointed-at.ts";
import type { TypedValue } from "./value.ts";

const URL_PATTERN =
  /(?<![\w@.-])(?:(https?:\/\/|ftp:\/\/|www\.)[^\s<>"'()[\]{}]{2,400}|[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){0,3}\.(?:com|org|net|edu|gov|info|de|fr|nl|es|it|pt|pl|eu|io|uk|my|in|ch|at|be)(?:\/[^\s<>"'()[\]{}]{0,300})?(?![\w@-]|\.\w))/gi;

export function findUrls(text: string): TypedValue[] {
  if (!text.includes(".")) return [];
  const found: TypedValue[] = [];
  for (const match of text.matchAll(URL_PATTERN)) {
    const written = match[0].replace(/[.,;:!?]{1,8}$/, "");
    const certainty = match[1] === undefined ? 0.7 : 0.98;
    const end = match.index + written.length;
    found.push(typedValue("url", match.index, end, normalUrl(written), certainty));
  }
  return found;
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
