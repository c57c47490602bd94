/**
 * What one path of a listing table means, after DataFusion's ListingTableUrl: a URL that ends in `/`
 * is a collection; a URL with `*`, `?` or `[…]` is a pattern below its last folder without them;
 * anything else is an object, or, where there is no such object, a collection.
 *
 * In a pattern `*` and `?` stay within one segment, `**` is any number of segments, `[a-z]` and
 * `[!a-z]` are one character. A character of the name that a pattern would take is percent-encoded.
 */

import { SourceUrlError } from "../../sources/source-error.ts";

export interface TablePath {
  readonly url: string;
  /** Without the pattern: an object's URL, or a collection's, which ends in `/`. */
  readonly base: string;
  /** What the rest of a key below the base must match, or null where all does. */
  readonly pattern: RegExp | null;
}

const PATTERN_CHARACTER = /[*?[]/;

/** @throws SourceUrlError where a bracket is not closed */
export function parseTablePath(url: string): TablePath {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0].length ?? 0;
  const first = url.slice(scheme).search(PATTERN_CHARACTER);
  if (first < 0) return { url, base: url, pattern: null };
  const cut = url.lastIndexOf("/", scheme + first) + 1;
  if (cut <= scheme) throw new SourceUrlError(`${url} has a pattern in its bucket's name`);
  return { url, base: url.slice(0, cut), pattern: patternOf(url.slice(cut), url) };
}

function patternOf(glob: string, url: string): RegExp {
  let source = "";
  for (let at = 0; at < glob.length; ) {
    const rest = glob.slice(at);
    const token = /^(?:\*\*\/|\*\*|\*|\?|\[(!?)(\]?[^\]]*)\]|(?:%[0-9a-f]{2})+)/i.exec(rest);
    if (token === null) {
      if (rest.startsWith("[")) throw new SourceUrlError(`${url} has a [ that is not closed`);
      const character = String.fromCodePoint(rest.codePointAt(0)!);
      source += literal(character);
      at += character.length;
      continue;
    }
    const [text, negated, members] = token;
    if (text === "**/") source += "(?:[^/]*/)*";
    else if (text === "**") source += ".*";
    else if (text === "*") source += "[^/]*";
    else if (text === "?") source += "[^/]";
    else if (members !== undefined) source += memberClass(members, negated === "!", url);
    else source += literal(decoded(text, url));
    at += text.length;
  }
  return new RegExp(`^${source}$`, "su");
}

function memberClass(members: string, negated: boolean, url: string): string {
  if (members === "") throw new SourceUrlError(`${url} has empty brackets`);
  const ranges = members.replace(/[\\\]^[]/g, "\\$&").replace(/^-|-$/g, "\\-");
  const source = negated ? `[^/${ranges}]` : `(?!/)[${ranges}]`;
  try {
    new RegExp(source, "u");
  } catch (error) {
    throw new SourceUrlError(`${url} has brackets [${members}] that are not a set of characters`, {
      cause: error,
    });
  }
  return source;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function decoded(text: string, url: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new SourceUrlError(`${url} has an escape that is not UTF-8`, { cause: error });
  }
}
